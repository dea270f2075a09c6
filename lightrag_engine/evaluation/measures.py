"""What can be measured of answers without a model that judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lightrag_engine.answering import Answer, bare_text, words_of
from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.evaluation.comparing import Comparison, VariantResult
from lightrag_engine.evaluation.difference import Matrix, overlap_matrix
from lightrag_engine.evaluation.support import support
from lightrag_engine.language.base import CANNOT_ANSWER


@dataclass(frozen=True, slots=True)
class AnswerMeasures:
    """Measures of one answer, each a share from 0 to 1, or None where there is nothing to measure.

    coverage
        Share of the retrieved sources that the answer cites.
    support
        Share of the answer's sentences that one sentence or row of what was retrieved bears out, by its words
        or its meaning: see `evaluation.support`.
    cited
        Share of these sentences that carry a citation.
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
    measured = [
        await measure_answer(r.answer, embedding) if r.answer is not None and r.answered else None
        for r in results
    ]
    return Measures(
        tuple(measured),
        overlap_matrix([words_of(_said(r)) for r in results]),
        await _similarity([_said(r) for r in results], embedding),
    )


async def measure_answer(answer: Answer, embedding: EmbeddingModel) -> AnswerMeasures:
    """Measure one answer by what it was given; raises `ModelError` as `measure` does."""
    if answer.text.strip() == CANNOT_ANSWER:
        return AnswerMeasures(None, None, None, len(words_of(answer.text)))
    sources = {row.id for row in answer.context.source_rows}
    used = {citation.number for citation in answer.citations}
    sentences = await support(answer, embedding)
    carrying = [any(f"[{n}]" in answer.text[one.start : one.end] for n in used) for one in sentences]
    return AnswerMeasures(
        coverage=len(used & sources) / len(sources) if sources else None,
        support=_share([one.supported for one in sentences]),
        cited=_share(carrying),
        words=sum(any(map(str.isalnum, word)) for word in bare_text(answer.text).split()),
    )


def _share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None


def _said(result: VariantResult) -> str:
    return bare_text(result.text) if result.answered else ""


async def _similarity(texts: Sequence[str], embedding: EmbeddingModel) -> Matrix:
    if not any(texts):
        return tuple(tuple(None for _ in texts) for _ in texts)
    vectors = await embedding.embed(list(texts), "passage")
    known = [bool(text) and bool(np.any(row)) for text, row in zip(texts, vectors, strict=True)]
    return tuple(
        tuple(float(vectors[i] @ vectors[j]) if known[i] and known[j] else None for j in range(len(texts)))
        for i in range(len(texts))
    )
