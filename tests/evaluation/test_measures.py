"""Measures that need no model that judges."""

from __future__ import annotations

import asyncio

import pytest
from doubles import HashEmbedding

from lightrag_engine import Answer, Keywords, LightRAG
from lightrag_engine.answering import find_citations
from lightrag_engine.evaluation.measures import AnswerMeasures
from lightrag_engine.evaluation.measures import measure_answer as measure_answer_
from lightrag_engine.language.base import CANNOT_ANSWER
from lightrag_engine.records import SourceText
from lightrag_engine.retrieval.context import Context

SOURCES = (
    SourceText(1, "Mara Quill founded the ferry in 1921. It was painted red.", "a.txt", "", "c1", "d1"),
    SourceText(2, "Tobias Renn built the steamer Heron.", "b.txt", "", "c2", "d1"),
)


def answer(text: str, sources: tuple[SourceText, ...] = SOURCES) -> Answer:
    citations, _ = find_citations(text, sources)
    return Answer(text, "Who?", "naive", "x", Keywords(), Context("naive", source_rows=sources), citations)


def measure_answer(one: Answer) -> AnswerMeasures:
    return asyncio.run(measure_answer_(one, HashEmbedding()))


def test_coverage_support_and_citations_of_an_answer() -> None:
    measures = measure_answer(
        answer("Mara Quill founded the ferry in 1921 [1]. Penguins swim around the distant southern pole.")
    )
    assert measures.coverage == 0.5
    assert measures.support == 0.5
    assert measures.cited == 0.5
    assert measures.words == 14


def test_two_citations_are_not_words() -> None:
    measures = measure_answer(answer("**Mara Quill** founded the ferry [1] [2]."))
    assert (measures.coverage, measures.support) == (1.0, 1.0)


@pytest.mark.parametrize("text", ["", "Yes.", CANNOT_ANSWER])
def test_what_cannot_be_measured_is_none(text: str) -> None:
    assert measure_answer(answer(text)).support is None
    assert measure_answer(answer(text, ())).coverage is None


def test_answers_are_compared_with_each_other(ferry: LightRAG) -> None:
    comparison = ferry.compare("What was founded by Mara Quill?", ["naive", "local", "mix"])
    measures = ferry.measure(comparison)
    assert len(measures.answers) == 3
    assert all(one is not None and one.support == 1 for one in measures.answers)
    for matrix in (measures.overlap, measures.similarity):
        for i in range(3):
            assert matrix[i][i] == pytest.approx(1, abs=1e-3)
            assert [row[i] for row in matrix] == pytest.approx(list(matrix[i]), abs=1e-6)


def test_without_answers_there_is_nothing_to_compare(ferry: LightRAG) -> None:
    comparison = ferry.compare("What was founded by Mara Quill?", ["naive", "mix"], answers=False)
    measures = ferry.measure(comparison)
    assert measures.answers == (None, None)
    assert measures.similarity == ((None, None), (None, None))
