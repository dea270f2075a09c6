"""What stands out in a graph: central entities, parts, surprising relations, types over documents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
import pandas as pd

from lightrag_engine.graphs.chance import fixed_chance
from lightrag_engine.graphs.communities import Communities
from lightrag_engine.graphs.indexed import Indexed
from lightrag_engine.records import UNKNOWN_TYPE

_EXACT_BETWEENNESS = 1000  # nodes
_SAMPLED_SOURCES = 200


@dataclass(frozen=True, slots=True)
class Summary:
    """A graph in numbers. `density` is the share of possible relations that are there.

    Of the `communities` those of a single entity are not counted.
    """

    entities: int
    relations: int
    components: int
    largest_component: int
    isolated: int
    density: float
    mean_degree: float
    communities: int
    modularity: float


def summary(graph: nx.Graph[str], by_number: Indexed, found: Communities) -> Summary:
    """Return a graph in numbers."""
    sizes = by_number.graph.connected_components().sizes() if by_number.keys else []
    nodes, edges = len(by_number.keys), len(by_number.pairs)
    return Summary(
        entities=nodes,
        relations=edges,
        components=len(sizes),
        largest_component=max(sizes, default=0),
        isolated=sum(degree == 0 for _, degree in graph.degree),
        density=2 * edges / (nodes * (nodes - 1)) if nodes > 1 else 0.0,
        mean_degree=2 * edges / nodes if nodes else 0.0,
        communities=sum(len(group.members) > 1 for group in found.groups),
        modularity=found.modularity,
    )


def pagerank(by_number: Indexed) -> dict[str, float]:
    """Return PageRank (Brin and Page, 1998; damping 0.85) over the weights of relations; sums up to 1."""
    if not by_number.keys:
        return {}
    weights = [weight or 1e-9 for weight in by_number.weights]
    scores = by_number.graph.pagerank(weights=weights if weights else None, directed=False)
    return dict(zip(by_number.keys, map(float, scores), strict=True))


def betweenness(by_number: Indexed) -> dict[str, float]:
    """Return the share of shortest paths that pass an entity, 0 to 1 (Freeman, 1977).

    Above 1,000 entities estimated from the paths that start at 200 evenly drawn ones (Brandes and Pich,
    2007).
    """
    nodes = len(by_number.keys)
    if nodes < 3:
        return dict.fromkeys(by_number.keys, 0.0)
    if nodes <= _EXACT_BETWEENNESS:
        sources, scale = None, 1.0
    else:
        with fixed_chance() as chance:
            sources = sorted(chance.sample(range(nodes), _SAMPLED_SOURCES))
        scale = nodes / _SAMPLED_SOURCES
    scores = by_number.graph.betweenness(directed=False, sources=sources)
    most = (nodes - 1) * (nodes - 2) / 2
    return {
        key: min(float(score) * scale / most, 1.0) for key, score in zip(by_number.keys, scores, strict=True)
    }


def betweenness_is_sampled(by_number: Indexed) -> bool:
    """Whether `betweenness` is an estimate for this graph."""
    return len(by_number.keys) > _EXACT_BETWEENNESS


def centrality_table(
    graph: nx.Graph[str], by_number: Indexed, found: Communities, ranks: Mapping[str, float]
) -> pd.DataFrame:
    """Return a row an entity: key, entity, type, degree, weight (of its relations), pagerank, betweenness,
    community (from 1) and component (from 1, largest first); best connected first.
    """
    parts = by_number.graph.connected_components().membership if by_number.keys else []
    sizes = pd.Series(parts, dtype="int64").value_counts()
    order = {part: n for n, part in enumerate(sorted(sizes.index, key=lambda p: (-sizes[p], p)), start=1)}
    between = betweenness(by_number)
    rows = [
        (
            key,
            str(graph.nodes[key].get("name", key)),
            graph.nodes[key].get("type") or UNKNOWN_TYPE,
            graph.degree(key),
            sum(float(edge.get("weight", 0.0)) for edge in graph[key].values()),
            ranks.get(key, 0.0),
            between[key],
            found.number[key] + 1,
            order[parts[n]],
        )
        for n, key in enumerate(by_number.keys)
    ]
    columns = {
        "key": "str", "entity": "str", "type": "str", "degree": "int64", "weight": "float64",
        "pagerank": "float64", "betweenness": "float64", "community": "int64", "component": "int64",
    }  # fmt: skip
    table = pd.DataFrame(rows, columns=list(columns)).astype(columns)
    return table.sort_values(["degree", "pagerank", "key"], ascending=[False, False, True], ignore_index=True)


def surprising_relations(graph: nx.Graph[str], found: Communities, limit: int = 50) -> pd.DataFrame:
    """Return the relations between communities that one would expect least, most surprising first.

    Two communities with together ``a`` and ``b`` ends of relations, of ``2m`` in all, would by chance share
    ``a * b / 2m`` relations (the configuration model of Newman and Girvan, 2004). `surprise` is the logarithm
    (base 2) of how many times fewer they share, and grows with the degree of the less connected end: that two
    well connected entities of groups that hardly meet are related is news; a stray leaf is not. Columns:
    low_key, high_key, source, target, keywords, description, weight, surprise.
    """
    ends = [0] * len(found.groups)
    for key, degree in graph.degree:
        ends[found.number[key]] += int(degree)
    total = max(sum(ends), 1)
    rows = []
    for a, b, data in graph.edges(data=True):
        first, second = sorted((found.number[a], found.number[b]))
        if first == second:
            continue
        expected = ends[first] * ends[second] / total
        fewer = math.log2(max(expected / found.between[first, second], 1.0))
        rarer = min(graph.degree(a), graph.degree(b))
        source, target = data.get("source_key", a), data.get("target_key", b)
        rows.append(
            (
                min(a, b),
                max(a, b),
                str(graph.nodes[source].get("name", source)),
                str(graph.nodes[target].get("name", target)),
                ", ".join(data.get("keywords", ())),
                str(data.get("description", "")),
                float(data.get("weight", 0.0)),
                fewer * math.log2(1 + rarer),
            )
        )
    rows.sort(key=lambda row: (-row[-1], row[0], row[1]))
    columns = dict.fromkeys(("low_key", "high_key", "source", "target", "keywords", "description"), "str")
    kinds = {**columns, "weight": "float64", "surprise": "float64"}
    return pd.DataFrame(rows[:limit], columns=list(kinds)).astype(kinds)


def types_by_document(
    graph: nx.Graph[str], documents_of: Mapping[str, Sequence[str]], names: Mapping[str, str]
) -> pd.DataFrame:
    """Return how many entities of a type a document names: columns document, type, entities.

    `documents_of` gives the ids of the documents of each entity, `names` the name of each id.
    """
    counts: dict[tuple[str, str], int] = {}
    for key, data in graph.nodes(data=True):
        kind = data.get("type") or UNKNOWN_TYPE
        for id_ in documents_of.get(key, ()):
            if id_ in names:
                counts[names[id_], kind] = counts.get((names[id_], kind), 0) + 1
    rows = [(*place, count) for place, count in sorted(counts.items())]
    kinds = {"document": "str", "type": "str", "entities": "int64"}
    return pd.DataFrame(rows, columns=list(kinds)).astype(kinds)
