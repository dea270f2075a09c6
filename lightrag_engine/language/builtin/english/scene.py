"""A parsed text with its nodes and sentences, and what pronouns stand for: what the pair rules see."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from spacy.tokens import Doc, Token

from lightrag_engine.language.builtin.english.labels import kind_of_noun
from lightrag_engine.language.builtin.english.lexicon import HE_SHE, I_YOU, IT, THEY
from lightrag_engine.language.builtin.english.names import Node

PERSONS = frozenset({"PERSON"})
PLACES = frozenset({"GPE", "LOC", "FAC"})
STATES = frozenset({"GPE"})
PEOPLES = frozenset({"NORP"})
ORGS = frozenset({"ORG"})
WORKS = frozenset({"WORK_OF_ART", "PRODUCT", "LAW"})
EVENTS = frozenset({"EVENT"})
DATES = frozenset({"DATE"})
NUMBERS = frozenset({"MONEY", "PERCENT", "QUANTITY"})
TERMS = frozenset({"CONCEPT", "TECHNOLOGY"})
# In fewer words shares say nothing.
MIN_WORDS = 30
# Shares of the words that are personal pronouns above which a text counts as a story.
NARRATIVE_SHARE = 0.05
SPOKEN_SHARE = 0.01
TOLD_SHARE = 0.09
# Biographies name years, stories rarely do.
UNDATED_SHARE = 0.03
_YEAR = re.compile(r"\b\d{4}\b")
# Lines of dialogue: at least so many, and so many a word.
MIN_LINES = 3
LINES_SHARE = 0.005
_SPEECH = re.compile(r"\w[.!?…,—-]{1,3}[\"”]")
# Sentences of lists and tables: only the first ones are paired.
MAX_IN_SENTENCE = 40


@dataclass(frozen=True, slots=True)
class Place:
    """A node where it stands in a sentence; `referring` when only a pronoun or "the company" does."""

    node: int
    start: int
    end: int
    root: Token
    referring: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence's token range and the nodes in it, in order."""

    start: int
    end: int
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """The text as the rules see it. `title` is the title's node; `opening`: the document starts here."""

    doc: Doc
    nodes: tuple[Node, ...]
    sentences: tuple[Sentence, ...]
    title: int | None
    opening: bool
    narrative: bool


def set_scene(doc: Doc, nodes: Sequence[Node], opening: bool, narrative: bool) -> Scene:
    """Place the nodes in their sentences and resolve what refers to the title."""
    title = next((i for i, node in enumerate(nodes) if node.is_title), None)
    places = [
        Place(i, m.start, m.end, doc[m.start : m.end].root)
        for i, node in enumerate(nodes)
        for m in node.mentions
    ]
    if title is not None and not narrative:
        places += [Place(title, t.i, t.i + 1, t, True) for t in _referring(doc, nodes[title], nodes)]
    by_sentence: dict[int, list[Place]] = {}
    for place in sorted(places, key=lambda p: p.start):
        by_sentence.setdefault(doc[place.start].sent.start, []).append(place)
    sentences = tuple(
        Sentence(s.start, s.end, tuple(by_sentence.get(s.start, ())[:MAX_IN_SENTENCE])) for s in doc.sents
    )
    return Scene(doc, tuple(nodes), sentences, title, opening, narrative)


def is_narrative(doc: Doc) -> bool:
    """Whether the text tells a story: dialogue, or personal pronouns other than a biography's he and she."""
    said = words_of(doc)
    words = len(said)
    if words < MIN_WORDS:
        return False
    spoken, told = share_of(said, I_YOU), share_of(said, HE_SHE)
    lines = len(_SPEECH.findall(doc.text))
    return (
        (lines >= MIN_LINES and lines > LINES_SHARE * words)
        or (spoken > SPOKEN_SHARE and spoken + told > NARRATIVE_SHARE)
        or told > (TOLD_SHARE if _YEAR.search(doc.text) else UNDATED_SHARE)
    )


def words_of(doc: Doc) -> list[str]:
    """Return the words of a text, lower case."""
    return [token.lower_ for token in doc if token.is_alpha]


def share_of(words: Sequence[str], kind: frozenset[str]) -> float:
    """Return which share of words is of a kind."""
    return sum(word in kind for word in words) / max(len(words), 1)


def _referring(doc: Doc, title: Node, nodes: Sequence[Node]) -> list[Token]:
    """Tokens that stand for the title: he or she for a person, it or "the company" for what is none."""
    named = {i for node in nodes for m in node.mentions for i in range(m.start, m.end)}
    first = min(m.start for m in title.mentions)
    after = [t for t in doc[first:] if t.i not in named]
    if title.label in PERSONS:
        return [t for t in after if t.lower_ in HE_SHE]
    nouns = [
        t for t in after if t.pos_ == "NOUN" and _is_definite(t) and kind_of_noun(t.lemma_) == title.label
    ]
    pronouns = IT | THEY if title.label in ORGS else IT
    return [t for t in after if t.lower_ in pronouns and t.dep_ != "expl"] + nouns


def _is_definite(noun: Token) -> bool:
    return noun.i > 0 and noun.doc[noun.i - 1].lower_ in {"the", "this"}


def gap(doc: Doc, a: Place, b: Place) -> str:
    """Return the words between two places, lower case, single spaces."""
    return " ".join(t.lower_ for t in doc[a.end : b.start])
