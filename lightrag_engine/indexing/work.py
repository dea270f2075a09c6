"""What is kept of a document while it is being indexed, until it is merged: the work can go on from there."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from lightrag_engine.indexing.statuses import status_of
from lightrag_engine.language.health import summarise_health
from lightrag_engine.records import (
    Document,
    DocumentReport,
    DocumentState,
    DocumentStatus,
    FailedChunk,
    PageStart,
)
from lightrag_engine.storage.extractions import Placement
from lightrag_engine.storage.workspace import Workspace

_PLACES_SHOWN = 12
_REASONS_SHOWN = 3
_LISTED = (DocumentState.FAILED, DocumentState.CANCELLED)


@dataclass(frozen=True, slots=True)
class Work:
    """How a document is being indexed.

    `is_fresh`: from its file, with the present settings, whatever is known of it; else only what is missing.
    `since`: when that was asked for. `previous`: its status before, when it is in the graph already.
    `document`: its text, once it was read. `was_listed`: it was not new, but had failed or was cancelled.
    `asks_again`: the model is asked about every chunk, also where its reading is known.
    """

    is_fresh: bool = False
    since: float = 0.0
    previous: DocumentStatus | None = None
    document: Document | None = None
    was_listed: bool = False
    asks_again: bool = False

    @classmethod
    def of(cls, workspace: Workspace, document_id: str) -> Work | None:
        """Return the work on a document that was begun and is not merged; None when there is none."""
        kept = workspace.work.get(document_id)
        if kept is None:
            return None
        return cls(
            is_fresh=kept["is_fresh"],
            since=kept["since"],
            previous=status_of(kept["previous"]) if kept["previous"] else None,
            document=document_of(kept["document"]) if kept["document"] else None,
            was_listed=kept.get("was_listed", False),
            asks_again=kept.get("asks_again", False),
        )

    def keep(self, workspace: Workspace, document_id: str) -> None:
        """Write it down."""
        document = row_of(self.document) if self.document else None
        workspace.work.put_many({document_id: {**asdict(self), "document": document}})


def begin(workspace: Workspace, status: DocumentStatus, is_fresh: bool, asks_again: bool = False) -> Work:
    """Return what is under way of a document or, when nothing is, begin it; `is_fresh` begins it anew."""
    known = Work.of(workspace, status.id)
    was_listed = status.state in _LISTED or (known is not None and known.was_listed)
    if known is not None and (known.is_fresh or not is_fresh) and (known.asks_again or not asks_again):
        if was_listed and not known.was_listed:
            known = replace(known, was_listed=True)
            known.keep(workspace, status.id)
        return known
    previous = known.previous if known else None
    if known is None and workspace.extractions.placements(status.id):
        previous = status
    kept = workspace.reports.get(status.id) or {}
    since = time.time() if is_fresh else float(kept.get("since", 0.0))
    work = Work(is_fresh, since, previous, was_listed=was_listed, asks_again=asks_again)
    work.keep(workspace, status.id)
    return work


def row_of(document: Document) -> dict[str, Any]:
    """Return a document as a row among the texts."""
    return {**asdict(document), "pages": [(page.number, page.start) for page in document.pages]}


def document_of(kept: dict[str, Any]) -> Document:
    """Return a document from its row among the texts."""
    pages = tuple(PageStart(*page) for page in kept["pages"])
    return Document(**{**kept, "pages": pages, "warnings": tuple(kept["warnings"])})


def report_of(
    workspace: Workspace, document_id: str, placements: Sequence[Placement], since: float, model: str
) -> DocumentReport:
    """Return how the chunks of a document were read; the times are in its status."""
    store = workspace.extractions
    ids = list(dict.fromkeys(p.extraction_id for p in placements))
    reasons = store.failures(ids)
    read = store.made_for(document_id, ids, since)
    health = summarise_health(store.health(read))
    failed = [
        FailedChunk(number, p.chunk.id, p.chunk.page_first, p.chunk.page_last, reasons[p.extraction_id])
        for number, p in enumerate(placements, start=1)
        if p.extraction_id in reasons
    ]
    return DocumentReport(
        document_id=document_id,
        language_model=model,
        chunks_read=len(read),
        chunks_reused=len(ids) - len(read) - len(reasons),
        failed=tuple(failed),
        calls=health.calls,
        cached_calls=health.cached_calls,
        prompt_tokens=health.prompt_tokens,
        reply_tokens=health.reply_tokens,
        repaired=health.repaired,
        dropped=health.dropped,
        empty=health.empty,
        truncated=health.truncated,
        ungrounded=health.ungrounded,
        repairs=health.repairs,
    )


def stored_report(report: DocumentReport, since: float) -> dict[str, Any]:
    """Return the row of a report."""
    return {**asdict(report), "since": since}


def loaded_report(kept: dict[str, Any], status: DocumentStatus) -> DocumentReport:
    """Return a report from its row, with the times of the document."""
    known = {field.name for field in fields(DocumentReport)}
    # A row may be of a version of this program that kept more, or less.
    values: dict[str, Any] = {name: value for name, value in kept.items() if name in known}
    seconds = dict(status.stage_seconds)
    return replace(
        DocumentReport(
            **{
                **values,
                "failed": tuple(FailedChunk(**chunk) for chunk in kept.get("failed", ())),
                "repairs": tuple((kind, count) for kind, count in kept.get("repairs", ())),
            }
        ),
        read_seconds=seconds.get("reading", 0.0),
        chunk_seconds=seconds.get("chunking", 0.0),
        extract_seconds=seconds.get("extracting", 0.0),
        merge_seconds=seconds.get("merging", 0.0),
        embed_seconds=seconds.get("embedding", 0.0),
    )


def failed_sentences(failed: Sequence[FailedChunk], total: int) -> tuple[str, ...]:
    """Return which chunks could not be read and why, a sentence a reason."""
    by_reason: dict[str, list[FailedChunk]] = {}
    for chunk in failed:
        by_reason.setdefault(chunk.reason, []).append(chunk)
    sentences = [_sentence(reason, chunks, total) for reason, chunks in by_reason.items()]
    if len(sentences) > _REASONS_SHOWN:
        rest = sum(map(len, list(by_reason.values())[_REASONS_SHOWN:]))
        sentences[_REASONS_SHOWN:] = [f"{rest} more could not be read for other reasons."]
    if sentences:
        sentences[-1] += " A retry reads only the chunks that are missing."
    return tuple(sentences)


def _sentence(reason: str, chunks: Sequence[FailedChunk], total: int) -> str:
    places = ", ".join(chunk.place for chunk in chunks[:_PLACES_SHOWN])
    more = " …" if len(chunks) > _PLACES_SHOWN else ""
    of = "1 chunk" if total == 1 else f"{total} chunks"
    return f"{len(chunks)} of {of} could not be read, number {places}{more}: {reason.rstrip('.')}."
