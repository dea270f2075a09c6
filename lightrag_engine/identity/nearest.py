"""Entities that are near to each other in meaning, found among those of one type."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from lightrag_engine.embedding.base import Vectors
from lightrag_engine.identity.state import Pair, sorted_pair

_ROWS = 1000  # compared at once with all others of the type


def nearest(
    keys: Sequence[str], vectors: Vectors, groups: Mapping[str, tuple[str, str]]
) -> dict[Pair, float]:
    """Return the pairs that are each other's nearest, as they stand out from what is usual.

    Parameters
    ----------
    keys, vectors
        Entities and their vectors, none of them zeros: shape ``(len(keys), dimensions)``.
    groups
        Type and script of those keys that are to be compared. Only entities of one type are; the nearest in
        the same script and the nearest in another one are looked for apart, since a text is always nearer
        to those of its own language.

    Returns
    -------
    dict
        Sorted pair → (similarity - mean) / (1 - mean), above 0 and at most 1; the mean is that of all pairs
        of the same type and scripts.
    """
    if not len(vectors):
        return {}
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    rows: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        if key in groups:
            rows[groups[key]].append(row)
    found: dict[Pair, float] = {}
    for (type_, script), mine in rows.items():
        found |= _mutual(keys, vectors, mine, mine)
        others = [
            row for (kind, other), part in rows.items() if kind == type_ and other > script for row in part
        ]
        if others:
            found |= _mutual(keys, vectors, mine, others)
    return found


def _mutual(keys: Sequence[str], vectors: Vectors, mine: list[int], others: list[int]) -> dict[Pair, float]:
    is_same = mine is others
    theirs = vectors[others]
    best_of_mine = np.zeros(len(mine), dtype=np.int64)
    best = np.full(len(mine), -np.inf, dtype=np.float32)
    best_of_theirs = np.zeros(len(others), dtype=np.int64)
    their_best = np.full(len(others), -np.inf, dtype=np.float32)
    total = 0.0
    for start in range(0, len(mine), _ROWS):
        similar = vectors[mine[start : start + _ROWS]] @ theirs.T
        here = np.arange(len(similar))
        total += float(similar.sum())
        if is_same:
            total -= float(similar[here, here + start].sum())
            similar[here, here + start] = -np.inf
        best_of_mine[start : start + _ROWS] = similar.argmax(axis=1)
        best[start : start + _ROWS] = similar.max(axis=1)
        column_best, column_row = similar.max(axis=0), similar.argmax(axis=0) + start
        nearer = column_best > their_best
        their_best[nearer], best_of_theirs[nearer] = column_best[nearer], column_row[nearer]
    count = len(mine) * (len(others) - is_same)
    usual = min(total / count, 0.999) if count else 1.0
    return {
        sorted_pair(keys[mine[row]], keys[others[column]]): float((best[row] - usual) / (1.0 - usual))
        for row, column in enumerate(best_of_mine)
        if best_of_theirs[column] == row and best[row] > usual
    }
