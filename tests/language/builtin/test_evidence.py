import pytest

from lightrag_engine.language.builtin.evidence import Asked, asks_post, candidates, fits
from lightrag_engine.records import SourceText
from lightrag_engine.retrieval.context import Context


def sentences(text: str) -> list[str]:
    row = SourceText(1, text, "a.txt", "", "chunk-1", "doc-1")
    return [candidate.text for candidate in candidates(Context("naive", source_rows=(row,)))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'It was late. "Time to cast off. Harrow waits for no one," Quill announced.',
            ["It was late.", '"Time to cast off."', '"Harrow waits for no one," Quill announced.'],
        ),
        ("The crew cheered. “We sail. We sail at dawn,” said Renn.", None),
        (
            '"We sail at dawn," said Renn, "if the tide holds."',
            ['"We sail at dawn," said Renn, "if the tide holds."'],
        ),
        ('The mast is 12" thick and old.', None),
    ],
)
def test_quotation_marks_come_in_pairs(text: str, expected: list[str] | None) -> None:
    found = sentences(text)
    if expected is not None:
        assert found == expected
    assert all(sentence.count("“") == sentence.count("”") for sentence in found)


def test_table_rows_are_read_cell_by_cell_and_heads_left_out() -> None:
    rows = ("| Name | Post | Since |", "| --- | :-: | --- |", "| Ilse Vogt | Bursar | 2015 |")
    table = "\n".join(("Posts are listed here.", "", *rows))
    assert sentences(table) == ["Posts are listed here.", "Ilse Vogt – Bursar – 2015"]


def test_emphasis_is_taken_off_but_not_the_underscores_of_a_word() -> None:
    text = "Renn read _Harbour Rules_ and the *tide table* in file_name_two under **oath**."
    assert sentences(text) == ["Renn read Harbour Rules and the tide table in file_name_two under oath."]


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("What is the role of Ilse Vogt?", True),
        ("Who works for Hallam & Sons?", True),
        ("What does Ilse Vogt do?", True),
        ("When did the ferry sink?", False),
    ],
)
def test_questions_for_a_post(question: str, asks: bool) -> None:
    assert asks_post(question) is asks


@pytest.mark.parametrize(
    ("phrase", "better", "worse"),
    [
        ("hallam & sons", "Renn joined Hallam & Sons.", "A boat passed Hallam & Sons."),
        ("ilse vogt", "Ilse Vogt, a bursar, sang.", "They sang with Ilse Vogt."),
        ("ilse vogt", "Ilse Vogt was the bursar.", "He worked with Ilse Vogt there."),
    ],
)
def test_who_is_or_does_something_comes_first(phrase: str, better: str, worse: str) -> None:
    rows = tuple(
        SourceText(i, text, "", "", f"c{i}", f"d{i}") for i, text in enumerate((better, worse), start=1)
    )
    first, second = candidates(Context("naive", source_rows=rows))
    wanted = dict.fromkeys(first.terms & second.terms, 1.0)

    def score(candidate: object) -> float:
        assert candidate is first or candidate is second
        chosen = first if candidate is first else second
        return fits(chosen, wanted, [phrase], Asked.ANYTHING, (), post=True)

    assert score(first) > score(second)
