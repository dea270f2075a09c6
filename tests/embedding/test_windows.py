from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.embedding.prefixes import prefixes
from lightrag_engine.embedding.windows import halve, pooled, unit


@given(st.text(min_size=2))
def test_halves_are_the_whole_and_each_is_shorter(text: str) -> None:
    first, second = halve(text)
    assert first + second == text
    assert first
    assert second


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One two three.\n\nFour five six.", "One two three.\n\n"),
        ("One two three. Four five six.", "One two three. "),
        ("一二三四五。六七八九十。", "一二三四五。"),
        ("one two three four", "one two "),
        ("aaaabbbb", "aaaa"),
    ],
)
def test_a_text_is_cut_where_a_part_of_it_ends(text: str, first: str) -> None:
    assert halve(text)[0] == first


def test_rows_are_of_length_one_or_zero() -> None:
    rows = np.array([[3, 4], [0, 0], [np.nan, 1], [np.inf, 1], [1e-30, 0], [1e30, 1e30]], dtype=np.float32)
    scaled = unit(rows)
    assert np.linalg.norm(scaled, axis=1).round(5).tolist() == [1, 0, 0, 0, 1, 1]


def test_the_mean_is_weighted_and_a_missing_part_does_not_count() -> None:
    along_x, along_y, missing = (
        np.eye(2, dtype=np.float32)[0],
        np.eye(2, dtype=np.float32)[1],
        np.zeros(2, np.float32),
    )
    assert np.allclose(pooled([along_x, along_y, missing], [3, 4, 9]), [0.6, 0.8])
    assert not pooled([missing, missing], [1, 1]).any()


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("hf.co/nomic-ai/nomic-embed-text-v1.5-GGUF:Q8_0", "search_query: "),
        ("e5-mistral-7b-instruct", "Instruct: "),
        ("multilingual-e5-large-instruct", "Instruct: "),
        ("bge-large:335m", "Represent "),
        ("snowflake-arctic-embed:137m", "Represent "),
        ("qwen3-embedding:0.6b", "Instruct: "),
        ("granite-embedding", ""),
        ("one5-model", ""),
    ],
)
def test_prefixes_go_by_the_name(name: str, query: str) -> None:
    assert prefixes(name).query.startswith(query)
    assert bool(prefixes(name).query) == bool(query)
