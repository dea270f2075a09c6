"""A question restricted to some documents or entity types: the part of the workspace that counts.

Within documents everything is as if the workspace held no others: an entity of several documents keeps its
name and type, but is described by what these say, and counts the relations that they state. Of entity types,
the entities count, the relations between two of them, and the passages in which one occurs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import networkx as nx

from lightrag_engine.errors import QueryError
from lightrag_engine.identity.live_records import LiveRecords
from lightrag_engine.indexing.merging import Fold, fold
from lightrag_engine.indexing.statuses import Statuses
from lightrag_engine.indexing.vector_texts import entity_vector_id, relation_vector_id
from lightrag_engine.names import fold_name
from lightrag_engine.records import EntityRow, QueryParam, RelationRow
from lightrag_engine.retrieval.found import Pair
from lightrag_engine.retrieval.order import GraphOrder
from lightrag_engine.storage.workspace import Workspace
from lightrag_engine.tokens import longer_than

_LONGEST = 500  # tokens of a description
_NAMED = 12  # types or documents that a message lists


@dataclass(frozen=True)
class Scope:
    """What a question may be answered from.

    `documents` are the ids of those that count, `by_document` says whether they were chosen. `graph` holds
    copies of the entities and relations in scope, their `source_ids` being the `chunks` of the scope in which
    they occur.
    """

    documents: frozenset[str]
    graph: nx.Graph[str]
    chunks: frozenset[str]
    by_document: bool = True

    @cached_property
    def entity_vectors(self) -> frozenset[str]:
        """The ids of the vectors of all entities."""
        return frozenset(map(entity_vector_id, self.graph))

    @cached_property
    def order(self) -> GraphOrder:
        """What hangs on the entities in scope."""
        return GraphOrder(self.graph)

    @cached_property
    def relation_vectors(self) -> frozenset[str]:
        """The ids of the vectors of all relations."""
        return frozenset(relation_vector_id((min(pair), max(pair))) for pair in self.graph.edges)


def check_scope(workspace: Workspace, statuses: Statuses, param: QueryParam) -> QueryParam:
    """Return the parameters with the scope as the workspace writes it.

    Raises
    ------
    QueryError
        When a document or a type is not there; the message says which.
    """
    if not (param.documents or param.entity_types):
        return param
    for document in param.documents:
        if statuses.get(document) is None:
            raise QueryError(
                f"There is no document with the id {document!r} in this workspace.",
                hint="It may have been deleted: choose among the documents that are here.",
            )
    if not param.entity_types:
        return param
    with workspace.graph.reading() as graph:
        known = {
            fold_name(type_): type_ for type_ in sorted({node["type"] for _, node in graph.nodes.items()})
        }
    types = []
    for wanted in param.entity_types:
        if fold_name(wanted) not in known:
            here = ", ".join(list(known.values())[:_NAMED]) or "none, for there are no entities"
            raise QueryError(
                f"There is no entity of the type {wanted!r} in this workspace.",
                hint=f"The types here: {here}.",
            )
        types.append(known[fold_name(wanted)])
    return replace(param, entity_types=tuple(types))


def make_scope(workspace: Workspace, documents: AbstractSet[str], types: AbstractSet[str]) -> Scope:
    """Return the part of a workspace that some documents (all, if none is given) and types make up."""
    placed = workspace.extractions.documents_of_chunks()
    counting = documents or {document for _, document in placed}
    chunks = frozenset(chunk for chunk, document in placed if document in counting)
    read = workspace.extractions.within(documents) if documents else workspace.extractions
    identity = workspace.edits.identity
    of_keys, of_pairs = read.chunks_by_name()
    entities: dict[str, dict[str, None]] = {}
    relations: dict[Pair, dict[str, None]] = {}
    for key, found in of_keys.items():
        entities.setdefault(identity.resolve(key), {}).update(dict.fromkeys(found))
    declared = frozenset(entities)
    for record_pair, found in of_pairs.items():
        for key in map(identity.resolve, record_pair):
            if key not in declared:
                entities.setdefault(key, {}).update(dict.fromkeys(found))
        for pair in identity.pairs([record_pair]):
            relations.setdefault(pair, {}).update(dict.fromkeys(found))
    scoped: nx.Graph[str] = nx.Graph()
    with workspace.graph.reading() as graph:
        for key, node in graph.nodes.items():
            # What a person added stands in no document.
            in_documents = key in entities or not documents
            if in_documents and (not types or node["type"] in types):
                scoped.add_node(key, **{**node, "source_ids": tuple(entities.get(key, ()))})
        for a, b, edge in graph.edges(data=True):
            pair = (min(a, b), max(a, b))
            if a in scoped and b in scoped and (pair in relations or not documents):
                scoped.add_edge(a, b, **{**edge, "source_ids": tuple(relations.get(pair, ()))})
    if types:
        occurring = {chunk for _, node in scoped.nodes.items() for chunk in node["source_ids"]}
        chunks &= occurring
    return Scope(frozenset(counting), scoped, chunks, by_document=bool(documents))


def entities_within(workspace: Workspace, scope: Scope, rows: Sequence[EntityRow]) -> tuple[EntityRow, ...]:
    """Return rows of the entities table with what the documents in scope say, where others say more.

    A row of which nothing is left, because a document has just gone, is left out.
    """
    with workspace.graph.reading() as graph:
        keys = {row.key for row in rows if row.key in graph and not _told(graph.nodes[row.key], scope.chunks)}
    found = _folded(workspace, scope, keys, ())
    told = {entity.key: entity.description for entity in found.entities}
    return tuple(
        replace(row, description=_bounded(row.entity, told[row.key])) if row.key in told else row
        for row in rows
        if row.key not in found.gone_entities
    )


def relations_within(
    workspace: Workspace, scope: Scope, rows: Sequence[RelationRow]
) -> tuple[RelationRow, ...]:
    """Return rows of the relations table as `entities_within` does those of entities."""
    with workspace.graph.reading() as graph:
        pairs = {
            pair
            for row in rows
            if graph.has_edge(*(pair := _pair(row))) and not _told(graph.edges[pair], scope.chunks)
        }
    found = _folded(workspace, scope, (), pairs)
    stated = {relation.pair: relation for relation in found.relations}
    return tuple(
        replace(
            row,
            description=_bounded(f"{row.source} – {row.target}", relation.description),
            keywords=", ".join(relation.keywords),
            weight=relation.weight,
        )
        if (relation := stated.get(_pair(row))) is not None
        else row
        for row in rows
        if _pair(row) not in found.gone_relations
    )


def _folded(workspace: Workspace, scope: Scope, keys: Iterable[str], pairs: Iterable[Pair]) -> Fold:
    store = workspace.extractions.within(scope.documents)
    return fold(LiveRecords(store, workspace.edits.identity), keys, pairs)


def scope_line(statuses: Statuses, param: QueryParam) -> str:
    """Return a sentence for a person that says to what a question was restricted; empty when to nothing."""
    names = [status.name for id_ in param.documents if (status := statuses.get(id_)) is not None]
    parts = [
        *([f"in {_listed([f'“{name}”' for name in names])}"] if names else ()),
        *([f"about entities of the type {_listed(param.entity_types)}"] if param.entity_types else ()),
    ]
    if not parts:
        return ""
    return f"The question was restricted to what stands {' '.join(parts)}."


def _told(attributes: Mapping[str, Any], chunks: AbstractSet[str]) -> bool:
    """Whether nothing but these chunks tells of an entity or a relation."""
    return not attributes["left_out"] and chunks >= set(attributes["source_ids"])


def _pair(row: RelationRow) -> Pair:
    return (min(row.source_key, row.target_key), max(row.source_key, row.target_key))


def _bounded(name: str, description: str) -> str:
    if not longer_than(description, _LONGEST):
        return description
    # Imported here: the built-in language takes a second, and only long descriptions need it.
    from lightrag_engine.language.builtin.summarise import summarise

    return summarise(name, description.splitlines(), _LONGEST)


def _listed(items: Sequence[str]) -> str:
    if len(items) > _NAMED:
        items = [*items[: _NAMED - 1], f"{len(items) - _NAMED + 1} more"]
    return " or ".join(filter(None, (", ".join(items[:-1]), items[-1])))
