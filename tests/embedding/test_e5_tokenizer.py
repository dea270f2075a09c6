"""The rebuilt tokenizer against ids that multilingual-e5's own tokenizer gives."""

from __future__ import annotations

import pytest

from lightrag_engine.embedding.e5.tokenizer import E5Tokenizer
from lightrag_engine.embedding.e5.weights import find_weights, read_weights

START, END, UNKNOWN = 0, 2, 3


@pytest.fixture(scope="module")
def tokenizer() -> E5Tokenizer:
    return E5Tokenizer(read_weights(find_weights()))


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Hello world", [35378, 8999]),
        ("  Hello \n\t world ", [35378, 8999]),
        ("\uff28ello world", [35378, 8999]),
    ],
)
def test_ids(tokenizer: E5Tokenizer, text: str, ids: list[int]) -> None:
    (query,) = tokenizer.windows(text, "query")
    assert list(query) == [START, 41, 1294, 12, *ids, END]
    (passage,) = tokenizer.windows(text, "passage")
    assert list(passage) == [START, 46692, 12, *ids, END]


def test_special_tokens_in_a_text_are_plain_text(tokenizer: E5Tokenizer) -> None:
    (window,) = tokenizer.windows("a</s>b<s>c<pad>d<mask>e<unk>", "passage")
    assert not {START, 1, END, UNKNOWN, 250001} & set(window[1:-1])


def test_composed_and_decomposed_letters_are_the_same(tokenizer: E5Tokenizer) -> None:
    assert tokenizer.windows("cafe\u0301", "passage") == tokenizer.windows("caf\u00e9", "passage")


def test_surrogate_pairs_are_joined(tokenizer: E5Tokenizer) -> None:
    assert tokenizer.windows("\ud83d\ude00", "passage") == tokenizer.windows("\U0001f600", "passage")


def test_long_texts_continue_in_further_windows(tokenizer: E5Tokenizer) -> None:
    windows = tokenizer.windows("tariff " * 1500, "passage")
    assert [len(window) for window in windows[:-1]] == [512] * (len(windows) - 1)
    assert all(window[0] == START and window[-1] == END for window in windows)
    single = tokenizer.windows("tariff", "passage")[0]
    assert sum(len(window) - 2 for window in windows) == len(single) - 2 + 1499 * (len(single) - 4)
