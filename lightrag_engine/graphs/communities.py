"""Communities: groups of entities that are related among each other more than with the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import networkx as nx

from lightrag_engine.graphs.chance import fixed_chance
from lightrag_engine.graphs.indexed import Indexed, Pair, pair_of

_KEYWORDS = 4
_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Community:
    """A group: `members` (best connected first), what typically relates them, the number of `links` inside.

    `key` is its best connected member: it names the group in links, for numbers change with the graph.
    """

    key: str
    members: tuple[str, ...]
    keywords: tuple[str, ...]
    links: int


@dataclass(frozen=True, slots=True)
class Communities:
    """All groups, largest first; `number` gives the place of each entity's group in `groups`.

    `between` counts the relations from group to group. `modularity` (Newman, 2006) says how clearly the
    groups part: 0 as by chance, above about 0.3 clearly.
    """

    groups: tuple[Community, ...]
    number: Mapping[str, int]
    between: Mapping[tuple[int, int], int] = field(default_factory=dict)
    modularity: float = 0.0

    def of(self, key: str) -> Community | None:
        """Return the group of an entity."""
        return self.groups[self.number[key]] if key in self.number else None


def communities(graph: nx.Graph[str], by_number: Indexed) -> Communities:
    """Find communities by the algorithm of Leiden (Traag, Waltman and van Eck, 2019), as igraph does it.

    Modularity over the weights of relations; the same graph always gives the same groups.
    """
    if not by_number.keys:
        return Communities((), {})
    weights = [weight or 1e-9 for weight in by_number.weights]
    with fixed_chance():
        found = by_number.graph.community_leiden(
            objective_function="modularity", weights=weights, n_iterations=_ROUNDS
        )
    membership: list[int] = found.membership
    inside: Counter[str] = Counter()
    links: Counter[int] = Counter()
    between: Counter[tuple[int, int]] = Counter()
    words: dict[int, Counter[str]] = {}
    everywhere: Counter[str] = Counter()
    number = by_number.number
    for a, b in by_number.pairs:
        first, second = membership[number[a]], membership[number[b]]
        about = graph.edges[a, b].get("keywords", ())
        everywhere.update(about)
        if first == second:
            inside.update((a, b))
            links[first] += 1
            words.setdefault(first, Counter()).update(about)
        else:
            between[min(first, second), max(first, second)] += 1
    members: dict[int, list[str]] = {}
    for key, group in zip(by_number.keys, membership, strict=True):
        members.setdefault(group, []).append(key)
    for keys in members.values():
        keys.sort(key=lambda key: (-inside[key], -graph.degree(key), key))
    order = sorted(members, key=lambda group: (-len(members[group]), members[group][0]))
    place = {group: n for n, group in enumerate(order)}
    groups = tuple(
        Community(
            members[group][0],
            tuple(members[group]),
            _typical(words.get(group, Counter()), everywhere),
            links[group],
        )
        for group in order
    )
    counted: dict[tuple[int, int], int] = {}
    for (first, second), count in between.items():
        ends = sorted((place[first], place[second]))
        counted[ends[0], ends[1]] = count
    return Communities(
        groups,
        {key: place[group] for key, group in zip(by_number.keys, membership, strict=True)},
        counted,
        float(found.modularity) if by_number.pairs else 0.0,
    )


def _typical(here: Counter[str], everywhere: Counter[str]) -> tuple[str, ...]:
    """Return the keywords that are frequent here and rare elsewhere: count times share, ties by alphabet."""
    scored = sorted(here, key=lambda word: (-here[word] * here[word] / everywhere[word], word))
    return tuple(scored[:_KEYWORDS])


def links_between(graph: nx.Graph[str], found: Communities, first: int, second: int) -> list[Pair]:
    """Return the relations that join two communities, heaviest first."""
    here = found.groups[first].members
    pairs = {
        pair_of(key, other)
        for key in here
        for other in graph.neighbors(key)
        if found.number.get(other) == second
    }
    return sorted(pairs, key=lambda pair: (-float(graph.edges[pair].get("weight", 0.0)), pair))
