"""The document table and the progress of indexing, as data."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from pathlib import PurePath

import pandas as pd

from lightrag_engine.documents import SUPPORTED
from lightrag_engine.records import DocumentState, DocumentStatus, StorageUse
from ui.format import counted, listed, number, roughly, size

# Seconds a byte; None where nothing tells.
Pace = float | None

_SYMBOLS = {
    DocumentState.DONE: "●",
    DocumentState.PROBLEMS: "▲",
    DocumentState.FAILED: "✕",
    DocumentState.CANCELLED: "⊘",
    DocumentState.PAUSED: "‖",
}
_STEP_UNITS = {DocumentState.EXTRACTING: "chunks", DocumentState.EMBEDDING: "texts"}
# Words of `lightrag_engine.documents.SUPPORTED` that a narrow column shows in another way.
_SHORT_TYPES = {"plain text": "Text", "CSV table": "CSV", "TSV table": "TSV", "GRAPH": "Graph table"}
_COLUMNS = (
    "name", "state", "left", "chunks", "entities", "relations", "time", "note", "type", "size", "added",
)  # fmt: skip
# Where a stage begins and ends on the way from 0 to 1, roughly as long as they take.
_STAGES = {
    DocumentState.READING: (0.0, 0.05),
    DocumentState.CHUNKING: (0.05, 0.1),
    DocumentState.EXTRACTING: (0.1, 0.8),
    DocumentState.WAITING: (0.1, 0.8),
    DocumentState.MERGING: (0.8, 0.85),
    DocumentState.EMBEDDING: (0.85, 1.0),
}
# Below, the pace of a document says nothing yet.
_STEPS_BEFORE_ESTIMATE = 3
_NAMES_LISTED = 4


def state_text(status: DocumentStatus) -> str:
    """Return the state of a document with a symbol, and how far it is; short enough for the column.

    Examples
    --------
    >>> state_text(DocumentStatus("doc-1", "a.txt", (), "text/plain", 9, DocumentState.DONE))
    '● done'
    """
    symbol = _SYMBOLS.get(status.state, "◌")
    if status.state in _STEP_UNITS and status.steps:
        return f"{symbol} {status.state} {number(status.steps_done)} of {number(status.steps)}"
    return f"{symbol} {status.state}"


def work_text(status: DocumentStatus) -> str:
    """Return what is being done with a document, with the unit that is counted."""
    unit = f" {_STEP_UNITS[status.state]}" if status.state in _STEP_UNITS and status.steps else ""
    return f"{state_text(status)[2:]}{unit}"


def type_text(name: str) -> str:
    """Return the type of a file by its name, the same before and after reading; pasted text has no suffix.

    Examples
    --------
    >>> type_text("a.TXT"), type_text("memo.docx"), type_text("data.xyz"), type_text("Minutes of 3.5.")
    ('Text', 'Word', 'XYZ', 'Text')
    >>> type_text("ferry.graph")
    'Graph table'
    """
    suffix = PurePath(name).suffix.lower()
    label = SUPPORTED.get(suffix) or suffix[1:].upper()[:8] or "plain text"
    return _SHORT_TYPES.get(label, label)


def note_text(status: DocumentStatus) -> str:
    """Return what went wrong and what to do about it, or the warnings, in one line."""
    if status.error:
        return f"{status.error} {status.hint}".strip()
    return " ".join(status.warnings)


def type_of(status: DocumentStatus) -> str:
    """Return the type of a document."""
    return type_text(status.names[0] if status.names else status.name)


def table(statuses: Sequence[DocumentStatus], pace: Pace, now: float) -> pd.DataFrame:
    """Return the document table: one row a document, a fixed type a column also without rows.

    Numbers and times are numbers, so that the table can be ordered by them: the size in bytes.
    """
    rows = [
        (
            s.name,
            state_text(s),
            left_text(s, pace, now),
            s.chunks,
            s.entities,
            s.relations,
            _rounded(s.seconds) if s.seconds and not s.state.active else math.nan,
            note_text(s),
            type_of(s),
            s.size,
            pd.Timestamp(s.added_at, unit="s", tz="UTC"),
        )
        for s in statuses
    ]
    kinds = {
        **dict.fromkeys(("name", "type", "state", "left", "note"), "str"),
        **dict.fromkeys(("size", "chunks", "entities", "relations"), "int64"),
        "time": "float64",
        "added": "datetime64[ms, UTC]",
    }
    found = pd.DataFrame(rows, columns=[*_COLUMNS]).astype(kinds)
    return found.assign(time=pd.to_timedelta(found["time"], unit="s"))


def _rounded(seconds: float) -> float:
    """Return a time span as it is read: tenths below a second, whole seconds above."""
    return round(seconds, 1 if seconds < 1 else 0)


def left_text(status: DocumentStatus, pace: Pace, now: float) -> str:
    """Return the estimated time until a document is done, when something tells."""
    left = _left(status, pace, now) if status.state.working else None
    return roughly(left) if left is not None else ""


def columns(statuses: Iterable[DocumentStatus]) -> list[str]:
    """Return the columns to show; what went wrong and the time left only where there is any."""
    statuses = list(statuses)
    hidden = set() if any(note_text(status) for status in statuses) else {"note"}
    hidden |= set() if any(status.state.working for status in statuses) else {"left"}
    return [name for name in _COLUMNS if name not in hidden]


def storage_line(use: StorageUse) -> str:
    """Return what a workspace takes on disk, by part, in a line.

    Examples
    --------
    >>> storage_line(StorageUse(texts=3_100_000, graph=9_000, vectors=5, cache=0, originals=0, other=0))
    'On disk 3.1 MB: texts 3.1 MB · graph 9 kB · vectors 5 B'
    """
    parts = {
        "texts": use.texts,
        "graph": use.graph,
        "vectors": use.vectors,
        "kept model replies": use.cache,
        "original files": use.originals,
        "indexes and the rest": use.other,
    }
    listed_parts = " · ".join(f"{name} {size(held)}" for name, held in parts.items() if held)
    return f"On disk {size(use.total)}: {listed_parts}"


def active(statuses: Iterable[DocumentStatus]) -> list[DocumentStatus]:
    """Return the documents that are being worked on or waiting, those at work first."""
    return sorted((s for s in statuses if s.state.active), key=lambda s: s.state is DocumentState.QUEUED)


def summary_line(statuses: Sequence[DocumentStatus]) -> str:
    """Return how many documents are done, failed, cancelled, paused and waiting, in a line.

    Examples
    --------
    >>> rows = [DocumentStatus("", "", (), "", 9, DocumentState(state)) for state in ("done", "queued")]
    >>> summary_line(rows)
    '1 of 2 documents done · 1 waiting'
    """
    waiting = sum(s.state is DocumentState.QUEUED for s in statuses)
    others = (DocumentState.FAILED, DocumentState.CANCELLED, DocumentState.PAUSED)
    counts = {state: sum(s.state is state for s in statuses) for state in others}
    done = len(statuses) - sum(counts.values()) - len(active(statuses))
    parts = [f"{number(done)} of {counted(len(statuses), 'document')} done"]
    parts += [f"{number(count)} {state}" for state, count in counts.items() if count]
    parts += [f"{number(waiting)} waiting"] if waiting else []
    return " · ".join(parts)


def seconds_left(statuses: Sequence[DocumentStatus], now: float) -> float | None:
    """Return an estimate of the time until all documents are done, in seconds; None when nothing tells.

    A document at work needs at least what its present steps still need at the pace they had so far. Documents
    that were finished tell how long a byte takes: that gives the whole of a document, also of a waiting one.
    A document that runs longer than that and counts no steps yet makes the estimate worthless.
    """
    pace = pace_of(statuses)
    parts = [_left(status, pace, now) for status in active(statuses)]
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def _left(status: DocumentStatus, pace: Pace, now: float) -> float | None:
    by_steps = _present_steps_left(status, now)
    by_size = status.size * pace - _spent(status, now) if pace is not None else None
    if by_steps is None and (by_size is None or by_size <= 0):
        return None
    return max(by_steps or 0.0, by_size or 0.0)


def _spent(status: DocumentStatus, now: float) -> float:
    """Return the seconds of work on a document so far; the row holds those of the states before this one."""
    if not status.state.working or not status.state_since:
        return status.seconds
    return status.seconds + max(now - status.state_since, 0.0)


def _present_steps_left(status: DocumentStatus, now: float) -> float | None:
    if status.steps <= 0 or status.steps_done < min(_STEPS_BEFORE_ESTIMATE, status.steps):
        return None
    if not status.state_since:
        return None
    return max(now - status.state_since, 0.0) / status.steps_done * max(status.steps - status.steps_done, 0)


def pace_of(statuses: Iterable[DocumentStatus]) -> Pace:
    """Return how long the documents that are done took, in seconds a byte; None when there are none."""
    done = [s for s in statuses if s.state in (DocumentState.DONE, DocumentState.PROBLEMS) and s.seconds > 0]
    volume = sum(s.size for s in done)
    return sum(s.seconds for s in done) / volume if volume else None


def progress(statuses: Sequence[DocumentStatus]) -> float:
    """Return how far all documents are, from 0 to 1; one at work counts by its stage and its steps there."""
    return sum(map(_done_share, statuses)) / len(statuses) if statuses else 0.0


def _done_share(status: DocumentStatus) -> float:
    if not status.state.active and status.state is not DocumentState.PAUSED:
        return 1.0
    start, end = _STAGES.get(status.state, (0.0, 0.0))
    within = min(status.steps_done / status.steps, 1.0) if status.steps > 0 else 0.0
    return start + within * (end - start)


def counts_line(documents: int, chunks: int, entities: int, relations: int, files: int = 0) -> str:
    """Return the sizes of a workspace in a line; `files` is that of the original files in bytes.

    Examples
    --------
    >>> counts_line(12, 1204, 3056, 9120, 2_000_000)
    '12 documents · 1,204 chunks · 3,056 entities · 9,120 relations · 2.0 MB of files'
    """
    return " · ".join(
        (
            counted(documents, "document"),
            counted(chunks, "chunk"),
            counted(entities, "entity", "entities"),
            counted(relations, "relation"),
            *([f"{size(files)} of files"] if files else []),
        )
    )


def submitted_line(statuses: Sequence[DocumentStatus], known: Collection[str] = ()) -> str:
    """Return what was done with files that were just handed in.

    `known` are the ids of the documents that were there before. Whether a new one can be read is not known
    yet, so the line does not say that it was added.
    """
    statuses = [s for s in statuses if s.id]  # the others: see `not_taken_lines`
    ids = [s.id for s in statuses]
    new = [s for n, s in enumerate(statuses) if s.id not in known and s.id not in ids[:n]]
    old = [s for n, s in enumerate(statuses) if s.id in known or s.id in ids[:n]]
    again = [s for s in old if s.state.active and s.id in known]
    parts = [f"Reading {counted(len(new), 'new document')}; the table says what comes of it." if new else ""]
    if old:
        names = list(dict.fromkeys(s.name for s in old))
        parts.append(f"Already here: {_some(names)}.")
    if again and not new:
        parts.append("It is being read." if len(again) == 1 else "They are being read.")
    return " ".join(part for part in parts if part)


def not_taken_lines(statuses: Sequence[DocumentStatus]) -> list[str]:
    """Return what was handed in and did not become a document, or not all of it, a line a file.

    Examples
    --------
    >>> not_taken_lines([DocumentStatus("", "a.zip", (), "", 9, DocumentState.FAILED, error="It failed.")])
    ['It failed.']
    """
    return [note_text(s) if s.error else f"{s.name}: {note_text(s)}" for s in statuses if not s.id]


def _some(names: Sequence[str]) -> str:
    """Return names as a list in a sentence, the first few and how many more."""
    if len(names) <= _NAMES_LISTED:
        return listed(names)
    return listed([*names[:_NAMES_LISTED], f"{number(len(names) - _NAMES_LISTED)} more"])


def can_be_retried(status: DocumentStatus) -> bool:
    """Return whether another try can end otherwise: not when the file itself cannot be read.

    A document that was read has a media type; what stopped it later (a model, the disk) may be over. A limit
    may be raised, as its hint says. Of one with problems the chunks that could not be read are read again.
    """
    if status.state is DocumentState.PROBLEMS:
        return bool(status.failed_chunks)
    if status.state is DocumentState.CANCELLED:
        return True
    beyond_limit = "LIGHTRAG_" in status.hint
    return status.state is DocumentState.FAILED and (bool(status.media_type) or beyond_limit)


def can_be_cancelled(status: DocumentStatus) -> bool:
    """Return whether there is work on a document that can be stopped and undone."""
    return status.state.stoppable or status.state is DocumentState.PAUSED or is_just_merged(status)


def is_just_merged(status: DocumentStatus) -> bool:
    """Return whether a new document is in the graph and its vectors are still made."""
    return status.state is DocumentState.EMBEDDING and status.first_time


def can_be_read_again(status: DocumentStatus) -> bool:
    """Return whether a document is in the index and could be read with other models or settings."""
    return status.state in (DocumentState.DONE, DocumentState.PROBLEMS)
