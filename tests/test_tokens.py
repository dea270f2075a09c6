from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.tokens import count, encode, encoding, longer_than


def test_special_tokens_are_text() -> None:
    assert encoding().decode(encode("<|endoftext|>")) == "<|endoftext|>"
    assert count("<|endoftext|>") > 1


def test_a_giant_run_of_spaces() -> None:
    text = " " * 1_000_000 + "x"
    assert encoding().decode(encode(text)) == text


@given(st.text(max_size=300) | st.text("ab ", max_size=300), st.integers(0, 20))
def test_longer_than_agrees_with_counting(text: str, limit: int) -> None:
    assert longer_than(text, limit) == (count(text) > limit)
