"""Committing documents: placements, graph, chunks and owed vectors change in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from lightrag_engine.indexing.bounded import to_the_end
from lightrag_engine.indexing.merging import Fold, fold, pair_name, shorten
from lightrag_engine.indexing.summaries import Summaries
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

Placed = Mapping[str, Sequence[Placement]]
# Kept in the workspace: what was shortened without the model and is folded again with the next commit.
_OWED = "summaries owed"


class ExtractionsMissingError(Exception):
    """Chunks lost their extraction since they were read: its only document was deleted. Read them again."""


class _SummariesMissingError(Exception):
    """Rolls the transaction back: summaries are written outside of it, then it is run again."""

    def __init__(self, missing: list[tuple[str, str]]) -> None:
        super().__init__(len(missing))
        self.missing = missing


async def commit_documents(
    workspace: Workspace,
    language: LanguageModel,
    max_summary_tokens: int,
    documents: Placed,
    lock: asyncio.Lock,
    *,
    wait_for_server: bool = True,
    also: Callable[[], None] = lambda: None,
) -> int:
    """Make these the live chunks of documents (none: remove it from graph, chunks and vectors), all at once.

    Only what the old and the new chunks speak of is folded again. `lock` keeps commits one at a time. `also`
    is done in the same transaction. A summary that the model refuses is made by the built-in language, and
    by the model with a later commit; without `wait_for_server` that goes for a server that is away, too.
    Returns how many there are of these. A cancellation stops it before the transaction or not at all.

    Raises
    ------
    ExtractionsMissingError
        When a chunk is neither read nor recorded as failed. Nothing is changed then.
    ServerAwayError
        When a summary needs a server that is away; see `wait_for_server`.
    """
    summaries = Summaries(language, max_summary_tokens, wait_for_server)
    async with lock:
        while True:
            try:
                await to_the_end(asyncio.to_thread(_commit, workspace, summaries, documents, also))
            except _SummariesMissingError as pause:
                await summaries.write(pause.missing)
            else:
                return len(summaries.stand_ins)


def _commit(workspace: Workspace, summaries: Summaries, documents: Placed, also: Callable[[], None]) -> None:
    store = workspace.extractions
    with workspace.database.transaction():
        placements = [placement for placed in documents.values() for placement in placed]
        if any(placed and workspace.documents.get(id_) is None for id_, placed in documents.items()):
            return  # deleted meanwhile
        if {p.extraction_id for p in placements} - store.recorded([p.extraction_id for p in placements]):
            raise ExtractionsMissingError
        before = [row for document_id in documents for row in store.placements(document_id)]
        touched = {row["extraction_id"] for row in before} | {p.extraction_id for p in placements}
        keys, pairs = store.keys_of(touched)
        owed = workspace.about.get(_OWED) or {}
        keys |= set(owed.get("keys", ()))
        pairs |= {(low, high) for low, high in owed.get("pairs", ())}
        # First those that stay: what a new version shares with the old one is kept.
        for document_id, placed in sorted(documents.items(), key=lambda item: not item[1]):
            if placed:
                store.place(document_id, placed)
                continue
            store.remove(document_id)
            if workspace.work.get(document_id) is not None:
                store.discard(document_id)  # what was read of it and never merged
            for values in (workspace.texts, workspace.documents, workspace.work, workspace.reports):
                values.delete_many([document_id])
        found = fold(store, keys, pairs)
        renamed = [
            e.key for e in found.entities if (old := workspace.graph.entity(e.key)) and old.name != e.name
        ]
        # Texts of edges hold the shown names of their ends.
        found = fold(store, keys, pairs.union(*(workspace.graph.pairs_at(key) for key in renamed)))
        names = _shown_names(workspace, found)
        found, missing = shorten(found, names, summaries.texts, summaries.max_tokens)
        if missing:
            raise _SummariesMissingError(missing)
        _remember_stand_ins(workspace, found, names, summaries.stand_ins, bool(owed))
        _owe_graph_vectors(workspace, found, names, renamed)
        workspace.graph.apply(
            GraphChange(found.entities, found.relations, found.gone_entities, found.gone_relations)
        )
        _change_chunks(workspace, placements, {row["chunk_id"] for row in before})
        also()


def _remember_stand_ins(
    workspace: Workspace, found: Fold, names: Mapping[str, str], stand_ins: AbstractSet[str], owed: bool
) -> None:
    if stand_ins:
        keys = [entity.key for entity in found.entities if entity.name in stand_ins]
        pairs = [relation.pair for relation in found.relations if pair_name(relation, names) in stand_ins]
        workspace.about.put_many({_OWED: {"keys": keys, "pairs": pairs}})
    elif owed:
        workspace.about.delete_many([_OWED])


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
