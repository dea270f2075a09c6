"""Shares and how sure one can be of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

_Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Share:
    """A share from 0 to 1 with its 95 % confidence interval, of `total` cases."""

    value: float
    low: float
    high: float
    total: int


def wilson(successes: float, total: int, z: float = _Z95) -> Share | None:
    """Return a share with Wilson's score interval (Wilson 1927); None without a case.

    `successes` may be fractional: a tie counts as half a win.

    Examples
    --------
    >>> share = wilson(8, 10)
    >>> round(share.low, 3), round(share.high, 3)
    (0.49, 0.943)
    """
    if total <= 0:
        return None
    share = successes / total
    centre = share + z * z / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    low, high = max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)
    return Share(share, min(low, share), max(high, share), total)


@dataclass(frozen=True, slots=True)
class Duel:
    """One case in which `first` met `second`: `winner` is one of them, or "" for a tie."""

    criterion: str
    first: str
    second: str
    winner: str


@dataclass(frozen=True, slots=True)
class WinRate:
    """How often `variant` won over `against` by a criterion. In `share` a tie counts as half a win."""

    criterion: str
    variant: str
    against: str
    wins: int
    ties: int
    losses: int
    share: Share


def win_rates(duels: Iterable[Duel]) -> tuple[WinRate, ...]:
    """Return the win rates of every pair by criterion, each pair once, as it was first met."""
    order: dict[tuple[str, str, str], Counter[str]] = {}
    for duel in duels:
        key = (duel.criterion, duel.first, duel.second)
        if (duel.criterion, duel.second, duel.first) in order:
            key = (duel.criterion, duel.second, duel.first)
        order.setdefault(key, Counter())[duel.winner] += 1
    rates = []
    for (criterion, first, second), won in order.items():
        share = wilson(won[first] + won[""] / 2, won.total())
        if share is not None:
            rates.append(WinRate(criterion, first, second, won[first], won[""], won[second], share))
    return tuple(rates)
