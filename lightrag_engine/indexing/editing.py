"""Committing an edit: the log, the graph and the owed vectors change in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from lightrag_engine.identity.edits import Edit
from lightrag_engine.identity.live_records import LiveRecords
from lightrag_engine.identity.state import Identity, Pair
from lightrag_engine.indexing.bounded import to_the_end
from lightrag_engine.indexing.refolding import refold
from lightrag_engine.records import UNKNOWN_TYPE
from lightrag_engine.storage.edits import EditLog
from lightrag_engine.storage.workspace import Workspace

Change = Callable[[EditLog], Edit]


async def commit_edit(
    workspace: Workspace, max_summary_tokens: int, change: Change, lock: asyncio.Lock
) -> Edit:
    """Change the log of edits and fold again what that touches; return the edit.

    `change` is called inside the transaction; what it raises leaves everything as it was. `lock` is that of
    the commits of documents. Vectors and summaries are owed afterwards.
    """
    done: list[Edit] = []

    def transaction() -> None:
        with workspace.database.transaction():
            before = workspace.edits.identity
            edit = change(workspace.edits)
            after = workspace.edits.replayed()
            keys, pairs = _touched(workspace, before, after)
            refold(workspace, after, keys, pairs, max_summary_tokens)
        done.append(edit)

    async with lock:
        await to_the_end(asyncio.to_thread(transaction))
    return done[-1]


def _touched(workspace: Workspace, before: Identity, after: Identity) -> tuple[set[str], set[Pair]]:
    """Return the entities and pairs that two states of the edits may show differently."""
    keys: set[str] = set()
    pairs: set[Pair] = set()
    for key in {*before.members, *before.keys, *after.members, *after.keys}:
        records_differ = _records_of(before, key) != _records_of(after, key)
        if records_differ or before.overrides.get(key) != after.overrides.get(key):
            keys.add(key)
        if records_differ:
            for identity in (before, after):
                records = LiveRecords(workspace.extractions, identity)
                pairs |= _pairs_of(records.record_pairs_at(key), before, after)
    pairs |= _pairs_of(before.hidden_pairs ^ after.hidden_pairs, before, after)
    changed = {
        pair
        for pair in {*before.added_relations, *after.added_relations}
        if before.added_relations.get(pair) != after.added_relations.get(pair)
    }
    pairs |= _pairs_of(changed, before, after)
    pairs |= {
        pair
        for pair in {*before.relation_overrides, *after.relation_overrides}
        if before.relation_overrides.get(pair) != after.relation_overrides.get(pair)
    }
    # An end that only its relations speak of comes and goes with them.
    keys |= {end for pair in pairs for end in pair if _may_lean_on_relations(workspace, end)}
    return keys, pairs


def _records_of(identity: Identity, key: str) -> tuple[object, ...]:
    members = identity.members_of(key)
    return (
        members,
        [member for member in members if member in identity.hidden],
        [identity.added[member] for member in members if member in identity.added],
    )


def _pairs_of(record_pairs: set[Pair] | frozenset[Pair], before: Identity, after: Identity) -> set[Pair]:
    return before.pairs(record_pairs) | after.pairs(record_pairs)


def _may_lean_on_relations(workspace: Workspace, key: str) -> bool:
    entity = workspace.graph.entity(key)
    return entity is None or entity.type == UNKNOWN_TYPE or bool(entity.edited)
