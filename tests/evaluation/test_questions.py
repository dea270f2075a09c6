"""Question sets as they are typed, pasted or uploaded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine import QueryError, Question
from lightrag_engine.evaluation.questions import held, questions_csv, read_questions, recall
from lightrag_engine.records import SourceText


def test_lines_are_questions_without_their_list_marks() -> None:
    text = "1. Who founded it?\n\n- When?\n  * Where?\nWhen?\n2024 was what?"
    assert [q.text for q in read_questions(text)] == ["Who founded it?", "When?", "Where?", "2024 was what?"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_has_expected_answers_and_passages(delimiter: str) -> None:
    rows = [
        ["Question", "Answer", "Evidence"],
        ["Who founded it?", "Mara Quill|M. Quill", "ferry.txt"],
        ["When?", "", ""],
    ]
    given_ = "\r\n".join(delimiter.join(row) for row in rows).encode("utf-8-sig")
    assert read_questions(given_) == (
        Question("Who founded it?", ("Mara Quill", "M. Quill"), ("ferry.txt",)),
        Question("When?"),
    )


def test_quoted_cells_and_other_encodings_are_read() -> None:
    table = 'question,expected\n"Who said ""stop, now"",\nand why?",马清和\n'
    assert read_questions(table) == (Question('Who said "stop, now", and why?', ("马清和",)),)
    assert read_questions("question\n谁造了船？\n".encode("gb18030")) == (Question("谁造了船？"),)


@pytest.mark.parametrize("text", ["", " \n\n", "question,expected\n,x\n"])
def test_nothing_to_ask_is_said(text: str) -> None:
    with pytest.raises(QueryError, match="no question"):
        read_questions(text)


def test_too_many_are_said() -> None:
    with pytest.raises(QueryError, match="2,001 questions"):
        read_questions("\n".join(f"q{n}?" for n in range(2001)))


plain = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=12)
cell = plain.filter(lambda text: "|" not in text)


@given(st.lists(st.builds(Question, plain, st.just(()) | cell.map(lambda c: (c,))), min_size=1, max_size=5))
def test_what_is_written_is_read_back(questions: list[Question]) -> None:
    kept = read_questions(questions_csv(questions))
    assert read_questions(questions_csv(kept)) == kept


@pytest.mark.parametrize(
    ("answer", "expected", "share"),
    [
        ("It was **Mara  Quill**.", ["mara quill"], 1.0),
        ("Annual fares rose.", ["Ann"], 0.0),  # whole words
        ("In 1921, at Port Ansel", ["1921", "Low Harrow"], 0.5),
        ("渡轮由马清和设计。", ["马清和"], 1.0),
        ("ＡＢＣ", ["abc"], 1.0),
        ("x", [], None),
        ("x", ["…"], 0.0),
    ],
)
def test_whether_an_answer_holds_what_is_expected(
    answer: str, expected: list[str], share: float | None
) -> None:
    assert held(answer, expected) == share


def test_recall_knows_passages_by_text_document_and_chunk() -> None:
    sources = (SourceText(1, "Mara Quill founded the ferry\nin 1921.", "ferry.txt", "", "chunk-1", "d"),)
    assert recall(sources, ["ferry.txt", "chunk-1", "founded the ferry in 1921", "another text"]) == 0.75
    assert recall(sources, ["Mara Quill sold the ferry in 1930"]) == 0.0
    assert recall(sources, ["In 1921, the ferry: founded (Mara Quill)"]) == 1.0
    assert recall(sources, []) is None
    assert recall((), ["ferry.txt"]) == 0.0
