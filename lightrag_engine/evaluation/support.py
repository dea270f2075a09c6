"""Which sentences of an answer the retrieved texts bear out: a hint for a reader, no proof.

A sentence counts as supported when one sentence of the sources, or a description in the tables, holds most of
its words or is near to it in meaning, and every number of two digits and more in it stands in some of these
texts. What is well known, or put together from several passages, may be marked although it is right; a
twisted statement about the same things may not be.

Nearness is similarity beyond what the source sentence has to unrelated sentences (`relevance.nearness`). How
much of it is enough was set on 64 statements about two of the sample documents in English, German and
Chinese, half of them borne out in other words, half invented about the same people and things
(``benchmarks/support.py``: 26 of 32 were told as borne out, 29 of 32 as not). With the built-in embedding
model it is 0.11; every other model's scale is taken from how similar unrelated sentences are to it: `_NEAR`
of the way from there to 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lightrag_engine.answering import Answer, bare_text, words_of
from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.language.base import CANNOT_ANSWER
from lightrag_engine.sentences import sentence_texts, split_sentences

# A sentence is borne out by a text that holds this share of its words.
SHARED = 0.6
# This share is the sentence itself: no need to ask what it means.
_SAME = 0.95
# How far a text must be from chance, as a share of the way to the sentence itself.
_NEAR = 0.55
# Sentences of fewer words say nothing that could be checked: "Yes.", headings.
_TELLING = 3
_LIST_MARK = re.compile(r"\s*(?:[-*+>#]+|\d{1,3}[.)])\s+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class SentenceSupport:
    """A sentence of an answer, ``text[start:end]``, and the text that bears it out best.

    `source` is the row of the sources table in which `sentence` stands, 0 when it is the description of an
    entity or a relation, or when there is none. `overlap` is the share of the words that it holds, from 0 to
    1; `similarity` the cosine of both, None when the words alone decided. `unfounded` lists numbers that
    stand nowhere in what was retrieved.
    """

    start: int
    end: int
    supported: bool
    source: int = 0
    sentence: str = ""
    overlap: float = 0.0
    similarity: float | None = None
    unfounded: tuple[str, ...] = ()


class _Given(NamedTuple):
    source: int
    text: str


async def support(answer: Answer, embedding: EmbeddingModel) -> tuple[SentenceSupport, ...]:
    """Return every sentence of an answer that says something, in order, with what bears it out.

    Empty for the fixed reply that there is no answer, for a context and for a prompt.

    Raises
    ------
    ModelError
        When the embedding model cannot be reached.
    """
    if answer.kind != "answer" or answer.text.strip() == CANNOT_ANSWER:
        return ()
    said = [
        (span.start, span.end, bare)
        for span in split_sentences(answer.text)
        if len(words_of(bare := _LIST_MARK.sub("", bare_text(answer.text[span.start : span.end])).strip()))
        >= _TELLING
    ]
    given = _given(answer)
    if not said or not given:
        return tuple(SentenceSupport(start, end, supported=False) for start, end, _ in said)
    shares = _shares([text for _, _, text in said], given)
    open_ones = [n for n in range(len(said)) if shares[n].max() < _SAME]
    cosines, leads = await _nearness([said[n][2] for n in open_ones], given, embedding)
    known = {digits for one in given for digits in _numbers(one.text)}
    found = []
    for n, (start, end, text) in enumerate(said):
        # Both on the scale on which 1 is just enough.
        scores = shares[n] / SHARED
        row = open_ones.index(n) if n in open_ones else None
        if row is not None:
            scores = np.maximum(scores, leads[row])
        best = int(scores.argmax())
        unfounded = tuple(written for digits, written in _numbers(text).items() if digits not in known)
        found.append(
            SentenceSupport(
                start,
                end,
                supported=bool(scores[best] >= 1) and not unfounded,
                source=given[best].source,
                sentence=given[best].text,
                overlap=float(shares[n][best]),
                similarity=float(cosines[row][best]) if row is not None else None,
                unfounded=unfounded,
            )
        )
    return tuple(found)


def _given(answer: Answer) -> list[_Given]:
    """Return the sentences of the sources, then the descriptions of the tables."""
    context = answer.context
    found = [_Given(row.id, s) for row in context.source_rows for s in sentence_texts(row.content)]
    told = [row.description for row in context.entity_rows]
    told += [row.description for row in context.relation_rows]
    lines = (_Given(0, line) for description in told for line in description.splitlines())
    texts = {one.text for one in found}
    return [*found, *(line for line in dict.fromkeys(lines) if line.text.strip() and line.text not in texts)]


def _shares(said: Sequence[str], given: Sequence[_Given]) -> npt.NDArray[np.float64]:
    """Return which share of each sentence's words each text holds: shape ``(said, given)``."""
    held = [words_of(one.text) for one in given]
    return np.array([[len(own & words) / len(own) for words in held] for own in map(words_of, said)])


async def _nearness(
    said: Sequence[str], given: Sequence[_Given], embedding: EmbeddingModel
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the cosines of sentences and texts, and how far that is beyond chance, 1 being just enough.

    Both of shape ``(said, given)``.
    """
    if not said:
        nothing = np.zeros((0, len(given)))
        return nothing, nothing
    # Imported here: the built-in language takes a second, and only who reads or asks needs it.
    from lightrag_engine.language.builtin.controls import controls
    from lightrag_engine.language.builtin.detect import spoken
    from lightrag_engine.language.builtin.relevance import nearness

    unrelated = await embedding.embed(controls("en"), "passage")
    usual = await embedding.embed(controls(spoken(" ".join(said))), "passage")
    sentences = await embedding.embed(list(said), "passage")
    texts = await embedding.embed([one.text for one in given], "passage")
    alike = (unrelated @ unrelated.T)[~np.eye(len(unrelated), dtype=bool)]
    enough = _NEAR * max(1.0 - float(alike.mean()), 0.02)
    near = np.stack([nearness(row[None, :], usual, texts) for row in sentences])
    return (sentences @ texts.T).astype(np.float64), near.astype(np.float64) / enough


def _numbers(text: str) -> dict[str, str]:
    """Return the numbers of two digits and more by their digits alone, as they are written."""
    found = {re.sub(r"\D", "", match[0]): match[0] for match in _NUMBER.finditer(text)}
    return {digits: written for digits, written in found.items() if len(digits) > 1}
