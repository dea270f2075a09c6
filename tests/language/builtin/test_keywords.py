import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightrag_engine.language.builtin.keywords import keywords
from lightrag_engine.records import Keywords, Message
from lightrag_engine.settings import Settings

SETTINGS = Settings()


def ask(question: str, *history: Message) -> Keywords:
    return keywords(question, history, SETTINGS)


def test_things_are_low_and_themes_are_high() -> None:
    found = ask("How does the rise of electric vehicles influence urban air quality and public transport?")
    assert {"electric vehicles", "public transport"} <= set(found.low_level)
    assert {"rise", "urban air quality", "influence"} <= set(found.high_level)
    assert not set(found.low_level) & set(found.high_level)


@pytest.mark.parametrize(
    "question", ["who founded the brindle valley ferry?", "Who founded the Brindle Valley ferry?"]
)
def test_case_does_not_matter(question: str) -> None:
    found = ask(question)
    assert "brindle valley ferry" in {keyword.casefold() for keyword in found.low_level}
    assert found.high_level == ("founding",)


@pytest.mark.parametrize(
    ("question", "low", "high"),
    [
        ('What does "Operation Dulce" mean?', "Operation Dulce", None),
        ("When was the mother of Olivia of Palermo born?", "Olivia of Palermo", "birth"),
        ("电动汽车的兴起如何影响城市空气质量和公共交通？", "电动汽车", "影响"),
        ("诸葛亮与刘备是什么关系？", "诸葛亮", "关系"),
        ("OpenAI公司在哪里？", "OpenAI", None),
        ("Wer gründete die Allgemeine Erklärung der Menschenrechte?", None, "gründete"),
        ("Кто написал роман Анна Каренина?", "Анна Каренина", "роман"),
        ("すべての人の権利は何ですか？", "権利", None),
        ("ما هي حقوق الإنسان؟", "حقوق", None),
        ("scrooge", "scrooge", "scrooge"),
        ("42", "42", "42"),
    ],
)
def test_questions_of_many_languages(question: str, low: str | None, high: str | None) -> None:
    found = ask(question)
    assert found.low_level
    assert found.high_level
    if low:
        assert low in found.low_level
    if high:
        assert high in found.high_level


HISTORY = (
    Message("user", "Who founded the Brindle Valley ferry?"),
    Message("assistant", "Mara Quill founded it, says Tobias Renn."),
)


def test_a_pronoun_stands_for_the_names_of_the_last_question() -> None:
    assert "Brindle Valley ferry" in ask("When was it built?", *HISTORY).low_level
    twice = (*HISTORY, Message("user", "When was it built?"), Message("assistant", "In 1911."))
    assert "Brindle Valley ferry" in ask("And who bought it?", *twice).low_level
    assert "诸葛亮" in ask("他是哪里人？", Message("user", "诸葛亮是谁？")).low_level


def test_a_question_with_names_of_its_own_looks_not_back() -> None:
    assert "Brindle Valley ferry" not in ask("Did Ilse Vogt like it?", *HISTORY).low_level
    assert "Brindle Valley ferry" not in ask("What is a steam engine?", *HISTORY).low_level


def test_nothing_gives_nothing() -> None:
    assert ask("") == ask("?! …") == Keywords()


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80) | st.text(alphabet="who is the ferry Mara谁他刘备を。?«\n\u0000", max_size=60))
def test_any_question_with_a_word_has_both_levels(question: str) -> None:
    found = ask(question, Message("user", question))
    assert bool(found.low_level) == bool(found.high_level)
    if any(char.isalpha() for char in question) and question.isascii():
        assert found.low_level
    for keyword in (*found.low_level, *found.high_level):
        assert keyword == keyword.strip() != ""
        assert "\n" not in keyword
        assert len(keyword) <= 80
