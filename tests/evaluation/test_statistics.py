"""Shares, their intervals, and win rates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.evaluation.statistics import Duel, wilson, win_rates


@pytest.mark.parametrize(
    ("successes", "total", "low", "high"),
    [
        # Newcombe 1998, Table I, method 3 (the score method without continuity correction).
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_is_that_of_the_literature(successes: int, total: int, low: float, high: float) -> None:
    share = wilson(successes, total)
    assert share is not None
    assert (share.low, share.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@given(st.integers(1, 1000).flatmap(lambda n: st.tuples(st.integers(0, 2 * n), st.just(n))))
def test_the_share_lies_in_its_interval(case: tuple[int, int]) -> None:
    doubled, total = case
    share = wilson(doubled / 2, total)
    assert share is not None
    assert 0 <= share.low <= share.value <= share.high <= 1


def test_no_case_has_no_share() -> None:
    assert wilson(0, 0) is None


def test_a_pair_is_one_whichever_is_named_first() -> None:
    rates = win_rates(
        [
            Duel("overall", "a", "b", "a"),
            Duel("overall", "b", "a", "a"),
            Duel("overall", "b", "a", "b"),
            Duel("overall", "a", "b", ""),
            Duel("diversity", "a", "b", "b"),
        ]
    )
    assert [(r.criterion, r.variant, r.against, r.wins, r.ties, r.losses) for r in rates] == [
        ("overall", "a", "b", 2, 1, 1),
        ("diversity", "a", "b", 0, 0, 1),
    ]
    assert rates[0].share.value == 2.5 / 4
