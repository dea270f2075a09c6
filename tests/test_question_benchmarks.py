"""What the benchmarks of questions count, on the samples that come with them."""

from __future__ import annotations

import pytest

from benchmarks.answers import holds
from benchmarks.languages import QUESTIONS, articles
from benchmarks.question_sets import SAMPLES, Question, find_sets
from benchmarks.reference_worker import folded
from benchmarks.retrieval import DEPTHS, Score, bm25


def test_every_sample_question_has_its_passages_in_the_sample() -> None:
    sets = find_sets(SAMPLES)
    assert {data.name for data in sets} == {"musique", "hotpotqa", "2wiki"}
    for data in sets:
        ids = {passage.id for passage in data.passages}
        assert all(question.supporting and question.supporting <= ids for question in data.questions)
        assert sum(question.held_back for question in data.questions) == len(data.questions) // 3


def test_a_folder_without_questions_is_refused_with_what_is_needed() -> None:
    with pytest.raises(SystemExit, match=r"corpus\.jsonl and questions\.jsonl"):
        find_sets(SAMPLES / "udhr")


def test_recall_counts_supporting_passages_among_the_first() -> None:
    score = Score()
    score.add(Question("?", frozenset({"a", "b"})), ["a", "x", "y", "b"])
    score.add(Question("?", frozenset({"c"}), held_back=True), ["x"])
    assert score.chosen == [{2: 0.5, 5: 1.0, 10: 1.0}]
    assert score.held_back == [dict.fromkeys(DEPTHS, 0.0)]
    assert score.cells()[:5] == ["0.250", "0.500", "0.500", "1.000", "0.000"]


def test_bm25_takes_punctuation_and_operators_for_nothing() -> None:
    (data,) = find_sets(SAMPLES / "hotpotqa")
    passage = data.passages[0]
    assert bm25(data.passages)(f'"{passage.title}" AND (who? NOT *)')[0] == passage.id


@pytest.mark.parametrize(
    ("answer", "right", "held"),
    [
        ("It was **The** ferry, in 1851 [1].", "the Ferry", True),
        ("It was in 18512.", "1851", False),
        ("No. They differ. [2]", "no", True),
        ("They say no.", "no", False),
    ],
)
def test_an_answer_holds_the_right_one_as_whole_words(answer: str, right: str, held: bool) -> None:
    assert holds(answer, Question("?", frozenset(), (right,))) == held


def test_all_declarations_have_an_article_for_every_question() -> None:
    paths = sorted((SAMPLES / "udhr").glob("*.txt"))
    assert len(paths) == 8
    for path in paths:
        found = articles(path)
        assert all(len(article.text) > 10 for article in found)
        assert len({article.title for article in found}) == len(QUESTIONS)


def test_a_text_is_known_again_however_its_names_were_normalised() -> None:
    assert folded("part of\tB-Side\nIt&#39;s “A”") == folded("It’s A part of\nB-Side")
