"""All that a workspace holds, to compare two of them."""

from __future__ import annotations

import json
import time

import networkx as nx

from lightrag_engine import LightRAG


def everything(rag: LightRAG) -> dict[str, object]:
    """Return all that a workspace holds, in a form that two workspaces can be compared by."""
    workspace = rag._workspace
    while len(workspace.outbox) or workspace.about.get("summaries owed"):
        time.sleep(0.01)
    return {
        "graph": json.dumps(nx.node_link_data(rag.graph, edges="edges"), sort_keys=True),
        "chunks": workspace.chunks.get_many(list(workspace.chunks.keys())),
        "vectors": {name: sorted(store.text_hashes().items()) for name, store in workspace.vectors.items()},
        "texts": sorted(workspace.texts.keys()),
        "extractions": workspace.database.read("SELECT * FROM entity_records ORDER BY 1, 2"),
        "owed": len(workspace.outbox),
    }
