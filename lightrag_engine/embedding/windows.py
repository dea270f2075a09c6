"""Halving a text that a model refuses as too long, and joining vectors."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from lightrag_engine.embedding.base import Vectors

# Better places to cut, best first: paragraphs, lines, sentences, words.
_CUTS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?。！？])\s*"), re.compile(r"\s+"))


def halve(text: str) -> tuple[str, str]:
    """Return a text of two characters or more as two parts, cut near the middle where a part of it ends."""
    middle, quarter = len(text) // 2, len(text) // 4
    for cut in _CUTS:
        ends = [m.end() for m in cut.finditer(text, middle - quarter, middle + quarter) if m.end()]
        if ends:
            end = min(ends, key=lambda place: abs(place - middle))
            return text[:end], text[end:]
    return text[:middle], text[middle:]


def unit(rows: Vectors) -> Vectors:
    """Return rows of length one; a row of zeros, or with values that are no numbers, becomes zeros."""
    good = np.isfinite(rows).all(axis=1, keepdims=True)
    clean = np.where(good, rows, 0.0).astype(np.float64)
    lengths = np.linalg.norm(clean, axis=1, keepdims=True)
    scaled = np.divide(clean, lengths, out=np.zeros_like(clean), where=lengths > 0)
    return np.asarray(scaled, dtype=np.float32)


def pooled(rows: Sequence[Vectors], weights: Sequence[int]) -> Vectors:
    """Return the mean of unit rows by weight, of unit length again; zeros when all of them are."""
    mean: Vectors = np.average(np.stack(rows), axis=0, weights=weights).astype(np.float32)
    row: Vectors = unit(mean[np.newaxis])[0]
    return row
