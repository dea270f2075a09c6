"""igraph's random numbers: one generator for the whole process, replaced by a fixed one where it counts."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import igraph

_LOCK = threading.Lock()


@contextmanager
def fixed_chance(seed: int = 20) -> Iterator[random.Random]:
    """Give igraph the same random numbers every time, for a block, in one thread at a time."""
    chance = random.Random(seed)
    with _LOCK:
        igraph.set_random_number_generator(chance)
        try:
            yield chance
        finally:
            igraph.set_random_number_generator(random)
