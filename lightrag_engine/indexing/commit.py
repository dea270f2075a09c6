"""Committing a document: placements, graph, chunks and owed vectors change in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from lightrag_engine.indexing.merging import SEPARATOR, Fold, fold, shorten
from lightrag_engine.indexing.vector_texts import (
    chunk_vector,
    entity_vector,
    entity_vector_id,
    relation_vector,
    relation_vector_id,
)
from lightrag_engine.language.base import LanguageModel
from lightrag_engine.storage.base import GraphChange
from lightrag_engine.storage.extractions import Placement
from lightrag_engine.storage.workspace import Workspace

Summaries = dict[tuple[str, str], str]


class _SummariesMissingError(Exception):
    """Rolls the transaction back: summaries are written outside of it, then it is run again."""

    def __init__(self, missing: list[tuple[str, str]]) -> None:
        super().__init__(len(missing))
        self.missing = missing


async def commit_document(
    workspace: Workspace,
    language: LanguageModel,
    max_summary_tokens: int,
    document_id: str,
    placements: Sequence[Placement],
    lock: asyncio.Lock,
) -> None:
    """Make these the live chunks of a document (none: remove it from graph, chunks and vectors).

    Only what the old and the new chunks speak of is folded again. `lock` keeps commits one at a time.
    """
    summaries: Summaries = {}
    async with lock:
        while True:
            try:
                await asyncio.to_thread(
                    _commit, workspace, summaries, max_summary_tokens, document_id, placements
                )
                return
            except _SummariesMissingError as pause:
                for name, description in pause.missing:
                    summaries[name, description] = await language.summarise(
                        name, description.split(SEPARATOR), max_summary_tokens
                    )


def _commit(
    workspace: Workspace,
    summaries: Summaries,
    max_summary_tokens: int,
    document_id: str,
    placements: Sequence[Placement],
) -> None:
    store = workspace.extractions
    with workspace.database.transaction():
        if placements and workspace.documents.get(document_id) is None:
            return  # deleted meanwhile
        before = store.placements(document_id)
        touched = {row["extraction_id"] for row in before} | {p.extraction_id for p in placements}
        keys, pairs = store.keys_of(touched)
        if placements:
            store.place(document_id, placements)
        else:
            store.remove(document_id)
            workspace.texts.delete_many([document_id])
            workspace.documents.delete_many([document_id])
        found = fold(store, keys, pairs)
        renamed = [
            e.key for e in found.entities if (old := workspace.graph.entity(e.key)) and old.name != e.name
        ]
        # Texts of edges hold the shown names of their ends.
        found = fold(store, keys, pairs.union(*(workspace.graph.pairs_at(key) for key in renamed)))
        names = _shown_names(workspace, found)
        found, missing = shorten(found, names, summaries, max_summary_tokens)
        if missing:
            raise _SummariesMissingError(missing)
        _owe_graph_vectors(workspace, found, names, renamed)
        workspace.graph.apply(
            GraphChange(found.entities, found.relations, found.gone_entities, found.gone_relations)
        )
        _change_chunks(workspace, placements, {row["chunk_id"] for row in before})


def _shown_names(workspace: Workspace, found: Fold) -> dict[str, str]:
    names = {entity.key: entity.name for entity in found.entities}
    for relation in found.relations:
        for key in relation.pair:
            if key not in names:
                entity = workspace.graph.entity(key)
                names[key] = entity.name if entity else key
    return names


def _owe_graph_vectors(
    workspace: Workspace, found: Fold, names: dict[str, str], renamed: Iterable[str]
) -> None:
    graph, outbox = workspace.graph, workspace.outbox
    changed = set(renamed)
    outbox.owe_upserts(
        "entities",
        [
            entity_vector(entity)
            for entity in found.entities
            if (old := graph.entity(entity.key)) is None or entity_vector(old) != entity_vector(entity)
        ],
    )
    outbox.owe_upserts(
        "relations",
        [
            relation_vector(relation, names)
            for relation in found.relations
            if (known := graph.relation(*relation.pair)) is None
            or not changed.isdisjoint(relation.pair)
            or relation_vector(known, names) != relation_vector(relation, names)
        ],
    )
    outbox.owe_deletes("entities", [entity_vector_id(key) for key in found.gone_entities])
    outbox.owe_deletes("relations", [relation_vector_id(pair) for pair in found.gone_relations])


def _change_chunks(workspace: Workspace, placements: Sequence[Placement], before: set[str]) -> None:
    chunks = {p.chunk.id: p.chunk for p in placements}
    known = workspace.chunks.get_many(list(chunks))
    new = [chunk for id_, chunk in chunks.items() if id_ not in known]
    still_used = {row["chunk_id"] for row in workspace.extractions.placements_of(before)}
    gone = sorted(before - still_used)
    workspace.chunks.put_many({c.id: {"content": c.content, "tokens": c.tokens} for c in new})
    workspace.chunks.delete_many(gone)
    workspace.outbox.owe_upserts("chunks", [chunk_vector(chunk.id, chunk.content) for chunk in new])
    workspace.outbox.owe_deletes("chunks", gone)
