"""Blind votes."""

from __future__ import annotations

import pytest
from conftest import MakeRag
from doubles import ScriptedLanguage
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine import LightRAG, QueryError
from lightrag_engine.evaluation.statistics import win_rates
from lightrag_engine.evaluation.votes import Vote, shuffled


def vote(*best: str) -> Vote:
    return Vote("v", "Who?", ("naive", "local", "mix"), best, True, "x", 0.0)


def test_the_best_wins_against_each_other_and_of_the_rest_nothing_is_said() -> None:
    assert [(d.first, d.second, d.winner) for d in vote("local").duels] == [
        ("naive", "local", "local"),
        ("local", "mix", "local"),
    ]


def test_several_best_ones_are_a_tie_among_themselves() -> None:
    duels = {(d.first, d.second): d.winner for d in vote("naive", "mix").duels}
    assert duels == {("naive", "local"): "naive", ("naive", "mix"): "", ("local", "mix"): "mix"}


def test_votes_are_kept_in_the_workspace(make_rag: MakeRag, ferry: LightRAG) -> None:
    comparison = ferry.compare("What was founded by Mara Quill?", ["naive", "mix"])
    first = ferry.vote(comparison, ["mix"], blind=True)
    ferry.vote(comparison, ["naive", "mix"], blind=False, vote_id=first.id)
    second = ferry.vote(comparison, ["naive"], blind=True)
    ferry.close()
    again = make_rag(language=ScriptedLanguage())
    assert [(v.id, v.best, v.blind) for v in again.votes()] == [
        (first.id, ("naive", "mix"), False),
        (second.id, ("naive",), True),
    ]
    (rate,) = win_rates(duel for v in again.votes() for duel in v.duels)
    assert (rate.variant, rate.wins, rate.ties, rate.losses) == ("naive", 1, 1, 0)


@pytest.mark.parametrize("best", [[], ["local"]])
def test_a_vote_names_what_was_compared(ferry: LightRAG, best: list[str]) -> None:
    comparison = ferry.compare("What was founded by Mara Quill?", ["naive", "mix"], answers=False)
    with pytest.raises(QueryError, match="at least one"):
        ferry.vote(comparison, best, blind=True)
    assert ferry.votes() == ()


@given(st.integers(2, 5), st.text(max_size=20))
def test_the_order_of_the_columns_depends_on_the_seed_alone(count: int, seed: str) -> None:
    order = shuffled(count, seed)
    assert sorted(order) == list(range(count))
    assert order == shuffled(count, seed)


def test_every_order_comes_up() -> None:
    assert len({shuffled(3, str(seed)) for seed in range(100)}) == 6
