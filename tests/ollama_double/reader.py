"""A small deterministic reader: what a well-behaved model would say, from the text in its prompt.

It leans on as little of the prompts as it can: which task it is, where the document's text is, which
delimiters are asked for.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from itertools import pairwise

from .protocol import ChatCall

_NAME = re.compile(r"\b[A-Z][\w’'-]+(?:\s(?:of\s|the\s)?[A-Z][\w’'-]+)*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n{2,}")
_WORD = re.compile(r"\w+")
_QUESTION = re.compile(r"^#* ?question: *", re.IGNORECASE | re.MULTILINE)
_RECORD = re.compile(r'"entity"[^\s\w",:]')
_BLOCKS = (
    re.compile(r"^-+ ?BEGIN[^\n]*\n(.*)\n-+ ?END", re.DOTALL | re.MULTILINE),
    re.compile(r"<text>\n?(.*)\n?</text>", re.DOTALL),
    re.compile(r"^(?:text|passage|chunk)[^\n]{0,40}:\s*(.*)", re.DOTALL | re.MULTILINE | re.IGNORECASE),
)
_OPENERS = frozenset(
    re.findall(
        r"\w+",
        "A An And As At But By For From He Her His However I If In It Its My No Not Of On Or Our She So That "
        "The Their Then There These They This Those To Was We What When Where Which Who Why With You Your",
    )
)
_TYPES = (
    ("organization", r"(company|corp|inc|ltd|university|institute|agency|bank|party|council|society|press)$"),
    (
        "location",
        r"(river|city|port|street|island|county|bay|square|house|harbour|lane)$|^(port|mount|lake)\b",
    ),
    ("event", r"(war|battle|conference|festival|christmas|revolution)$"),
    ("person", r"^\S+\s\S+$"),
)


@dataclass(frozen=True)
class Entity:
    """An entity that was read."""

    name: str
    type: str
    description: str


@dataclass(frozen=True)
class Relation:
    """A relation that was read."""

    source: str
    target: str
    description: str
    keywords: str
    weight: int


@dataclass(frozen=True)
class Reading:
    """What a text says."""

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    themes: tuple[str, ...]


def task(call: ChatCall) -> str:
    """Return what is asked for: extract, glean, missing, keywords, answer, summarise or shorten."""
    schema = json.dumps(call.format) if call.format else ""
    last = call.messages[-1][1] if call.messages else ""
    goes_on = any(role == "assistant" for role, _ in call.messages)
    if "high_level" in schema or (not schema and "high_level" in call.prompt):
        return "keywords"
    if "entities" in schema or _RECORD.search(call.prompt) or '"relations"' in call.prompt:
        if goes_on and re.search(r"\byes\b.{0,12}\bno\b", last, re.IGNORECASE):
            return "missing"
        return "glean" if goes_on and "miss" in last else "extract"
    if _QUESTION.search(call.prompt):
        return "answer"
    return "shorten" if goes_on else "summarise"


def question(prompt: str) -> str:
    """Return the last question of a prompt."""
    found = list(_QUESTION.finditer(prompt))
    return prompt[found[-1].end() :].strip() if found else ""


def delimiters(prompt: str) -> tuple[str, str, str]:
    """Return the field, record and completion delimiters that a prompt asks for."""
    asked = re.search(r"(\S+) between fields, (\S+) between records and (\S+) at the end", prompt)
    return (asked[1], asked[2], asked[3]) if asked else ("<|>", "##", "<|COMPLETE|>")


def document_text(call: ChatCall) -> str:
    """Return the document's text in an extraction prompt: what is marked off in the first user's message."""
    prompt = next((text for role, text in call.messages if role == "user"), call.prompt)
    for block in _BLOCKS:
        if found := block.findall(prompt):
            return str(found[-1])
    return prompt


def names(text: str) -> list[str]:
    """Return the capitalised names of a text, each once, in order."""
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        words = match[0].split()
        while words and words[0] in _OPENERS:
            words = words[1:]
        if words and words[0] not in ("of", "the"):
            found.setdefault(re.sub(r"[’']s?$", "", " ".join(words)))
    return list(found)


def read(text: str) -> Reading:
    """Return the entities, relations and themes of a text."""
    entities: dict[str, Entity] = {}
    relations: dict[tuple[str, str], Relation] = {}
    for sentence in (" ".join(s.split()) for s in _SENTENCE.split(text)):
        found = names(sentence)
        for name in found:
            entities.setdefault(name.casefold(), Entity(name, _type(name), sentence))
        for a, b in pairwise(found):
            if a.casefold() != b.casefold():
                pair = tuple(sorted((a.casefold(), b.casefold())))
                relations.setdefault(pair, Relation(a, b, sentence, _keywords(sentence, 2), 5))  # type: ignore[arg-type]
    return Reading(
        tuple(entities.values()),
        tuple(relations.values()),
        tuple(_keywords(text, 3).split(", ")) if text else (),
    )


def question_words(question: str) -> tuple[list[str], list[str]]:
    """Return the high-level and the low-level keywords of a question."""
    low = names(question)
    high = [w for w in _WORD.findall(question) if w[0].islower() and len(w) > 5]
    return high[:4], low or [w for w in _WORD.findall(question) if len(w) > 3][:3]


def best_sentence(prompt: str, question: str) -> tuple[str, str]:
    """Return the sentence of the sources that shares the most words with a question, and its row's id."""
    wanted = {w.casefold() for w in _WORD.findall(question) if len(w) > 3}
    table = re.split(r"^-*\s*sources\b.*\n", prompt, flags=re.IGNORECASE | re.MULTILINE)[-1]
    header, *rows = list(csv.reader(io.StringIO(table, newline=""))) or [[]]
    sentences = [
        (" ".join(sentence.split()), row[0])
        for row in rows
        if len(row) == len(header) > 1
        for sentence in _SENTENCE.split(row[header.index("content") if "content" in header else 1])
    ]
    ranked = sorted(sentences, key=lambda s: -len(wanted & {w.casefold() for w in _WORD.findall(s[0])}))
    return ranked[0] if ranked else ("", "")


def _type(name: str) -> str:
    return next((kind for kind, form in _TYPES if re.search(form, name, re.IGNORECASE)), "concept")


def _keywords(text: str, count: int) -> str:
    words = [w for w in _WORD.findall(text) if w.islower() and len(w) > 5 and w.isalpha()]
    frequent = sorted(dict.fromkeys(words), key=lambda w: (-words.count(w), -len(w), w))
    return ", ".join(frequent[:count]) or "mention"
