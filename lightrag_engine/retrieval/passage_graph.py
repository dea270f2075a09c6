"""Passages and the names in them as one matrix, on which a question's importance spreads.

A bipartite graph: a passage is joined to every entity that was read from it, and to the *title entity* of its
document, which need not occur in the text. Title entities live here only: the graph that people see
holds what the texts say.

The walk is personalised PageRank (Page et al., 1999; on passages and entities as in HippoRAG, Gutiérrez et
al., 2024), by power iteration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from lightrag_engine.names import fold_name
from lightrag_engine.retrieval.linking import NameTable, without_bracket

Scores = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Pairs = npt.NDArray[np.int64]
# An entity leads above all to the passage that is about it.
_TITLE_WEIGHT = 10.0
_DAMPING = 0.85
_ROUNDS = 20
_LONGEST_WAY = 3  # entities in the explanation of a way


@dataclass(frozen=True, slots=True)
class Named:
    """An entity as far as passages are found by it: its names, and the chunks in which it occurs."""

    key: str
    name: str
    spellings: tuple[str, ...]
    source_ids: tuple[str, ...]


class PassageGraph:
    """The matrix of one revision of a workspace. Nodes are numbers: first the chunks, then the entities.

    Parameters
    ----------
    entities
        Of every entity its key, the name shown, its spellings, and the chunks in which it occurs.
    titles
        The titles of each chunk's documents, for all chunks.
    common
        Words that are no names when they stand alone.
    """

    def __init__(
        self, entities: Sequence[Named], titles: Mapping[str, Sequence[str]], common: frozenset[str]
    ) -> None:
        self.chunks = tuple(titles)
        place = {chunk: number for number, chunk in enumerate(self.chunks)}
        first = len(self.chunks)
        self.keys = [entity.key for entity in entities]
        self.shown = [entity.name for entity in entities]
        spelled = [
            (name, node)
            for node, entity in enumerate(entities, start=first)
            for name in (entity.key, *entity.spellings)
        ]
        occurring = [[place[chunk] for chunk in e.source_ids if chunk in place] for e in entities]
        bearers: list[int] = []
        titled: list[list[int]] = []
        known = {key: node for node, key in enumerate(self.keys, start=first)}
        for title, chunks in _by_title(titles).items():
            # A node of the graph bears the title, or one is made for it: its number is never 0.
            bearer = known.get(_folded(title)) or known.get(_folded(without_bracket(title)))
            node = bearer or first + len(self.keys)
            if bearer is None:
                self.keys.append("")
                self.shown.append(title)
            spelled.append((title, node))
            bearers.append(node)
            titled.append([place[chunk] for chunk in chunks])
        self.names = NameTable(spelled, common)
        self._place, self._first = place, first
        self._degrees, self._transitions = _transitions(
            _joined(range(first, first + len(entities)), occurring),
            _joined(bearers, titled),
            first + len(self.keys),
        )

    def walk(self, seeds: Mapping[int, float]) -> Scores:
        """Return the importance of every node when each step starts again from the seeds now and then.

        Parameters
        ----------
        seeds
            Nodes with their share of the start; they need not add up to anything.

        Returns
        -------
        Scores
            Shape ``(nodes,)``, sum at most 1; all noughts when there are no seeds.
        """
        start = np.zeros(self._transitions.shape[0])
        for node, share in seeds.items():
            start[node] += share
        start /= start.sum() or 1.0
        scores = start
        for _ in range(_ROUNDS):
            scores = _DAMPING * (self._transitions @ scores) + (1 - _DAMPING) * start
        return scores

    def ranked(self, scores: Scores, limit: int) -> list[str]:
        """Return the chunks that a walk reached, most important first."""
        own = scores[: self._first]
        best = np.argsort(-own, kind="stable")[:limit]
        return [self.chunks[number] for number in best if own[number] > 0]

    def degree(self, node: int) -> int:
        """Return with how many passages an entity is joined."""
        return int(self._degrees[node])

    def entities(self, nodes: Iterable[int]) -> tuple[str, ...]:
        """Return the keys of those nodes that people see in the graph."""
        return tuple(key for node in nodes if (key := self.keys[node - self._first]))

    def way(self, chunk: str, scores: Scores, seeds: Mapping[int, float]) -> tuple[str, ...]:
        """Return the names that led a walk to a chunk, from a seed to the one that the chunk holds.

        Followed backwards along the strongest inflow; empty when that leads to no seed in a few steps.
        """
        names: list[str] = []
        node: int | None = self._place[chunk]
        while node is not None and len(names) < _LONGEST_WAY:
            entity = self._strongest(node, scores)
            if entity is None:
                break
            names.insert(0, self.shown[entity - self._first])
            if entity in seeds:
                return tuple(names)
            node = self._strongest(entity, scores, but=node)
        return ()

    def _strongest(self, node: int, scores: Scores, but: int = -1) -> int | None:
        """Return the neighbour from which most importance flows into a node."""
        row = slice(self._transitions.indptr[node], self._transitions.indptr[node + 1])
        sources = self._transitions.indices[row]
        flows = self._transitions.data[row] * scores[sources] * (sources != but)
        return int(sources[flows.argmax()]) if flows.size and flows.max() > 0 else None


def _by_title(titles: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the chunks of every title; titles that fold to the same name are one."""
    shown: dict[str, str] = {}
    chunks: dict[str, list[str]] = {}
    for chunk, mine in titles.items():
        for title in mine:
            if folded := _folded(title):
                chunks.setdefault(shown.setdefault(folded, title), []).append(chunk)
    return chunks


_folded = lru_cache(maxsize=50_000)(fold_name)  # titles, which are mostly the same at the next revision


def _joined(entities: Iterable[int], chunks: Sequence[Sequence[int]]) -> Pairs:
    """Return the pairs of each entity with its chunks, shape ``(2, pairs)``."""
    counts = [len(mine) for mine in chunks]
    flat = np.fromiter(chain.from_iterable(chunks), dtype=np.int64, count=sum(counts))
    return np.stack([np.repeat(np.fromiter(entities, dtype=np.int64, count=len(counts)), counts), flat])


def _transitions(occurring: Pairs, titled: Pairs, nodes: int) -> tuple[Counts, csr_matrix]:
    """Return the passages of every node, and the matrix that moves scores along one step.

    From an entity to a chunk a title weighs more than an occurrence, and counts in its place; back, an entity
    counts 1 / log(2 + its passages): rare ones say more. Columns are the nodes that scores come from, and
    sum to 1.
    """
    # The first of equal pairs is kept, so titles come first.
    pairs = np.concatenate([titled, occurring], axis=1)
    weights = np.repeat([_TITLE_WEIGHT, 1.0], [titled.shape[1], occurring.shape[1]])
    _, kept = np.unique(pairs[0] * nodes + pairs[1], return_index=True)
    (entities, chunks), forth = pairs[:, kept], weights[kept]
    degrees = np.bincount(entities, minlength=nodes)
    back = 1 / np.log(2 + degrees[entities])
    cells = (np.r_[forth, back], (np.r_[chunks, entities], np.r_[entities, chunks]))
    matrix = csr_matrix(cells, shape=(nodes, nodes))
    sums = np.asarray(matrix.sum(axis=0)).ravel()
    sums[sums == 0] = 1
    matrix.data /= sums[matrix.indices]
    return degrees, matrix
