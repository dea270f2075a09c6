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

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from lightrag_engine.names import fold_name
from lightrag_engine.retrieval.linking import NameTable, without_bracket

Scores = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
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
        spelled: list[tuple[str, int]] = []
        weights: dict[tuple[int, int], float] = {}
        for node, entity in enumerate(entities, start=first):
            spelled += [(name, node) for name in (entity.key, *entity.spellings)]
            for chunk in entity.source_ids:
                if chunk in place:
                    weights[node, place[chunk]] = 1.0
        known = {key: node for node, key in enumerate(self.keys, start=first)}
        for title, chunks in _by_title(titles).items():
            # A node of the graph bears the title, or one is made for it: its number is never 0.
            bearer = known.get(fold_name(title)) or known.get(fold_name(without_bracket(title)))
            node = bearer or first + len(self.keys)
            if bearer is None:
                self.keys.append("")
                self.shown.append(title)
            spelled.append((title, node))
            for chunk in chunks:
                weights[node, place[chunk]] = _TITLE_WEIGHT
        self.names = NameTable(spelled, common)
        self._place, self._first = place, first
        self._degrees, self._transitions = _transitions(weights, first + len(self.keys))

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
            if folded := fold_name(title):
                chunks.setdefault(shown.setdefault(folded, title), []).append(chunk)
    return chunks


def _transitions(weights: Mapping[tuple[int, int], float], nodes: int) -> tuple[Counts, csr_matrix]:
    """Return the passages of every node, and the matrix that moves scores along one step.

    `weights` are those from an entity to a chunk; back, an entity counts 1 / log(2 + its passages): rare
    ones say more. Columns are the nodes that scores come from, and sum to 1.
    """
    pairs = np.array(list(weights), dtype=np.int64).reshape(-1, 2)
    entities, chunks = pairs[:, 0], pairs[:, 1]
    degrees = np.bincount(entities, minlength=nodes)
    forth, back = np.array(list(weights.values())), 1 / np.log(2 + degrees[entities])
    cells = (np.r_[forth, back], (np.r_[chunks, entities], np.r_[entities, chunks]))
    matrix = csr_matrix(cells, shape=(nodes, nodes))
    sums = np.asarray(matrix.sum(axis=0)).ravel()
    sums[sums == 0] = 1
    matrix.data /= sums[matrix.indices]
    return degrees, matrix
