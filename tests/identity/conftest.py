"""What the tests of edits share: reading out a workspace, and folding it anew from its records."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from lightrag_engine import LightRAG
from lightrag_engine.identity.live_records import LiveRecords
from lightrag_engine.indexing.merging import fold
from lightrag_engine.indexing.vector_texts import all_vectors
from lightrag_engine.records import Entity, Relation

Everything = Callable[[LightRAG], dict[str, Any]]


def shown(rag: LightRAG) -> tuple[list[Entity], list[Relation]]:
    """Return the graph as it is kept."""
    graph = rag._workspace.graph
    entities = [graph.entity(key) for key in rag.graph]
    relations = [graph.relation(*pair) for pair in rag.graph.edges]
    return [e for e in entities if e], [r for r in relations if r]


def folded_anew(rag: LightRAG) -> tuple[list[Entity], list[Relation]]:
    """Return the graph as it follows from nothing but the records and the log of edits."""
    workspace, identity = rag._workspace, rag._workspace.edits.replayed()
    ids = [id_ for (id_,) in workspace.database.read("SELECT extraction_id FROM placements")]
    keys, pairs = workspace.extractions.keys_of(ids)
    keys |= {*identity.added}.union(*identity.added_relations)
    pairs |= set(identity.added_relations)
    found = fold(
        LiveRecords(workspace.extractions, identity),
        {identity.resolve(key) for key in keys},
        identity.pairs(pairs),
    )
    return list(found.entities), list(found.relations)


def read_out(rag: LightRAG) -> dict[str, Any]:
    """Return all that edits may touch: graph in memory and on disk, and the texts that have vectors."""
    workspace = rag._workspace
    deadline = time.monotonic() + 60
    while len(workspace.outbox) and time.monotonic() < deadline:
        time.sleep(0.005)
    return {
        "graph": shown(rag),
        "rows": [
            workspace.database.read(f"SELECT * FROM {table} ORDER BY 1, 2") for table in ("nodes", "edges")
        ],
        "vectors": {role: store.text_hashes() for role, store in workspace.vectors.items()},
        "owed": len(workspace.outbox),
    }


def check(rag: LightRAG) -> None:
    """Check that what is kept is what follows from the records, and that every vector is of its text."""
    assert shown(rag) == folded_anew(rag)
    expected = {
        role: {r.id: r.text_hash for r in records} for role, records in all_vectors(rag._workspace).items()
    }
    assert read_out(rag)["vectors"] == expected


@pytest.fixture
def filled(rag: LightRAG) -> LightRAG:
    """A workspace in which two people, one of them under two names, met in a port."""
    rag.insert(
        ["Pierre met Tobias Renn. Pierre built Port Ansel.", "Pierre Curie left Port Ansel."], ["a", "b"]
    )
    return rag
