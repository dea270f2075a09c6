"""Folding a part of the graph again, and owing the vectors that change: what commits and edits share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet

from lightrag_engine.identity.live_records import LiveRecords
from lightrag_engine.identity.state import Identity, Pair
from lightrag_engine.indexing.bounded import to_the_end
from lightrag_engine.indexing.merging import Fold, fold, pair_name, shorten
from lightrag_engine.indexing.summaries import Summaries
from lightrag_engine.indexing.vector_texts import (
    entity_vector,
    entity_vector_id,
    relation_vector,
    relation_vector_id,
)
from lightrag_engine.storage.base import GraphChange
from lightrag_engine.storage.workspace import Workspace

# Kept in the workspace: what was shortened without the model and is folded again with the next commit.
_OWED = "summaries owed"


class _SummariesMissingError(Exception):
    """Rolls the transaction back: summaries are written outside of it, then it is run again."""

    def __init__(self, missing: list[tuple[str, str]]) -> None:
        super().__init__(len(missing))
        self.missing = missing


async def with_summaries(transaction: Callable[[], None], summaries: Summaries) -> None:
    """Run a transaction that refolds, in a thread, until it has every summary that it needs.

    A cancellation stops it before the transaction or not at all.
    """
    while True:
        try:
            await to_the_end(asyncio.to_thread(transaction))
        except _SummariesMissingError as pause:
            await summaries.write(pause.missing)
        else:
            return


def refold(
    workspace: Workspace,
    identity: Identity,
    keys: Iterable[str],
    pairs: Iterable[Pair],
    summaries: Summaries,
) -> None:
    """Fold entities and pairs of entities again, inside the caller's transaction.

    Those of which nothing speaks any more are taken out. Only vectors whose text changed are owed.
    """
    store = LiveRecords(workspace.extractions, identity)
    owed_keys, owed_pairs = owed_summaries(workspace, identity)
    pairs = {*pairs, *owed_pairs}
    found = fold(store, {*keys, *owed_keys}, pairs)
    renamed = [e.key for e in found.entities if (old := workspace.graph.entity(e.key)) and old.name != e.name]
    # Texts of edges hold the shown names of their ends.
    found += fold(store, (), set[Pair]().union(*map(workspace.graph.pairs_at, renamed)) - pairs)
    names = shown_names(workspace, found)
    # What only the built-in language summarised is not taken from there: the model may do it now.
    known = [
        *(workspace.graph.entity(e.key) for e in found.entities if e.key not in owed_keys),
        *(workspace.graph.relation(*r.pair) for r in found.relations if r.pair not in owed_pairs),
    ]
    found, missing = shorten(found, names, summaries.texts, summaries.max_tokens, known)
    if missing:
        raise _SummariesMissingError(missing)
    _remember_stand_ins(workspace, found, names, summaries.stand_ins, bool(owed_keys or owed_pairs))
    _owe_vectors(workspace, found, names, renamed)
    workspace.graph.apply(
        GraphChange(found.entities, found.relations, found.gone_entities, found.gone_relations)
    )


def owed_summaries(workspace: Workspace, identity: Identity) -> tuple[set[str], set[Pair]]:
    """Return the entities and pairs whose descriptions were shortened without the model for now."""
    owed = workspace.about.get(_OWED) or {}
    keys = {identity.resolve(key) for key in owed.get("keys", ())}
    return keys, identity.pairs((low, high) for low, high in owed.get("pairs", ()))


def _remember_stand_ins(
    workspace: Workspace, found: Fold, names: Mapping[str, str], stand_ins: AbstractSet[str], owed: bool
) -> None:
    if stand_ins:
        keys = [entity.key for entity in found.entities if entity.name in stand_ins]
        pairs = [relation.pair for relation in found.relations if pair_name(relation, names) in stand_ins]
        workspace.about.put_many({_OWED: {"keys": keys, "pairs": pairs}})
    elif owed:
        workspace.about.delete_many([_OWED])


def shown_names(workspace: Workspace, found: Fold) -> dict[str, str]:
    """Return the shown names of all that a fold holds or whose ends it names."""
    names = {entity.key: entity.name for entity in found.entities}
    for relation in found.relations:
        for key in relation.pair:
            if key not in names:
                entity = workspace.graph.entity(key)
                names[key] = entity.name if entity else key
    return names


def _owe_vectors(workspace: Workspace, found: Fold, names: dict[str, str], renamed: Iterable[str]) -> None:
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
