"""What can be measured of answers without a model that judges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lightrag_engine.answering import Answer, plain_text, words_of
from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.evaluation.comparing import Comparison, VariantResult
from lightrag_engine.evaluation.difference import Matrix, overlap_matrix
from lightrag_engine.language.base import CANNOT_ANSWER
from lightrag_engine.sentences import sentence_texts

_CITED = re.compile(r"\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]")
# A sentence of the answer is borne out by a source sentence that holds this share of its words.
_SUPPORTED = 0.6
# Sentences of fewer words say nothing that could be checked: "Yes.", headings.
_TELLING = 3


@dataclass(frozen=True, slots=True)
class AnswerMeasures:
    """Measures of one answer, each a share from 0 to 1, or None where there is nothing to measure.

    coverage
        Share of the retrieved sources that the answer cites.
    support
        Share of the answer's sentences whose words stand, for the most part, in one sentence or row of what
        was retrieved. An answer in another language than its sources scores low.
    cited
        Share of the answer's sentences that carry a citation.
    words
        How long the answer is.
    """

    coverage: float | None
    support: float | None
    cited: float | None
    words: int


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of a comparison's answers, in the order of its results; None for what has no answer.

    `overlap` says how many words two answers share (Jaccard), `similarity` how near they are in meaning
    (cosine of their embeddings, -1 to 1).
    """

    answers: tuple[AnswerMeasures | None, ...]
    overlap: Matrix
    similarity: Matrix


async def measure(comparison: Comparison, embedding: EmbeddingModel) -> Measures:
    """Measure the answers of a comparison.

    Raises
    ------
    ModelError
        When the embedding model cannot be reached.
    """
    results = comparison.results
    return Measures(
        tuple(measure_answer(r.answer) if r.answer is not None and r.answered else None for r in results),
        overlap_matrix([words_of(_said(r)) for r in results]),
        await _similarity([_said(r) for r in results], embedding),
    )


def measure_answer(answer: Answer) -> AnswerMeasures:
    """Measure one answer by what it was given."""
    context = answer.context
    if answer.text.strip() == CANNOT_ANSWER:
        return AnswerMeasures(None, None, None, len(words_of(answer.text)))
    sources = {row.id for row in context.source_rows}
    used = {citation.number for citation in answer.citations}
    given = [words_of(s) for row in context.source_rows for s in sentence_texts(row.content)]
    given += [words_of(entity.description) for entity in context.entity_rows]
    given += [words_of(relation.description) for relation in context.relation_rows]
    sentences = [s for s in sentence_texts(answer.text) if len(words_of(_bare(s))) >= _TELLING]
    supported = [_is_supported(words_of(_bare(sentence)), given) for sentence in sentences]
    carrying = [any(f"[{number}]" in sentence for number in used) for sentence in sentences]
    return AnswerMeasures(
        coverage=len(used & sources) / len(sources) if sources else None,
        support=_share(supported),
        cited=_share(carrying),
        words=sum(any(map(str.isalnum, word)) for word in _bare(answer.text).split()),
    )


def _is_supported(words: set[str], given: Sequence[set[str]]) -> bool:
    return any(len(words & source) >= _SUPPORTED * len(words) for source in given)


def _share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None


def _bare(text: str) -> str:
    """Return a text without its citation numbers, which are no words of it."""
    return _CITED.sub("", plain_text(text))


def _said(result: VariantResult) -> str:
    return _bare(result.text) if result.answered else ""


async def _similarity(texts: Sequence[str], embedding: EmbeddingModel) -> Matrix:
    if not any(texts):
        return tuple(tuple(None for _ in texts) for _ in texts)
    vectors = await embedding.embed(list(texts), "passage")
    known = [bool(text) and bool(np.any(row)) for text, row in zip(texts, vectors, strict=True)]
    return tuple(
        tuple(float(vectors[i] @ vectors[j]) if known[i] and known[j] else None for j in range(len(texts)))
        for i in range(len(texts))
    )
