"""Entities that may be one and the same: candidates, the evidence for each, and the reasons in words."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import networkx as nx

from lightrag_engine.identity.candidates import by_name
from lightrag_engine.identity.name_likeness import Likeness, compare
from lightrag_engine.identity.names import Name
from lightrag_engine.identity.nearest import nearest
from lightrag_engine.identity.state import Pair, sorted_pair
from lightrag_engine.names import fold_name
from lightrag_engine.records import UNKNOWN_TYPE
from lightrag_engine.storage.base import VectorStore
from lightrag_engine.storage.workspace import Workspace

LEAST_SCORE = 0.5
# What two of these have in common says nothing: they are told apart by a digit.
_NEVER = frozenset({"date", "quantity"})
_CLOSE = 0.2  # how far above the usual similarity says something, of the way from there to 1


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two entities that may be one; the second is the one to keep: its name is fuller or better known.

    `score` is from 0 to 1; `reasons` are for a person, the strongest first.
    """

    keys: tuple[str, str]
    names: tuple[str, str]
    types: tuple[str, str]
    score: float
    reasons: tuple[str, ...]


class DuplicateFinder:
    """Finds the duplicates of a workspace; what was found is kept for as long as the graph stays the same."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._of: tuple[nx.Graph[str], VectorStore] | None = None
        self._found: list[Duplicate] = []

    async def find(self, limit: int) -> list[Duplicate]:
        """Return pairs of entities that may be one and the same, most likely first."""
        self._workspace.check_open()
        return await asyncio.to_thread(self._find, limit)

    def _find(self, limit: int) -> list[Duplicate]:
        # Whoever asks meanwhile waits for the same answer.
        with self._lock:
            now = self._workspace.graph.graph, self._workspace.vectors["entities"]
            owed = len(self._workspace.outbox)
            if self._of is None or any(old is not new for old, new in zip(self._of, now, strict=True)):
                self._found = _search(*now)
                # With vectors still to come, there may be more to find.
                self._of = None if owed else now
            found = self._found
        told_apart = self._workspace.edits.identity.not_the_same
        return [d for d in found if sorted_pair(*d.keys) not in told_apart][:limit]


def _search(graph: nx.Graph[str], store: VectorStore) -> list[Duplicate]:
    names = names_of(graph)
    scripts = {key: (graph.nodes[key]["type"], spelled[0].script) for key, spelled in names.items()}
    about, vectors = store.everything()
    close = nearest([str(one["entity_name"]) for one in about], vectors, scripts)
    return duplicates(graph, names, close)


def names_of(graph: nx.Graph[str]) -> dict[str, list[Name]]:
    """Return all names of the nodes that can be told from each other by name."""
    return {
        key: [
            Name.of(text)
            for text in dict.fromkeys([key, *node["aliases"], *map(fold_name, node["spellings"])])
        ]
        for key, node in graph.nodes(data=True)
        if node["type"] not in _NEVER
    }


def duplicates(
    graph: nx.Graph[str], names: Mapping[str, list[Name]], close: Mapping[Pair, float]
) -> list[Duplicate]:
    """Return all pairs of nodes that may be one and the same, most likely first.

    `names` are those of the nodes in question, `close` is what `nearest` says of them.
    """
    alike = {pair: best for pair in by_name(names) if (best := _compare(names, pair))}
    holders = Counter(
        pair[1 - likeness.fuller]
        for pair, likeness in alike.items()
        if likeness.is_part and likeness.fuller is not None
    )
    found = [
        duplicate
        for pair in {*alike, *close}
        if (duplicate := _judge(graph, pair, alike.get(pair), close.get(pair, 0.0), holders))
    ]
    return sorted(found, key=lambda d: (-d.score, d.keys))


def _compare(names: Mapping[str, list[Name]], pair: Pair) -> Likeness | None:
    found = [compare(a, b) for a in names[pair[0]] for b in names[pair[1]]]
    return max((f for f in found if f), key=lambda f: f.score, default=None)


def _judge(
    graph: nx.Graph[str], pair: Pair, likeness: Likeness | None, closeness: float, holders: Counter[str]
) -> Duplicate | None:
    a, b = (graph.nodes[key] for key in pair)
    shared = len(set(graph[pair[0]]) & set(graph[pair[1]]))
    if not set(a["source_ids"]).isdisjoint(b["source_ids"]):
        closeness = 0.0  # what one passage says of both is alike, whoever they are
    score, reasons = _by_name(pair, likeness, holders, "person" in (a["type"], b["type"]))
    if likeness is None:
        scripts = {Name.of(key).script for key in pair}
        if closeness < _CLOSE or (len(scripts) == 1 and (shared < 2 or graph.has_edge(*pair))):
            return None
        score = 0.4
        if len(scripts) > 1:
            reasons.append("the names are in two scripts")
    if closeness >= _CLOSE:
        score += 0.4 * closeness
        reasons.append("described alike")
    if shared:
        score += min(0.2, 0.07 * shared)
        reasons.append(f"{shared} shared neighbour{'s' if shared > 1 else ''}")
    if UNKNOWN_TYPE not in (a["type"], b["type"]):
        same = a["type"] == b["type"]
        score += 0.05 if same else -0.3
        reasons.append(f"both of type {a['type']}" if same else f"but of types {a['type']} and {b['type']}")
    if score < LEAST_SCORE:
        return None
    keep = likeness.fuller if likeness and likeness.fuller is not None else int(b["weight"] > a["weight"])
    order = (0, 1) if keep else (1, 0)
    return Duplicate(
        keys=(pair[order[0]], pair[order[1]]),
        names=((a, b)[order[0]]["name"], (a, b)[order[1]]["name"]),
        types=((a, b)[order[0]]["type"], (a, b)[order[1]]["type"]),
        score=round(min(score, 1.0), 3),
        reasons=tuple(reasons),
    )


def _by_name(
    pair: Pair, likeness: Likeness | None, holders: Counter[str], is_person: bool
) -> tuple[float, list[str]]:
    if likeness is None:
        return 0.0, []
    if not likeness.is_part or likeness.fuller is None:
        return likeness.score, [likeness.reason]
    # "Curie" is a part of the names of several people, and may be either.
    others = holders[pair[1 - likeness.fuller]] - 1
    reason = likeness.reason
    if others:
        reason += f", but also of {others} other{'s' if others > 1 else ''}"
    return likeness.score - 0.12 * others - (0.0 if is_person else 0.1), [reason]
