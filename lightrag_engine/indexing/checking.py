"""The self-check of a workspace: everything that is stored twice, or follows from something else, compared.

What documents hold leads: texts, chunks and readings are never thrown away because something else is missing,
but the other way round, graph and vectors are made anew from them. The steps go in the order in which one
thing follows from another, so that a repair lays the ground for the next.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from lightrag_engine.check_report import EXAMPLES, CheckReport, Problem, ProblemKind
from lightrag_engine.conversations.store import ConversationStore
from lightrag_engine.identity.live_records import LiveRecords
from lightrag_engine.identity.state import Pair
from lightrag_engine.indexing.chunking import chunk_id
from lightrag_engine.indexing.merging import Long, fold, pair_name, shorten
from lightrag_engine.indexing.refolding import (
    Written,
    owed_summaries,
    refold,
    refused_summaries,
    shown_names,
)
from lightrag_engine.indexing.statuses import Statuses
from lightrag_engine.indexing.vector_check import check_vectors
from lightrag_engine.records import DocumentState, DocumentStatus
from lightrag_engine.storage.networkx_graph import NetworkXGraph
from lightrag_engine.storage.originals import PART
from lightrag_engine.storage.workspace import Workspace
from lightrag_engine.tokens import count

_UNFINISHED = (DocumentState.FAILED, DocumentState.PAUSED)


class Check:
    """One check of a workspace. Nobody commits to it meanwhile; what is being read or embedded goes on.

    `read_again` says, afterwards, which documents must be put into the queue, and whether they must be read
    from their files anew.
    """

    def __init__(self, workspace: Workspace, statuses: Statuses, max_summary_tokens: int) -> None:
        self._workspace = workspace
        self._statuses = statuses
        self._limit = max_summary_tokens
        self._problems: list[Problem] = []
        self._repair = False
        self.read_again: dict[str, bool] = {}

    async def run(self, *, repair: bool) -> CheckReport:
        """Compare everything, and with `repair` put right what can be.

        A summary that is missing for the repair of an entity or a relation is owed afterwards.
        """
        started, self._repair = time.monotonic(), repair
        await asyncio.to_thread(self._check_database)
        await asyncio.to_thread(self._check_documents)
        await asyncio.to_thread(self._check_conversations)
        # Not in a thread: between a file and its row in the list nothing else happens in the loop.
        self._check_files()
        await self._check_graph()
        self._problems += await asyncio.to_thread(check_vectors, self._workspace, repair=repair)
        return CheckReport(tuple(self._problems), self._counts(), time.monotonic() - started)

    def _counts(self) -> tuple[tuple[str, int], ...]:
        workspace = self._workspace
        counts = {
            "documents": len(workspace.documents),
            "chunks": len(workspace.chunks),
            "entities": len(workspace.graph.graph),
            "relations": workspace.graph.graph.number_of_edges(),
        }
        vectors = sum(map(len, workspace.vectors.values()))
        return (*counts.items(), ("vectors", vectors))

    def _note(
        self,
        kind: ProblemKind,
        found: Collection[str],
        action: str = "",
        mend: Callable[[], None] | None = None,
    ) -> None:
        """Note what was found, if anything, and mend it if that is asked for and possible."""
        if not found:
            return
        mended = self._repair and mend is not None
        if mended and mend is not None:
            mend()
        examples = tuple(sorted(found)[:EXAMPLES])
        self._problems.append(Problem(kind, len(found), examples, mended, action if mended else ""))

    # The database file

    def _check_database(self) -> None:
        faults = _faults(self._workspace)
        if faults and self._repair:
            # Damage is often in an index alone, and those can be made anew.
            try:
                with self._workspace.database.transaction() as connection:
                    connection.execute("REINDEX")
            except sqlite3.DatabaseError as error:
                faults.append(str(error))
        left = _faults(self._workspace) if faults and self._repair else faults
        if faults:
            mended = self._repair and not left
            action = "its indexes were made anew" if mended else ""
            self._problems.append(
                Problem(ProblemKind.DATABASE, len(faults), tuple(faults[:EXAMPLES]), mended, action)
            )

    # Documents, texts, chunks, placements, readings

    def _check_documents(self) -> None:
        self._check_texts()
        self._check_list()
        self._check_chunks()
        self._check_readings()
        self._check_strays()

    def _check_texts(self) -> None:
        """Put the text of a document together from its chunks where it is missing."""
        workspace, store = self._workspace, self._workspace.extractions
        texts = set(workspace.texts.keys())
        placed = {id_ for (id_,) in workspace.database.read("SELECT DISTINCT document_id FROM placements")}
        rebuilt, gone = {}, []
        for id_ in sorted(placed - texts):
            rows = store.placements(id_)
            chunks = workspace.chunks.get_many([row["chunk_id"] for row in rows])
            if all(row["chunk_id"] in chunks for row in rows):
                rebuilt[id_] = _text_of(id_, rows, chunks, self._statuses.get(id_))
            elif self._statuses.get(id_) is not None:
                gone.append(id_)
        self._note(
            ProblemKind.LOST_TEXT,
            [self._name(id_) for id_ in rebuilt],
            "put together from the chunks",
            lambda: workspace.texts.put_many(rebuilt),
        )
        in_file = [id_ for id_ in gone if workspace.originals.has(id_)]
        self._note(
            ProblemKind.LOST_TEXT,
            [self._name(id_) for id_ in in_file],
            "read again from the files",
            lambda: self.read_again.update(dict.fromkeys(in_file, True)),
        )
        lost = set(gone).difference(in_file)
        self._note(ProblemKind.LOST_TEXT, [self._name(id_) for id_ in lost])

    def _check_list(self) -> None:
        """List the documents again whose text is there."""
        texts = self._workspace.texts
        lost = sorted(set(texts.keys()) - {status.id for status in self._statuses.all()})

        def mend() -> None:
            now = time.time()
            for id_, kept in texts.get_many(lost).items():
                status = DocumentStatus(
                    id=id_,
                    name=self._statuses.free_name(kept["name"]),
                    names=(kept["name"],),
                    media_type=kept["media_type"],
                    size=kept["size"],
                    state=DocumentState.QUEUED,
                    title=kept["title"],
                    encoding=kept["encoding"],
                    added_at=now,
                    updated_at=now,
                    state_since=now,
                )
                self._statuses.put(status)
                self.read_again.setdefault(id_, False)

        self._note(ProblemKind.LOST_DOCUMENT, lost, "back in the list", mend)

    def _check_chunks(self) -> None:
        """Cut chunks out of the text again where they are missing."""
        workspace = self._workspace
        rows = workspace.database.read(
            "SELECT document_id, chunk_id, start, end FROM placements AS p WHERE NOT EXISTS "
            "(SELECT 1 FROM kv WHERE namespace = 'chunks' AND key = p.chunk_id)"
        )
        texts = workspace.texts.get_many(sorted({row[0] for row in rows}))
        cut, lost = {}, set()
        for document_id, id_, start, end in rows:
            content = texts[document_id]["text"][start:end] if document_id in texts else ""
            if chunk_id(content) == id_:
                cut[id_] = {"content": content, "tokens": count(content)}
            elif document_id in texts:
                lost.add(document_id)
        self._note(
            ProblemKind.LOST_CHUNK,
            list(cut),
            "cut out of the documents again",
            lambda: workspace.chunks.put_many(cut),
        )
        self._note(
            ProblemKind.LOST_CHUNK,
            [self._name(id_) for id_ in lost],
            "the documents are read again",
            lambda: self.read_again.update(dict.fromkeys(lost, True)),
        )

    def _check_readings(self) -> None:
        rows = self._workspace.database.read(
            "SELECT DISTINCT document_id FROM placements AS p WHERE NOT EXISTS "
            "(SELECT 1 FROM kv WHERE namespace = 'extractions' AND key = p.extraction_id)"
        )
        texts = set(self._workspace.texts.keys())
        again = [id_ for (id_,) in rows if id_ in texts]
        self._note(
            ProblemKind.LOST_READING,
            [self._name(id_) for id_ in again],
            "the documents are read again",
            lambda: self.read_again.update({id_: self.read_again.get(id_, False) for id_ in again}),
        )

    def _check_strays(self) -> None:
        """Remove what belongs to no document; a document whose text is there was listed again before."""
        workspace, database = self._workspace, self._workspace.database
        known = {status.id for status in self._statuses.all()} | set(workspace.texts.keys())
        placed = {id_ for (id_,) in database.read("SELECT DISTINCT document_id FROM placements")}
        strays = sorted(placed - known)
        self._note(
            ProblemKind.STRAY_PLACE,
            strays,
            "removed",
            lambda: workspace.extractions.remove_all(strays),
        )
        used = {id_ for (id_,) in database.read("SELECT DISTINCT chunk_id FROM placements")}
        unused = sorted(set(workspace.chunks.keys()) - used)
        self._note(ProblemKind.STRAY_CHUNK, unused, "removed", lambda: workspace.chunks.delete_many(unused))
        # Of a document that is under way, or will be tried again, nothing that was read is thrown away.
        if not any(s.state.active or s.state in _UNFINISHED for s in self._statuses.all()):
            self._note(
                ProblemKind.STRAY_READING,
                workspace.extractions.unused(),
                "removed",
                partial(workspace.extractions.purge, parts=True),
            )

        self._check_rows()

    def _check_conversations(self) -> None:
        """List conversations again of which only turns are there."""
        store = ConversationStore(self._workspace.database)
        strays = store.strays()
        self._note(
            ProblemKind.STRAY_TURN, strays, "back in the list", lambda: store.adopt(strays, time.time())
        )

    def _check_rows(self) -> None:
        """Remove what is noted about work on documents, or how they were read, that are not there."""
        noted = [(store, set(store.keys())) for store in (self._workspace.work, self._workspace.reports)]
        known = {status.id for status in self._statuses.all()} | set(self._workspace.texts.keys())
        strays = [(store, sorted(keys - known)) for store, keys in noted]

        def mend() -> None:
            for store, keys in strays:
                store.delete_many(keys)

        self._note(ProblemKind.STRAY_ROW, [key for _, keys in strays for key in keys], "removed", mend)

    def _check_files(self) -> None:
        """Put original files of no document aside, and remove those that were written only in part.

        They are not deleted: where an older database was put in the place of a damaged one, they are all
        that is left of documents.
        """
        known = {status.id for status in self._statuses.all()} | set(self._workspace.texts.keys())
        strays = self._workspace.originals.strays(known)

        def mend() -> None:
            aside = self._workspace.unclaimed
            for path in strays:
                if path.suffix == PART:
                    path.unlink(missing_ok=True)
                else:
                    aside.mkdir(exist_ok=True)
                    path.replace(aside / path.name)

        action = f"put into the folder {self._workspace.unclaimed.name}"
        self._note(ProblemKind.STRAY_FILE, [path.name for path in strays], action, mend)

    def _name(self, document_id: str) -> str:
        status = self._statuses.get(document_id)
        return status.name if status else document_id

    # The graph

    async def _check_graph(self) -> None:
        keys, pairs, known = await asyncio.to_thread(_differing, self._workspace, self._limit)
        if self._repair and (keys or pairs):

            def fold_anew() -> None:
                workspace = self._workspace
                with workspace.database.transaction():
                    refold(workspace, workspace.edits.identity, keys, pairs, self._limit, Written(known))

            await asyncio.to_thread(fold_anew)
        self._note(ProblemKind.ENTITY, keys, "made anew from what was read", lambda: None)
        self._note(
            ProblemKind.RELATION,
            [" – ".join(pair) for pair in pairs],
            "made anew from what was read",
            lambda: None,
        )


def _faults(workspace: Workspace) -> list[str]:
    try:
        rows = workspace.database.read("PRAGMA integrity_check(20)")
    except sqlite3.DatabaseError as error:
        return [str(error)]
    return [str(row[0]) for row in rows if row[0] != "ok"]


def _text_of(
    document_id: str, rows: list[dict[str, Any]], chunks: dict[str, Any], status: DocumentStatus | None
) -> dict[str, object]:
    """Return a document's text with every chunk where it stood; what no chunk held is blank."""
    letters = [" "] * max((row["end"] for row in rows), default=0)
    for row in rows:
        content = chunks[row["chunk_id"]]["content"]
        letters[row["start"] : row["start"] + len(content)] = content
    text = "".join(letters)
    return {
        "id": document_id,
        "name": status.names[0] if status else f"recovered {document_id[-8:]}.txt",
        "title": status.title if status else "",
        "media_type": status.media_type if status else "text/plain",
        "size": status.size if status else len(text.encode("utf-8", "replace")),
        "text": text,
        "pages": [],
        "encoding": status.encoding if status else "",
        "warnings": ["The text was lost and put together from its chunks; its pages are not known."],
    }


