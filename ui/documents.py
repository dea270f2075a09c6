"""The document table and the progress of indexing, as data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from lightrag_engine.records import DocumentState, DocumentStatus
from ui.format import counted, duration, listed, media, number, size

_SYMBOLS = {DocumentState.DONE: "●", DocumentState.PROBLEMS: "▲", DocumentState.FAILED: "✕"}
_STEP_UNITS = {DocumentState.EXTRACTING: "chunks", DocumentState.EMBEDDING: "texts"}


def state_text(status: DocumentStatus) -> str:
    """Return the state of a document with a symbol, and how far it is.

    Examples
    --------
    >>> state_text(DocumentStatus("doc-1", "a.txt", (), "text/plain", 9, DocumentState.DONE))
    '● done'
    """
    symbol = _SYMBOLS.get(status.state, "◌")
    if status.state.active and status.steps:
        unit = _STEP_UNITS.get(status.state, "steps")
        return f"{symbol} {status.state} {number(status.steps_done)} of {number(status.steps)} {unit}"
    return f"{symbol} {status.state}"


def note_text(status: DocumentStatus) -> str:
    """Return what went wrong and what to do about it, or the warnings, in one line."""
    if status.error:
        return f"{status.error} {status.hint}".strip()
    return " ".join(status.warnings)


def table(statuses: Sequence[DocumentStatus]) -> pd.DataFrame:
    """Return the document table: one row a document, a fixed type a column also without rows."""
    rows = [
        (
            s.name,
            media(s.media_type, s.name),
            size(s.size),
            state_text(s),
            s.chunks,
            s.entities,
            s.relations,
            duration(s.seconds) if s.seconds else "",
            pd.Timestamp(s.added_at, unit="s", tz="UTC"),
            note_text(s),
        )
        for s in statuses
    ]
    columns = ["name", "type", "size", "state", "chunks", "entities", "relations", "time", "added", "note"]
    kinds = {
        **dict.fromkeys(("name", "type", "size", "state", "time", "note"), "str"),
        **dict.fromkeys(("chunks", "entities", "relations"), "int64"),
        "added": "datetime64[ms, UTC]",
    }
    return pd.DataFrame(rows, columns=columns).astype(kinds)


def columns(statuses: Iterable[DocumentStatus]) -> list[str]:
    """Return the columns to show; the one for what went wrong only where something did."""
    note = ["note"] if any(note_text(status) for status in statuses) else []
    return ["name", "type", "size", "state", "chunks", "entities", "relations", "time", *note, "added"]


def active(statuses: Iterable[DocumentStatus]) -> list[DocumentStatus]:
    """Return the documents that are being worked on or waiting, those at work first."""
    return sorted((s for s in statuses if s.state.active), key=lambda s: s.state is DocumentState.QUEUED)


def seconds_left(statuses: Sequence[DocumentStatus], now: float) -> float | None:
    """Return an estimate of the time until all documents are done, in seconds; None when nothing tells.

    A document at work needs at least what its present steps still need at the pace they had so far. Documents
    that were finished tell how long a byte takes: that gives the whole of a document, also of a waiting one.
    """
    pace = _seconds_per_byte(statuses)
    left = 0.0
    for status in active(statuses):
        by_steps = _present_steps_left(status, now)
        by_size = max(status.size * pace - status.seconds, 0.0) if pace is not None else None
        known = [value for value in (by_steps, by_size) if value is not None]
        if not known:
            return None
        left += max(known)
    return left


def _present_steps_left(status: DocumentStatus, now: float) -> float | None:
    if not status.steps_done or status.steps <= 0 or not status.state_since:
        return None
    return max(now - status.state_since, 0.0) / status.steps_done * max(status.steps - status.steps_done, 0)


def _seconds_per_byte(statuses: Iterable[DocumentStatus]) -> float | None:
    done = [s for s in statuses if s.state in (DocumentState.DONE, DocumentState.PROBLEMS) and s.seconds > 0]
    volume = sum(s.size for s in done)
    return sum(s.seconds for s in done) / volume if volume else None


def progress(status: DocumentStatus) -> float:
    """Return how far the present state of a document is, from 0 to 1."""
    return min(status.steps_done / status.steps, 1.0) if status.steps > 0 else 0.0


def counts_line(documents: int, chunks: int, entities: int, relations: int) -> str:
    """Return the sizes of a workspace in a line.

    Examples
    --------
    >>> counts_line(12, 1204, 3056, 9120)
    '12 documents · 1,204 chunks · 3,056 entities · 9,120 relations'
    """
    return " · ".join(
        (
            counted(documents, "document"),
            counted(chunks, "chunk"),
            counted(entities, "entity", "entities"),
            counted(relations, "relation"),
        )
    )


def submitted_line(statuses: Sequence[DocumentStatus]) -> str:
    """Return what was done with files that were just handed in."""
    failed = [s.name for s in statuses if s.state is DocumentState.FAILED]
    taken = len(statuses) - len(failed)
    parts = [f"{counted(taken, 'document')} added." if taken else ""]
    if failed:
        parts.append(f"{listed(failed)} could not be read; the table says why.")
    return " ".join(part for part in parts if part)


def facts(status: DocumentStatus) -> list[str]:
    """Return what is known of a document besides its row: title, pages, encoding, all names."""
    others = [name for name in status.names if name != status.name]
    found = [
        f"Title: {status.title}" if status.title and status.title != status.name else "",
        counted(status.pages, "page") if status.pages else "",
        f"{number(status.tokens)} tokens" if status.tokens else "",
        f"Encoding: {status.encoding}" if status.encoding else "",
        f"Also added as {listed(others)}" if others else "",
    ]
    return [fact for fact in found if fact]
