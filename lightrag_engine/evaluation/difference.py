"""Who found what: every row of any variant's tables once, overlaps, and one graph of all that was found."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx

from lightrag_engine.evaluation.comparing import Comparison
from lightrag_engine.evaluation.variants import Variant
from lightrag_engine.names import fold_name
from lightrag_engine.records import EntityRow, RelationRow, SourceText
from lightrag_engine.retrieval.context import Context

KINDS = ("entities", "relations", "sources")
Row = EntityRow | RelationRow | SourceText
Matrix = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, slots=True)
class FoundRow:
    """Something that was found. `ranks` has one place a variant: its row there, from 1, or None.

    `looked` is how many variants look for such things: naive ones look for sources only.
    """

    key: str
    label: str
    detail: str
    ranks: tuple[int | None, ...]
    looked: int

    @property
    def count(self) -> int:
        """How many variants found it."""
        return sum(rank is not None for rank in self.ranks)

    @property
    def found_by(self) -> str:
        """Whether ``all``, ``some`` or only ``one`` of the variants that look for such things found it."""
        return "all" if self.count == self.looked else "one" if self.count == 1 else "some"


@dataclass(frozen=True, slots=True)
class Difference:
    """The three tables over all variants, and how much the variants' tables have in common.

    Rows found by most variants come first, among equals those that stand highest somewhere. `overlaps` holds
    for each kind a square matrix in the order of `variants`: |A ∩ B| / |A ∪ B| (Jaccard), 0 to 1, and None
    where neither found anything, or one does not look for such things.
    """

    variants: tuple[Variant, ...]
    entities: tuple[FoundRow, ...]
    relations: tuple[FoundRow, ...]
    sources: tuple[FoundRow, ...]
    overlaps: dict[str, Matrix]

    def rows(self, kind: str) -> tuple[FoundRow, ...]:
        """Return the rows of one of `KINDS`."""
        return {"entities": self.entities, "relations": self.relations, "sources": self.sources}[kind]

    def counts(self, kind: str) -> dict[str, int]:
        """Return how many rows of a kind were found by all, some, one."""
        rows = self.rows(kind)
        return {which: sum(row.found_by == which for row in rows) for which in ("all", "some", "one")}


def difference(comparison: Comparison) -> Difference:
    """Return who found what; a variant whose retrieval failed counts as one that found nothing."""
    contexts = [result.context or Context(result.variant.mode) for result in comparison.results]
    tables = {}
    overlaps = {}
    for kind in KINDS:
        looks = [kind == "sources" or variant.mode != "naive" for variant in comparison.variants]
        columns = [_rows(context, kind) for context in contexts]
        tables[kind] = _table(columns, sum(looks))
        matrix = overlap_matrix([_keys(rows) for rows in columns])
        overlaps[kind] = tuple(
            tuple(cell if looks[i] and looks[j] else None for j, cell in enumerate(row))
            for i, row in enumerate(matrix)
        )
    return Difference(
        comparison.variants, tables["entities"], tables["relations"], tables["sources"], overlaps
    )


def jaccard(first: Collection[str], second: Collection[str]) -> float | None:
    """Return the size of the intersection over that of the union; None when both are empty.

    Examples
    --------
    >>> jaccard({"a", "b"}, {"b", "c"})
    0.3333333333333333
    """
    union = set(first) | set(second)
    return len(set(first) & set(second)) / len(union) if union else None


def overlap_matrix(found: Sequence[Collection[str]]) -> Matrix:
    """Return the Jaccard index of every two collections; symmetric, 1 on the diagonal."""
    return tuple(tuple(jaccard(a, b) for b in found) for a in found)


def union_graph(comparison: Comparison, shown: Iterable[int] | None = None) -> nx.Graph[str]:
    """Return all entities and relations that the variants found, as one graph.

    `shown` are the positions of the variants that count, all by default. Nodes have ``name``, ``type``,
    ``description``; edges ``keywords``, ``description``, ``weight``; both ``found_by``, a tuple of
    positions. An entity that only stands at an end of a relation is a node with an empty ``found_by``.
    """
    positions = range(len(comparison.results)) if shown is None else sorted(set(shown))
    graph: nx.Graph[str] = nx.Graph()
    for position in positions:
        context = comparison.results[position].context
        if context is None:
            continue
        for row in context.entity_rows:
            node = _node(graph, key_of(row), row.entity)
            node |= {"type": row.type, "description": row.description}
            node["found_by"] += (position,)
        for relation in context.relation_rows:
            ends = (
                relation.source_key or fold_name(relation.source),
                relation.target_key or fold_name(relation.target),
            )
            for key, name in zip(ends, (relation.source, relation.target), strict=True):
                _node(graph, key, name)
            earlier = graph.edges[ends]["found_by"] if graph.has_edge(*ends) else ()
            graph.add_edge(
                *ends,
                keywords=tuple(relation.keywords.split(", ")) if relation.keywords else (),
                description=relation.description,
                weight=relation.weight,
                found_by=(*earlier, position),
            )
    return graph


def key_of(row: Row) -> str:
    """Return what makes two rows the same thing: a folded name, a sorted pair of them, a chunk id."""
    if isinstance(row, SourceText):
        return row.chunk_id
    if isinstance(row, EntityRow):
        return row.key or fold_name(row.entity)
    ends = (row.source_key or fold_name(row.source), row.target_key or fold_name(row.target))
    return "\n".join(sorted(ends))


def _node(graph: nx.Graph[str], key: str, name: str) -> dict[str, Any]:
    if key not in graph:
        graph.add_node(key, name=name, type="", description="", found_by=())
    node: dict[str, Any] = graph.nodes[key]
    return node


def _rows(context: Context, kind: str) -> Sequence[Row]:
    rows: dict[str, Sequence[Row]] = {
        "entities": context.entity_rows,
        "relations": context.relation_rows,
        "sources": context.source_rows,
    }
    return rows[kind]


def _keys(rows: Sequence[Row]) -> list[str]:
    return [key_of(row) for row in rows]


def _table(columns: Sequence[Sequence[Row]], looked: int) -> tuple[FoundRow, ...]:
    ranks = [{key: rank for rank, key in reversed(list(enumerate(_keys(rows), start=1)))} for rows in columns]
    shown = {key_of(row): row for rows in reversed(columns) for row in rows}
    found = [
        FoundRow(key, *_words(row), tuple(column.get(key) for column in ranks), looked)
        for key, row in shown.items()
    ]
    return tuple(sorted(found, key=lambda row: (-row.count, _best(row), row.key)))


def _best(row: FoundRow) -> int:
    return min(rank for rank in row.ranks if rank is not None)


def _words(row: Row) -> tuple[str, str]:
    if isinstance(row, SourceText):
        place = f"{row.document}, p. {row.page}" if row.page else row.document
        return place, row.content
    if isinstance(row, EntityRow):
        return row.entity, row.description
    return f"{row.source} – {row.target}", row.description
