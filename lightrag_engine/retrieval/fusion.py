"""Fusing ranked lists by rank: scores of different kinds cannot be compared, places can."""

from __future__ import annotations

from collections.abc import Sequence


def fuse(lists: Sequence[tuple[float, Sequence[str]]], constant: float) -> list[str]:
    """Return all items of weighted lists (best first), best first.

    Weighted reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): an item scores the sum of ``weight /
    (constant + place)``, places from 1. A small constant trusts the heads of the lists. Equal scores are
    ordered by the item.

    Examples
    --------
    >>> fuse([(2.0, ["a", "b"]), (1.0, ["c", "b"])], constant=5)
    ['b', 'a', 'c']
    """
    scores: dict[str, float] = {}
    for weight, items in lists:
        for place, item in enumerate(items, start=1):
            scores[item] = scores.get(item, 0.0) + weight / (constant + place)
    return sorted(scores, key=lambda item: (-scores[item], item))
