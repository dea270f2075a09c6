import pytest

from lightrag_engine.language.builtin.asked_names import absent_names, asked_names, is_namesake, names_it


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who replaced Ilse Brandauer?", ["Ilse Brandauer"]),
        ("Did Dr. Tobias Renn meet Captain Orla Finch?", ["Tobias Renn", "Orla Finch"]),
        ("How are Mara Quill and Tobias Renn related?", ["Mara Quill", "Tobias Renn"]),
        ("What is the University of Low Harrow?", ["University of Low Harrow"]),
        ("Where is the United Kingdom?", []),
        ("Who Founded The Brindle Valley Ferry Company?", []),
        ("who founded the ferry?", []),
    ],
)
def test_names_are_runs_of_words_with_capitals(question: str, names: list[str]) -> None:
    assert [name.text for name in asked_names(question)] == names


@pytest.mark.parametrize(
    ("question", "absent"),
    [
        ("Who replaced Ilse Brandauer?", True),
        ("Who replaced Ilse Vogt?", False),
        ("Who replaced Ilse Lindquist?", False),  # a slip of the pen
        ("Who runs the Quarry Lane School?", True),
        ("Who runs the Harrow School?", False),
        ("Wer ersetzte Ilse Brandauer?", False),  # German writes every noun with a capital
    ],
)
def test_a_namesake_is_not_the_one_asked_for(question: str, absent: bool) -> None:
    texts = ["Ilse Vogt replaced the old miller of Harrow.", "The school was led by Lindqvist for years."]
    assert bool(absent_names(question, texts)) is absent


def test_texts_in_other_scripts_write_the_name_differently() -> None:
    assert not absent_names("Who is Ilse Brandauer?", ["伊尔莎接替了磨坊主托比亚斯。", "她出生于港口。"])


def test_sentences_of_a_namesake() -> None:
    [name] = asked_names("Who replaced Ilse Brandauer?")
    assert is_namesake(name, "Ilse Vogt was a miller.")
    assert not is_namesake(name, "Brandauer was a miller.")
    assert not is_namesake(name, "The miller left.")


def test_a_surname_stands_for_a_person() -> None:
    assert names_it("Mara Quill", "Later Quill sold it.")
    assert not names_it("Mara Quill", "Mara sold it.")
    assert not names_it("Low Harrow School", "The School burned.")
