"""The stages of a document on its way into the graph; each takes up what is there already."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from lightrag_engine.documents.graph_table import from_bytes, is_graph_table
from lightrag_engine.documents.isolated import Reader
from lightrag_engine.errors import ModelError
from lightrag_engine.indexing.chunk_reading import ChunkReader
from lightrag_engine.indexing.chunking import chunk
from lightrag_engine.indexing.commit import commit_documents
from lightrag_engine.indexing.live import live_placements
from lightrag_engine.indexing.statuses import Statuses
from lightrag_engine.indexing.table_document import extractions, is_table_document, table_document
from lightrag_engine.indexing.table_document import placements as row_placements
from lightrag_engine.indexing.work import (
    Work,
    document_of,
    failed_sentences,
    report_of,
    row_of,
    stored_report,
)
from lightrag_engine.language.base import LanguageModel
from lightrag_engine.language.health import summarise_health
from lightrag_engine.language.tasks.asking import asking_anew
from lightrag_engine.names import content_id
from lightrag_engine.records import Document, DocumentState, DocumentStatus
from lightrag_engine.settings import Settings
from lightrag_engine.storage.extractions import Placement
from lightrag_engine.storage.sqlite import batches
from lightrag_engine.storage.workspace import Workspace


class Stages:
    """Does one stage for a document; `lock` keeps commits one at a time."""

    def __init__(
        self,
        workspace: Workspace,
        statuses: Statuses,
        language: LanguageModel,
        settings: Settings,
        lock: asyncio.Lock,
    ) -> None:
        self._workspace = workspace
        self._statuses = statuses
        self._language = language
        self._settings = settings
        self._lock = lock
        self._files = Reader(settings.documents_in_flight)
        self._reader = ChunkReader(workspace.extractions, statuses, language, settings)

    async def close(self) -> None:
        """End the processes that read files."""
        await self._files.close()

    async def chunks(self, document_id: str, work: Work) -> tuple[Document, list[Placement]]:
        """Return a document with its chunks; of one that is in the graph, unless read anew, those it has."""
        if work.previous is not None and not work.is_fresh:
            kept = self._workspace.texts.get(document_id)
            if kept is not None:
                document = document_of(kept)
                return document, await asyncio.to_thread(self._only_missing, document)
        document = await self._read(document_id, work)
        self._statuses.change(document_id, state=DocumentState.CHUNKING)
        if is_table_document(document):
            placements = await asyncio.to_thread(self._table_rows, document)
        else:
            placements = await asyncio.to_thread(self._cut, document, work)
        tokens = sum(p.chunk.tokens for p in placements)
        self._statuses.change(document_id, chunks=len(placements), tokens=tokens)
        return document, placements

    def _cut(self, document: Document, work: Work) -> list[Placement]:
        size, overlap = self._settings.chunk_token_size, self._settings.chunk_overlap_token_size
        chunks = chunk(document, size, overlap)
        # An id of its own: what is known of the chunk stays in the graph until this is merged.
        again = (repr(work.since),) if work.asks_again else ()
        return [Placement(c, self._extraction_id(c.id, document.title, *again)) for c in chunks]

    def _table_rows(self, document: Document) -> list[Placement]:
        """Return the rows of a graph table as chunks; what they state is kept: nothing is left to read."""
        data = self._workspace.originals.read(document.id)
        table = from_bytes(data, document.name)
        for batch in batches(extractions(document, table, self._settings.entity_types)):
            with self._workspace.database.transaction():
                for extraction_id, extraction in batch:
                    self._workspace.extractions.put(extraction_id, extraction)
        return row_placements(document)

    def _only_missing(self, document: Document) -> list[Placement]:
        """Return the chunks of a document as they are; those that could not be read are read anew."""
        placements = live_placements(self._workspace, document.id)
        failed = self._workspace.extractions.failures([p.extraction_id for p in placements])
        return [
            replace(p, extraction_id=self._extraction_id(p.chunk.id, document.title))
            if p.extraction_id in failed
            else p
            for p in placements
        ]

    async def _read(self, document_id: str, work: Work) -> Document:
        if work.document is not None:
            return work.document
        kept = self._workspace.texts.get(document_id)
        originals = self._workspace.originals
        if kept is not None and not (work.is_fresh and originals.has(document_id)):
            return document_of(kept)
        self._statuses.change(document_id, state=DocumentState.READING)
        data = await asyncio.to_thread(originals.read, document_id)
        name = self._status(document_id).names[0]
        document = replace(await self._understand(name, data), id=document_id)
        self._status(document_id)  # ends here when it was deleted meanwhile
        with self._workspace.database.transaction():
            replace(work, document=document).keep(self._workspace, document_id)
            self._statuses.change(
                document_id,
                media_type=document.media_type,
                encoding=document.encoding,
                pages=len(document.pages),
                title=document.title,
                warnings=document.warnings,
            )
        return document

    async def _understand(self, name: str, data: bytes) -> Document:
        if is_graph_table(data):
            return table_document(await asyncio.to_thread(from_bytes, data, name), name, data)
        return await self._files.read(name, data, self._settings)

    async def extract(
        self, document: Document, placements: Sequence[Placement], work: Work, rank: int
    ) -> None:
        """Read the chunks that are not read yet; `rank` is the document's place in the order of arrival.

        Raises
        ------
        ModelError
            When none could be read, all for the same reason: then it is not for the chunks.
        """
        with asking_anew(work.asks_again):
            failures = await self._reader.read(document.id, document.title, placements, rank)
        if failures and len(failures) == len({p.extraction_id for p in placements}):
            kinds = {failure.kind for failure in failures}
            if len(kinds) == 1:
                raise ModelError(failures[0].reason, hint=failures[0].hint)

    async def merge(
        self,
        document: Document,
        placements: Sequence[Placement],
        work: Work,
        status: DocumentStatus,
        gone: Sequence[str],
        renamed: Sequence[DocumentStatus],
    ) -> dict[str, Any]:
        """Commit a document; return what changes in its status.

        In the same transaction those that are `gone` end, and those that are `renamed` get their new names.

        Raises
        ------
        ExtractionsMissingError
            When chunks have to be read again first.
        """
        workspace, store = self._workspace, self._workspace.extractions
        ids = [p.extraction_id for p in placements]
        keys, pairs = store.keys_of(ids)
        report = report_of(workspace, document.id, placements, work.since, self._language.name)
        health = summarise_health(store.health(ids))
        problems = (*document.warnings, *failed_sentences(report.failed, len(placements)), *health.verdicts)
        merged: dict[str, Any] = {
            "state": DocumentState.EMBEDDING,
            "entities": len(keys),
            "relations": len(pairs),
            "warnings": problems,
            "failed_chunks": len(report.failed),
            "replaces": (),
            "first_time": work.previous is None and not (gone or renamed),
        }

        def also() -> None:
            workspace.texts.put_many({document.id: row_of(document)})
            workspace.work.delete_many([document.id])
            workspace.reports.put_many({document.id: stored_report(report, work.since)})
            # Known after a crash, too, that this is done.
            rows = (replace(status, **merged), *renamed)
            workspace.documents.put_many({row.id: asdict(row) for row in rows})

        await commit_documents(
            workspace,
            self._settings.entity_summary_max_tokens,
            {document.id: placements, **{old: [] for old in gone}},
            self._lock,
            also=also,
        )
        return merged

    def _extraction_id(self, chunk_id: str, title: str, *again: str) -> str:
        return content_id("extraction", self._language.fingerprint, title, chunk_id, *again)

    def _status(self, document_id: str) -> DocumentStatus:
        status = self._statuses.get(document_id)
        if status is None:
            raise asyncio.CancelledError
        return status