def _differing(workspace: Workspace, limit: int) -> tuple[set[str], set[Pair], dict[Long, str]]:
    """Return the nodes and edges whose row, or whose place in memory, is not what a fresh fold gives.

    A row may hold any summary of a long description. Also returns these, so that nobody writes them again.
    """
    memory, rows = workspace.graph, NetworkXGraph(workspace.database)
    identity = workspace.edits.identity
    record_keys, record_pairs = workspace.extractions.live_keys()
    keys = {identity.resolve(key) for key in record_keys.union(identity.added, *identity.added_relations)}
    pairs = identity.pairs(record_pairs.union(identity.added_relations))
    for graph in (memory.graph, rows.graph):
        keys |= set(graph)
        pairs |= {(min(a, b), max(a, b)) for a, b in graph.edges}
    fresh = fold(LiveRecords(workspace.extractions, identity), keys, pairs)
    names = shown_names(workspace, fresh)
    stored: dict[Long, str] = {}
    owed, refused = owed_summaries(workspace, identity), refused_summaries(workspace, identity)
    stand_ins: set[Long] = set()
    for entity in fresh.entities:
        long = (entity.name, entity.description)
        if (node := rows.entity(entity.key)) and node.description and node.key not in owed:
            stored[long] = node.description
        if entity.key in refused:
            stand_ins.add(long)
    for relation in fresh.relations:
        long = (pair_name(relation, names), relation.description)
        if (edge := rows.relation(*relation.pair)) and edge.description and edge.pair not in owed:
            stored[long] = edge.description
        if relation.pair in refused:
            stand_ins.add(long)
    _, summarised = shorten(fresh, names, {}, limit)
    found, _ = shorten(fresh, names, stored, limit)
    wrong_keys = {e.key for e in found.entities if not rows.entity(e.key) == memory.entity(e.key) == e}
    wrong_pairs = {
        r.pair for r in found.relations if not rows.relation(*r.pair) == memory.relation(*r.pair) == r
    }
    # What was shortened without the model for the time being is to be written by it.
    longs = set(summarised.values())
    known = {long: stored[long] for long in longs if long in stored and long not in stand_ins}
    # What a person has hidden is gone as well, and there is no trace of it.
    graphs = (memory.graph, rows.graph)
    wrong_keys |= {key for key in found.gone_entities if any(key in graph for graph in graphs)}
    wrong_pairs |= {pair for pair in found.gone_relations if any(graph.has_edge(*pair) for graph in graphs)}
    return wrong_keys, wrong_pairs, known
