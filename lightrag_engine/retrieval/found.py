"""What a mode finds, before it becomes tables: ranked keys, pairs and chunks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import networkx as nx

from lightrag_engine.records import Reason

Pair = tuple[str, str]
Item = TypeVar("Item", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Found:
    """Entities (folded names), relations (sorted pairs) and chunks (ids), each once, best first.

    `why` says of chunks how they were found. `dangling` counts vector hits of which the other stores know
    nothing.
    """

    entities: tuple[str, ...] = ()
    relations: tuple[Pair, ...] = ()
    chunks: tuple[str, ...] = ()
    dangling: int = 0
    why: Mapping[str, tuple[Reason, ...]] = field(default_factory=dict, compare=False)


def combine(*parts: Found) -> Found:
    """Return the rows of all parts, each once, those of earlier parts first."""
    return Found(
        entities=unique(key for part in parts for key in part.entities),
        relations=unique(pair for part in parts for pair in part.relations),
        chunks=unique(chunk for part in parts for chunk in part.chunks),
        dangling=sum(part.dangling for part in parts),
        why=JoinedReasons(parts),
    )


class JoinedReasons(Mapping[str, tuple[Reason, ...]]):
    """The reasons of all parts by chunk, those of earlier parts first; joined when one is looked up."""

    def __init__(self, parts: Sequence[Found]) -> None:
        self._parts = parts

    def __getitem__(self, chunk: str) -> tuple[Reason, ...]:
        reasons = reasons_of(chunk, self._parts)
        if not reasons:
            raise KeyError(chunk)
        return reasons

    def __iter__(self) -> Iterator[str]:
        return iter(unique(chunk for part in self._parts for chunk in part.why))

    def __len__(self) -> int:
        return len(set().union(*(part.why for part in self._parts)))


def reasons_of(chunk: str, parts: Iterable[Found]) -> tuple[Reason, ...]:
    """Return all reasons for a chunk, those of earlier parts first."""
    return tuple(reason for part in parts for reason in part.why.get(chunk, ()))


def unique(items: Iterable[Item]) -> tuple[Item, ...]:
    """Return each item once, in the order of first meeting."""
    return tuple(dict.fromkeys(items))


def relation_rank(graph: nx.Graph[str], pair: Pair) -> int:
    """Return the rank of an edge: degree(source) + degree(target)."""
    return int(graph.degree[pair[0]]) + int(graph.degree[pair[1]])


def sort_relations(graph: nx.Graph[str], pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """Return pairs by (rank, weight), both descending; the pair itself decides between equals."""
    return tuple(sorted(pairs, key=lambda pair: _order(graph, pair)))


def _order(graph: nx.Graph[str], pair: Pair) -> tuple[int, float, Pair]:
    a, b = pair
    return -len(graph[a]) - len(graph[b]), -float(graph.edges[pair]["weight"]), pair
