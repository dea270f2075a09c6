"""From ranked keys, pairs and chunks to the rows of the three tables."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType

import networkx as nx

from lightrag_engine.indexing.statuses import Statuses
from lightrag_engine.records import Citation, EntityRow, Reason, RelationRow, SourceText
from lightrag_engine.retrieval.found import Pair, relation_rank
from lightrag_engine.storage.workspace import Workspace


def entity_rows(graph: nx.Graph[str], keys: Sequence[str], first: int = 1) -> tuple[EntityRow, ...]:
    """Return the entities table, numbered from `first`; rank is the degree."""
    return tuple(
        EntityRow(
            id=number,
            entity=node["name"],
            type=node["type"],
            description=node["description"],
            rank=int(graph.degree[key]),
            key=key,
        )
        for number, key in enumerate(keys, start=first)
        for node in (graph.nodes[key],)
    )


def relation_rows(graph: nx.Graph[str], pairs: Sequence[Pair], first: int = 1) -> tuple[RelationRow, ...]:
    """Return the relations table, numbered from `first`, ends in the direction that was stated."""
    return tuple(
        RelationRow(
            id=number,
            source=graph.nodes[edge["source_key"]]["name"],
            target=graph.nodes[edge["target_key"]]["name"],
            keywords=", ".join(edge["keywords"]),
            description=edge["description"],
            weight=float(edge["weight"]),
            rank=relation_rank(graph, pair),
            source_ids=edge["source_ids"],
            source_key=edge["source_key"],
            target_key=edge["target_key"],
        )
        for number, pair in enumerate(pairs, start=first)
        for edge in (graph.edges[pair],)
    )


def source_rows(
    workspace: Workspace,
    statuses: Statuses,
    chunk_ids: Sequence[str],
    why: Mapping[str, tuple[Reason, ...]] = MappingProxyType({}),
    first: int = 1,
    documents: AbstractSet[str] | None = None,
) -> tuple[SourceText, ...]:
    """Return the sources table: each chunk that is known, with document, page and the reasons for it.

    Rows are numbered from `first`. A chunk that stands in several documents is shown with the first one by
    name, among `documents` if these are given.
    """
    contents = workspace.chunks.get_many(list(chunk_ids))
    places: dict[str, tuple[str, str, str]] = {}
    for row in workspace.extractions.placements_of(contents):
        status = statuses.get(row["document_id"])
        if status is not None and (documents is None or status.id in documents):
            place = (status.name, page_label(row["page_first"], row["page_last"]), status.id)
            places[row["chunk_id"]] = min(places.get(row["chunk_id"], place), place)
    known = [id_ for id_ in chunk_ids if id_ in contents and id_ in places]
    return tuple(
        SourceText(
            id=number,
            content=contents[id_]["content"],
            document=places[id_][0],
            page=places[id_][1],
            chunk_id=id_,
            document_id=places[id_][2],
            why=why.get(id_, ()),
        )
        for number, id_ in enumerate(known, start=first)
    )


def cited_pages(workspace: Workspace, citation: Citation) -> str:
    """Return the pages of the sentences that a citation uses, else its own, as `page_label` does."""
    kept = workspace.texts.get(citation.document_id)
    places = [
        row
        for row in workspace.extractions.placements_of([citation.chunk_id])
        if row["document_id"] == citation.document_id
    ]
    if not kept or not kept["pages"] or not places or not citation.sentences:
        return citation.page
    numbers, starts = zip(*kept["pages"], strict=True)
    found = sorted(
        numbers[max(0, bisect_right(starts, places[0]["start"] + offset) - 1)]
        for sentence in citation.sentences
        if (offset := citation.content.find(sentence)) >= 0
    )
    return page_label(found[0], found[-1]) if found else citation.page


def page_label(first: int | None, last: int | None) -> str:
    """Return ``12``, ``12-13``, or nothing for a text without pages."""
    if first is None:
        return ""
    return str(first) if last in (None, first) else f"{first}-{last}"
