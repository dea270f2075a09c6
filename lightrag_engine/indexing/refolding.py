"""Folding a part of the graph again, and owing the vectors that change: what commits and edits share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lightrag_engine.identity.live_records import LiveRecords
from lightrag_engine.identity.state import Identity, Pair
from lightrag_engine.indexing.merging import Fold, Long, fold, pair_name, shorten
from lightrag_engine.indexing.vector_texts import (
    entity_vector,
    entity_vector_id,
    relation_vector,
    relation_vector_id,
)
from lightrag_engine.records import Entity, Relation
from lightrag_engine.storage.base import GraphChange, VectorRecord
from lightrag_engine.storage.workspace import Workspace

# Kept in the workspace: what waits for the model's summary, and what it refused.
_OWED = "summaries owed"
_REFUSED = "summaries refused"
Subjects = set[str | Pair]


@dataclass(frozen=True, slots=True)
class Written:
    """Summaries, and those among them that the model refused and were made without it."""

    texts: dict[Long, str] = field(default_factory=dict)
    stand_ins: set[Long] = field(default_factory=set)


def refold(
    workspace: Workspace,
    identity: Identity,
    keys: Iterable[str],
    pairs: Iterable[Pair],
    max_tokens: int,
    written: Written | None = None,
) -> list[Entity | Relation]:
    """Fold entities and pairs of entities again, inside the caller's transaction.

    Those of which nothing speaks any more are taken out. Only vectors whose text changed are owed. Of a
    description of more than `max_tokens` the summary is taken from what was `written`, or was said before;
    otherwise it is owed from now on. Returns what the model refused: it is owed again when anything changes.
    """
    store = LiveRecords(workspace.extractions, identity)
    keys, pairs = set(keys), set(pairs)
    found = fold(store, keys, pairs)
    renamed = [e.key for e in found.entities if (old := workspace.graph.entity(e.key)) and old.name != e.name]
    # Texts of edges hold the shown names of their ends.
    found += fold(store, (), set[Pair]().union(*map(workspace.graph.pairs_at, renamed)) - pairs)
    names = shown_names(workspace, found)
    owed, refused = owed_summaries(workspace, identity), refused_summaries(workspace, identity)
    # What only a stand-in shortened is not taken from there: the model may do it now.
    known = [
        *(workspace.graph.entity(e.key) for e in found.entities if e.key not in owed | refused),
        *(workspace.graph.relation(*r.pair) for r in found.relations if r.pair not in owed | refused),
    ]
    texts, stand_ins = (written.texts, written.stand_ins) if written else ({}, {})
    short, missing = shorten(found, names, texts, max_tokens, known)
    failed: dict[str | Pair, Entity | Relation] = {
        **{e.key: e for e in found.entities if (e.name, e.description) in stand_ins},
        **{r.pair: r for r in found.relations if (pair_name(r, names), r.description) in stand_ins},
    }
    folded = {*keys, *pairs, *(r.pair for r in found.relations)}
    left = refused - folded
    _note(workspace, _OWED, owed, (owed - folded).union(missing, () if written else left))
    _note(workspace, _REFUSED, refused, left.union(failed) if written else set())
    _owe_vectors(workspace, short, names, renamed)
    workspace.graph.apply(
        GraphChange(short.entities, short.relations, short.gone_entities, short.gone_relations)
    )
    return list(failed.values())


def owed_summaries(workspace: Workspace, identity: Identity) -> Subjects:
    """Return the entities and pairs of which only the beginning is there: the model has yet to be asked."""
    return _noted(workspace, identity, _OWED)


def refused_summaries(workspace: Workspace, identity: Identity) -> Subjects:
    """Return the entities and pairs that were shortened without the model, which gave no summary."""
    return _noted(workspace, identity, _REFUSED)


def _noted(workspace: Workspace, identity: Identity, row: str) -> Subjects:
    noted = workspace.about.get(row) or {}
    keys = {identity.resolve(key) for key in noted.get("keys", ())}
    return {*keys, *identity.pairs((low, high) for low, high in noted.get("pairs", ()))}


def _note(workspace: Workspace, row: str, before: Subjects, now: Subjects) -> None:
    if now:
        keys, pairs = split(now)
        workspace.about.put_many({row: {"keys": sorted(keys), "pairs": sorted(pairs)}})
    elif before:
        workspace.about.delete_many([row])


def split(subjects: Subjects) -> tuple[set[str], set[Pair]]:
    """Return the entities and the pairs among these."""
    keys = {subject for subject in subjects if isinstance(subject, str)}
    return keys, {subject for subject in subjects if not isinstance(subject, str)}


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
    new: dict[str, list[VectorRecord]] = {"entities": [], "relations": []}
    other: dict[str, list[VectorRecord]] = {"entities": [], "relations": []}
    for entity in found.entities:
        record, old = entity_vector(entity), graph.entity(entity.key)
        if old is None:
            new["entities"].append(record)
        elif entity_vector(old) != record:
            other["entities"].append(record)
    for relation in found.relations:
        record, known = relation_vector(relation, names), graph.relation(*relation.pair)
        if known is None:
            new["relations"].append(record)
        elif not changed.isdisjoint(relation.pair) or relation_vector(known, names) != record:
            other["relations"].append(record)
    for role in new:
        outbox.owe_upserts(role, new[role])
        outbox.owe_upserts(role, other[role], changes=True)
    outbox.owe_deletes("entities", [entity_vector_id(key) for key in found.gone_entities])
    outbox.owe_deletes("relations", [relation_vector_id(pair) for pair in found.gone_relations])
