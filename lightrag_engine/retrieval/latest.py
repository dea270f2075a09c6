"""The passage graph of the newest state of a workspace, made when it is first asked for."""

from __future__ import annotations

import threading

from lightrag_engine.indexing.statuses import Statuses
from lightrag_engine.retrieval.passage_graph import Named, PassageGraph
from lightrag_engine.storage.workspace import Workspace


class LatestPassageGraph:
    """Makes the graph once a revision; safe to use from any thread."""

    def __init__(self, workspace: Workspace, statuses: Statuses) -> None:
        self._workspace, self._statuses = workspace, statuses
        self._lock = threading.Lock()
        self._revision = -1
        self._graph = PassageGraph((), {}, frozenset())

    def get(self) -> PassageGraph:
        """Return the graph as it is now."""
        with self._lock:
            revision = self._workspace.graph.revision
            if revision != self._revision:
                self._graph, self._revision = self._make(), revision
            return self._graph

    def _make(self) -> PassageGraph:
        # Imported here: the built-in language takes a second, and only who reads or asks needs it.
        from lightrag_engine.language.builtin.detect import FUNCTION_WORDS

        titles: dict[str, list[str]] = {}
        for chunk, document in sorted(self._workspace.extractions.documents_of_chunks()):
            status = self._statuses.get(document)
            titles.setdefault(chunk, []).append(status.title if status else "")
        with self._workspace.graph.reading() as graph:
            entities = [
                Named(key, data["name"], data["spellings"], data["source_ids"])
                for key, data in graph.nodes(data=True)
            ]
        return PassageGraph(sorted(entities, key=lambda entity: entity.key), titles, FUNCTION_WORDS)
