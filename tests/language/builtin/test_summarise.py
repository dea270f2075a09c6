import random

from hypothesis import given, settings
from hypothesis import strategies as st

from lightrag_engine import tokens
from lightrag_engine.language.builtin.summarise import summarise

DESCRIPTIONS = [
    "Mara Quill founded the Brindle Valley ferry in 1911. It rained that day.",
    "Mara Quill, the founder of the Brindle Valley ferry, was born in Port Ansel.",
    "Mara Quill founded the Brindle Valley ferry in 1911!",
    "The weather was fine.",
    "In 1934 Mara Quill sold the ferry to the Harbour Board. She bought a mill.",
]


def test_sentences_that_name_it_come_first_and_repeats_go() -> None:
    text = summarise("Mara Quill", DESCRIPTIONS, 60)
    assert text.startswith("Mara Quill")
    assert text.count("founded the Brindle Valley ferry in 1911") == 1
    assert "sold the ferry to the Harbour Board" in text


def test_words_are_the_documents_own() -> None:
    text = summarise("Mara Quill – Harbour Board", DESCRIPTIONS, 16)
    assert text == "In 1934 Mara Quill sold the ferry to the Harbour Board."


def test_nothing_fits_or_nothing_given() -> None:
    assert summarise("x", [], 100) == ""
    assert summarise("x", DESCRIPTIONS, 1) == ""


def test_chinese() -> None:
    text = summarise("诸葛亮", ["诸葛亮字孔明。天下雨。", "诸葛亮为丞相。", "诸葛亮字孔明。"], 40)
    assert "诸葛亮字孔明。" in text
    assert "诸葛亮为丞相。" in text


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([*DESCRIPTIONS, "", "刘备入蜀。", "a\nb. C!"]) | st.text(max_size=40)),
    st.randoms(),
)
def test_order_and_repeats_play_no_part_and_the_budget_holds(texts: list[str], chance: random.Random) -> None:
    text = summarise("Mara Quill", texts, 30)
    shuffled = [*texts, *texts]
    chance.shuffle(shuffled)
    assert summarise("Mara Quill", shuffled, 30) == text
    assert tokens.count(text) <= 30
