from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.tokens import LineCounts, count, count_table, encode, encoding, longer_than


def test_special_tokens_are_text() -> None:
    assert encoding().decode(encode("<|endoftext|>")) == "<|endoftext|>"
    assert count("<|endoftext|>") > 1


def test_a_giant_run_of_spaces() -> None:
    text = " " * 1_000_000 + "x"
    assert encoding().decode(encode(text)) == text


@given(st.text(max_size=300) | st.text("ab ", max_size=300), st.integers(0, 20))
def test_longer_than_agrees_with_counting(text: str, limit: int) -> None:
    assert longer_than(text, limit) == (count(text) > limit)


@given(st.text(max_size=200) | st.text("a, \n\r1\"'", max_size=60))
def test_lines_of_tables_are_counted_as_if_the_text_was_counted_whole(text: str) -> None:
    table = f"-----Rows-----\r\nid,text\r\n1,{text}\r\n22,{text}\r\n1001,{text}\r\n\n-----End-----\n{text}"
    assert count_table(table) == count_table(table) == count(table)


def test_every_number_of_up_to_three_digits_is_one_token() -> None:
    numbers = [f"{number:0{digits}}" for digits in (1, 2, 3) for number in range(10**digits)]
    assert {count(number) for number in numbers} == {1}


def test_remembered_counts_stay_few() -> None:
    counts = LineCounts(capacity=3)
    for text in ("one", "two words", "three of them", "and now four"):
        assert counts.count(text) == counts.count(text) == count(text)
        assert 1 <= len(counts) <= 3
