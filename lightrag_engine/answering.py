"""Answers: text with citations that are checked against the sources it was given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from lightrag_engine.records import Citation, Keywords, SourceText
from lightrag_engine.retrieval.context import Context
from lightrag_engine.sentences import split_sentences

_CITATION = re.compile(r"(?<!\\)\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_BOLD = re.compile(r"(?<!\\)\*\*")
_WORD = re.compile(r"[^\W_]+")
# The share of a source sentence's words that an answer's statement repeats: taken over, or retold.
_WHOLE = 0.95
_NEAR = 0.5
# Fewer words than this stand in many sentences by chance.
_TELLING = 3


AnswerKind = Literal["answer", "context", "prompt"]
# Seconds of writing below which its pace says nothing: the text came in one piece.
_AT_ONCE = 0.005


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with everything it rests on; ``str(answer)`` is the text.

    `timings` are seconds (``keywords``, ``retrieval``, ``first_text``, ``answer``), the token counts those of
    the prompt a model gets and of the text. `notes` are sentences for a person, `thinking` is what a
    reasoning model thought before it wrote. `kind` says what the text is: an answer, or what was asked for
    with ``only_need_context`` or ``only_need_prompt``. `revision` names the state of documents and edits that
    it rests on: `LightRAG.content_revision` of that moment.
    """

    text: str
    question: str
    mode: str
    language: str
    keywords: Keywords
    context: Context
    citations: tuple[Citation, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    prompt_tokens: int = 0
    answer_tokens: int = 0
    notes: tuple[str, ...] = ()
    thinking: str = ""
    kind: AnswerKind = "answer"
    revision: str = ""

    def __str__(self) -> str:
        return self.text

    @property
    def retrieval_seconds(self) -> float:
        """Seconds from the question until the context was there, finding keywords included."""
        return self.timings.get("keywords", 0.0) + self.timings.get("retrieval", 0.0)

    @property
    def first_word_seconds(self) -> float:
        """Seconds from the question until the first word; 0 while there is none."""
        first = self.timings.get("first_text", 0.0)
        return self.retrieval_seconds + first if first else 0.0

    @property
    def seconds(self) -> float:
        """Seconds from the question until the end of the answer."""
        return self.retrieval_seconds + self.timings.get("answer", 0.0)

    @property
    def tokens_per_second(self) -> float | None:
        """Tokens of the text a second of writing, from its first word on; None where it came at once."""
        writing = self.timings.get("answer", 0.0) - self.timings.get("first_text", 0.0)
        if self.kind != "answer" or writing < _AT_ONCE or not self.first_word_seconds:
            return None
        return self.answer_tokens / writing


def find_citations(
    text: str, sources: tuple[SourceText, ...]
) -> tuple[tuple[Citation, ...], tuple[int, ...]]:
    """Return the citations ``[n]`` of a text that name one of its sources, and the numbers that name none.

    The sentences of a source that an answer used are those whose words the cited sentence repeats.
    """
    rows = {row.id: row for row in sources}
    statements: dict[int, list[set[str]]] = {}
    for line in text.splitlines():
        for statement, numbers in _cited_statements(line):
            for number in numbers:
                statements.setdefault(number, []).append(words_of(statement))
    citations = tuple(
        Citation(
            number=number,
            chunk_id=row.chunk_id,
            document_id=row.document_id,
            document=row.document,
            page=row.page,
            content=row.content,
            sentences=_used_sentences(row.content, statements[number]),
        )
        for number in statements
        if (row := rows.get(number)) is not None
    )
    return citations, tuple(number for number in statements if number not in rows)


def _cited_statements(line: str) -> list[tuple[str, list[int]]]:
    found: list[tuple[str, list[int]]] = []
    start = 0
    before = ""
    for match in _CITATION.finditer(line):
        # "… text [1] [2]": the second number belongs to the same statement.
        statement = plain_text(line[start : match.start()])
        before = statement if words_of(statement) else before
        found.append((before, [int(number) for number in re.findall(r"\d+", match[1])]))
        start = match.end()
    return found


def _used_sentences(content: str, statements: list[set[str]]) -> tuple[str, ...]:
    """Return the sentences that the statements repeat: all that stand in one whole, else the nearest one."""
    sentences = [content[span.start : span.end] for span in split_sentences(content)]
    words = [words_of(sentence) for sentence in sentences]
    used: set[int] = set()
    for said in statements:
        shares = [len(own & said) / len(own) if own else 0.0 for own in words]
        whole = {i for i, share in enumerate(shares) if share >= _WHOLE and len(words[i]) >= _TELLING}
        best = max(range(len(shares)), key=shares.__getitem__, default=0)
        used |= whole or ({best} if shares and shares[best] >= _NEAR else set())
    return tuple(sentences[i] for i in sorted(used))


def plain_text(text: str) -> str:
    """Return Markdown without its bold marks and backslash escapes, to be read in a terminal."""
    return _ESCAPED.sub(r"\1", _BOLD.sub("", text))


def bare_text(text: str) -> str:
    """Return `plain_text` without its citation numbers, which are no words of it."""
    return _CITATION.sub("", plain_text(text))


def words_of(text: str) -> set[str]:
    """Return the words of a text; a run of Chinese or Japanese counts as its pairs of characters."""
    words: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if any("\u3040" <= c <= "\u9fff" for c in word):
            words.update(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        else:
            words.add(word)
    return words
