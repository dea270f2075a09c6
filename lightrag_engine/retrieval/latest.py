"""The passage graph of the newest state of a workspace, or of a scope in it, made when first asked for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lightrag_engine.indexing.live import content_revision
from lightrag_engine.indexing.statuses import Statuses
from lightrag_engine.records import QueryParam
from lightrag_engine.retrieval.order import GraphOrder
from lightrag_engine.retrieval.passage_graph import Named, PassageGraph
from lightrag_engine.retrieval.scope import Scope, make_scope
from lightrag_engine.storage.workspace import Workspace

_SCOPES = 4  # that are kept
_Key = tuple[frozenset[str], frozenset[str]]  # documents and types


class LatestPassageGraph:
    """Makes the graph once a revision, and keeps the last scopes with theirs; safe to use from any thread."""

    def __init__(self, workspace: Workspace, statuses: Statuses) -> None:
        self._workspace, self._statuses = workspace, statuses
        self._lock = threading.Lock()
        self._revision = -1
        self._graph: PassageGraph | None = None
        self._scopes: dict[_Key, Scope] = {}
        self._graphs: dict[_Key, PassageGraph] = {}
        self._content = (-1, "")
        self._order: GraphOrder | None = None
        self._ordered = -1  # the revision of that

    def content_revision(self) -> str:
        """Return what `content_revision` does; read anew once something was written."""
        # Asked before reading: what is committed meanwhile counts as not read yet.
        commits = self._workspace.database.commits
        read_at, content = self._content
        if read_at != commits:
            content = content_revision(self._workspace)
            self._content = (commits, content)
        return content

    def get(self, scope: Scope | None = None) -> PassageGraph:
        """Return the graph as it is now, or that of a scope."""
        with self._lock:
            self._forget_old()
            if scope is not None:
                key = next((key for key, kept in self._scopes.items() if kept is scope), None)
                if key is None:  # of an older state
                    return self._make(scope)
                if key not in self._graphs:
                    self._graphs[key] = self._make(scope)
                return self._graphs[key]
            if self._graph is None:
                self._graph = self._make(None)
            return self._graph

    @contextmanager
    def order(self, scope: Scope | None = None) -> Iterator[GraphOrder]:
        """Hold the graph still, or that of a scope, while a block reads what hangs on its nodes."""
        if scope is not None:
            yield scope.order
            return
        store = self._workspace.graph
        with store.reading() as graph:
            if self._order is None or self._ordered != store.revision:
                self._order, self._ordered = GraphOrder(graph), store.revision
            yield self._order

    def scope(self, param: QueryParam) -> Scope | None:
        """Return what a question is restricted to, as it is now; None when to nothing."""
        key = (frozenset(param.documents), frozenset(param.entity_types))
        if not any(key):
            return None
        with self._lock:
            self._forget_old()
            if key not in self._scopes:
                if len(self._scopes) == _SCOPES:
                    oldest = next(iter(self._scopes))
                    del self._scopes[oldest]
                    self._graphs.pop(oldest, None)
                self._scopes[key] = make_scope(self._workspace, *key)
            return self._scopes[key]

    def _forget_old(self) -> None:
        revision = self._workspace.graph.revision
        if revision != self._revision:
            self._revision, self._graph = revision, None
            self._scopes.clear()
            self._graphs.clear()

    def _make(self, scope: Scope | None) -> PassageGraph:
        # Imported here: the built-in language takes a second, and only who reads or asks needs it.
        from lightrag_engine.language.builtin.detect import FUNCTION_WORDS

        titles: dict[str, list[str]] = {}
        for chunk, document in sorted(self._workspace.extractions.documents_of_chunks()):
            if scope is None or (chunk in scope.chunks and document in scope.documents):
                status = self._statuses.get(document)
                titles.setdefault(chunk, []).append(status.title if status else "")
        with self._workspace.graph.reading() as whole:
            entities = [
                Named(key, data["name"], data["spellings"], data["source_ids"])
                for key, data in (whole if scope is None else scope.graph).nodes(data=True)
            ]
        return PassageGraph(sorted(entities, key=lambda entity: entity.key), titles, FUNCTION_WORDS)
