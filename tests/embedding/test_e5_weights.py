"""The weights file: what is read, and what the rows mean."""

from __future__ import annotations

import numpy as np
import pytest

from lightrag_engine.embedding.e5.weights import E5Weights, find_weights, read_weights


@pytest.fixture(scope="module")
def opened() -> E5Weights:
    return read_weights(find_weights())


def test_sizes(opened: E5Weights) -> None:
    assert (opened.shape.hidden, opened.shape.layers, opened.shape.heads) == (384, 12, 12)
    assert (opened.shape.inner, opened.shape.positions) == (1536, 512)
    assert opened.vector("emb.pos").size == 512 * 384
    assert opened.matrix("l0.fi.w", 384).shape == (1536, 384)


def test_the_vocabulary_is_in_id_order(opened: E5Weights) -> None:
    pieces = opened.pieces()
    assert len(pieces) == 250_002
    assert [piece for piece, _ in pieces[:5]] == ["<s>", "<pad>", "</s>", "<unk>", ","]
    assert all(score <= 0 for _, score in pieces)


def test_word_rows_are_rows_of_the_table(opened: E5Weights) -> None:
    rows = opened.word_rows(np.array([[5, 250_000], [7, 5]]))
    assert rows.shape == (2, 2, 384)
    np.testing.assert_array_equal(rows[0, 0], rows[1, 1])
    assert np.abs(rows).max() < 2


def test_each_block_of_four_bits_has_its_scale(opened: E5Weights) -> None:
    row = opened.matrix("l0.q.w", 384)[0].reshape(-1, 32)
    assert all(len(np.unique(block)) <= 16 for block in row)
    assert len(np.unique(row)) > 100
