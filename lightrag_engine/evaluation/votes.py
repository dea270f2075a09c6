"""A person's blind votes: which answers of a comparison were best."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from lightrag_engine.errors import QueryError
from lightrag_engine.evaluation.statistics import Duel
from lightrag_engine.evaluation.variants import Variant
from lightrag_engine.storage.base import KeyValueStore

CRITERION = "your votes"


@dataclass(frozen=True, slots=True)
class Vote:
    """Which of some variants (codes) gave the best answer; several in `best` are a tie at the top.

    `language` wrote the answers of variants without a model of their own; `at` is seconds since the epoch.
    """

    id: str
    question: str
    variants: tuple[str, ...]
    best: tuple[str, ...]
    blind: bool
    language: str
    at: float

    @property
    def duels(self) -> tuple[Duel, ...]:
        """The pairs the vote decides: each best one against each other one, and ties among the best.

        Of two that are both not the best it says nothing.
        """
        found = []
        for position, first in enumerate(self.variants):
            for second in self.variants[position + 1 :]:
                tops = [name for name in (first, second) if name in self.best]
                if tops:
                    found.append(Duel(CRITERION, first, second, tops[0] if len(tops) == 1 else ""))
        return tuple(found)


def checked(variants: Sequence[Variant], best: Sequence[Variant]) -> None:
    """Raise `QueryError` when a vote names none of the variants, or another one."""
    if not best or not set(best) <= set(variants):
        raise QueryError(
            "A vote names at least one of the answers that were compared.",
            hint="Choose the best answer, or several if they are equally good.",
        )


def save(store: KeyValueStore, vote: Vote) -> None:
    """Keep a vote; one with the same id is replaced."""
    store.put_many({vote.id: asdict(vote)})


def load(store: KeyValueStore) -> tuple[Vote, ...]:
    """Return all votes, oldest first."""
    kept = store.get_many(list(store.keys()))
    votes = (
        Vote(**{**value, "variants": tuple(value["variants"]), "best": tuple(value["best"])})
        for value in kept.values()
    )
    return tuple(sorted(votes, key=lambda vote: (vote.at, vote.id)))


def shuffled(count: int, seed: str) -> tuple[int, ...]:
    """Return the positions of `count` columns in an order that only the seed decides.

    The same comparison keeps its order whenever the page is drawn anew.
    """
    order = list(range(count))
    random.Random(hashlib.blake2b(seed.encode()).digest()).shuffle(order)
    return tuple(order)
