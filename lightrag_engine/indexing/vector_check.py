"""Comparing the three vector collections with the texts that should be in them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from lightrag_engine.check_report import EXAMPLES, Problem, ProblemKind
from lightrag_engine.indexing.vector_texts import all_vectors
from lightrag_engine.storage.base import VectorRecord, VectorsLostError, VectorStore
from lightrag_engine.storage.workspace import COLLECTIONS, Workspace

_SAMPLE = 200


def vectors_complete(workspace: Workspace) -> bool:
    """Whether as many vectors are there as should be: a look that costs next to nothing."""
    if len(workspace.outbox):
        return True  # what is missing is owed
    with workspace.graph.reading() as graph:
        entities, relations = graph.number_of_nodes(), graph.number_of_edges()
    expected = {"entities": entities, "relations": relations, "chunks": len(workspace.chunks)}
    refused = workspace.outbox.refused_counts()
    return all(
        len(workspace.vectors[role]) == number - refused.get(role, 0) for role, number in expected.items()
    )


def check_vectors(workspace: Workspace, *, repair: bool) -> list[Problem]:
    """Find vectors that are missing, of another text, or of nothing, owed ones counted as made.

    With `repair` the missing ones are owed, and the rest is owed to be removed.
    """
    outbox = workspace.outbox
    found: dict[ProblemKind, list[str]] = {}
    mends: list[Callable[[], None]] = []

    def note(kind: ProblemKind, ids: Collection[str], mend: Callable[[], None]) -> None:
        if ids:
            found.setdefault(kind, []).extend(ids)
            mends.append(mend)

    foreign = outbox.foreign(COLLECTIONS)
    note(ProblemKind.STRAY_OWED, foreign, partial(outbox.drop_foreign, COLLECTIONS))
    for role, records in all_vectors(workspace).items():
        store, expected = workspace.vectors[role], {record.id: record for record in records}
        # The outbox first: what is paid in between is then counted twice rather than not at all.
        owed = outbox.owed(role)
        present: dict[str, int | None] = dict(store.text_hashes())
        if damaged := _unreadable(store, sorted(present)):
            note(ProblemKind.VECTORS_DAMAGED, damaged, store.clear)
            present = {}
        present |= owed
        there = {id_: text_hash for id_, text_hash in present.items() if text_hash is not None}
        missing = [r for r in records if r.id not in there]
        refused = outbox.refused(role, missing)
        missing = [r for r in missing if r.id not in refused]
        stale = [r for r in records if r.id in there and there[r.id] != r.text_hash]
        strays = sorted(there.keys() - expected.keys())
        note(ProblemKind.VECTORS_MISSING, _texts(missing), partial(outbox.owe_upserts, role, missing))
        note(ProblemKind.VECTORS_STALE, _texts(stale), partial(outbox.owe_upserts, role, stale))
        note(ProblemKind.VECTORS_STRAY, strays, partial(outbox.owe_deletes, role, strays))
    if repair:
        for mend in mends:
            mend()
    return [
        Problem(kind, len(ids), tuple(ids[:EXAMPLES]), repair, _ACTIONS[kind] if repair else "")
        for kind, ids in found.items()
    ]


_ACTIONS = {
    ProblemKind.STRAY_OWED: "forgotten",
    ProblemKind.VECTORS_DAMAGED: "taken out, to be made anew",
    ProblemKind.VECTORS_MISSING: "being made anew",
    ProblemKind.VECTORS_STALE: "being made anew",
    ProblemKind.VECTORS_STRAY: "being removed",
}


def _texts(records: list[VectorRecord]) -> list[str]:
    return [" ".join(record.text.split())[:60] for record in records]


def _unreadable(store: VectorStore, ids: list[str]) -> list[str]:
    """Return all ids when the vectors of some, spread over the collection, cannot be read."""
    try:
        store.get(ids[:: max(1, len(ids) // _SAMPLE)])
    except VectorsLostError:
        return ids
    return []
