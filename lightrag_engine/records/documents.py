"""Documents, their chunks, their states, and what is told of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class PageStart:
    """Where a page begins: its number (from 1) and the offset of its first character in the text."""

    number: int
    start: int


@dataclass(frozen=True, slots=True)
class Document:
    """A file after reading.

    `id` is ``doc-`` plus a hash of the file's bytes. `text` is clean: NFC, no character that XML 1.0
    forbids, line breaks as ``\\n``. `pages` is empty for formats without pages. `title` is what the
    content or, failing that, the name says. `warnings` are sentences for a person.
    """

    id: str
    name: str
    title: str
    media_type: str
    size: int
    text: str
    pages: tuple[PageStart, ...] = ()
    encoding: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document. `id` is ``chunk-`` plus a hash of `content`: same text, same id.

    `start` and `end` are character offsets into the document's text: ``content == text[start:end]``.
    """

    id: str
    content: str
    tokens: int
    chunk_order_index: int
    full_doc_id: str
    start: int = 0
    end: int = 0
    page_first: int | None = None
    page_last: int | None = None


class DocumentState(StrEnum):
    """Where a document is in its life."""

    QUEUED = "queued"
    READING = "reading"
    CHUNKING = "chunking"
    EXTRACTING = "extracting"
    MERGING = "merging"
    EMBEDDING = "embedding"
    WAITING = "waiting for the model server"
    PAUSED = "paused"
    CANCELLED = "cancelled"
    DONE = "done"
    PROBLEMS = "done with problems"
    FAILED = "failed"

    @property
    def active(self) -> bool:
        """Whether work on the document is under way, or will begin by itself."""
        return self in _WORKING or self in (DocumentState.QUEUED, DocumentState.WAITING)

    @property
    def working(self) -> bool:
        """Whether something is being done with the document at this moment: its time counts."""
        return self in _WORKING

    @property
    def stoppable(self) -> bool:
        """Whether the document is active and not merged into the graph yet."""
        return self.active and self is not DocumentState.EMBEDDING


_WORKING = frozenset(
    {
        DocumentState.READING,
        DocumentState.CHUNKING,
        DocumentState.EXTRACTING,
        DocumentState.MERGING,
        DocumentState.EMBEDDING,
    }
)


@dataclass(frozen=True, slots=True)
class DocumentStatus:
    """One row of the document table, readable at any moment from anywhere.

    `names` lists every name under which the same content was given; `name` is the one shown. Times are
    seconds since the epoch, `seconds` is the time of work so far, `stage_seconds` the same by state; waiting
    and being paused do not count. `steps_done` of `steps` counts what the present state counts: chunks while
    extracting, texts while embedding. `failed_chunks` could not be read; a retry reads only those. How the
    chunks were read is in the `DocumentReport`. `replaces` holds the ids of older versions that are taken
    out in the moment in which this one is merged. `first_time`: nothing of it, nor of an older
    version, was in the graph when it was merged, so until its vectors are made it can be cancelled.
    """

    id: str
    name: str
    names: tuple[str, ...]
    media_type: str
    size: int
    state: DocumentState
    chunks: int = 0
    entities: int = 0
    relations: int = 0
    tokens: int = 0
    steps: int = 0
    steps_done: int = 0
    seconds: float = 0.0
    added_at: float = 0.0
    updated_at: float = 0.0
    state_since: float = 0.0
    encoding: str = ""
    pages: int = 0
    title: str = ""
    warnings: tuple[str, ...] = ()
    error: str = ""
    hint: str = ""
    failed_chunks: int = 0
    stage_seconds: tuple[tuple[str, float], ...] = ()
    replaces: tuple[str, ...] = ()
    first_time: bool = False


@dataclass(frozen=True, slots=True)
class FailedChunk:
    """A chunk that could not be read: its number in the document (from 1), its pages, and why."""

    number: int
    chunk_id: str
    page_first: int | None
    page_last: int | None
    reason: str

    @property
    def place(self) -> str:
        """The number with the page, for a person."""
        if self.page_first is None:
            return str(self.number)
        pages = dict.fromkeys((self.page_first, self.page_last or self.page_first))
        return f"{self.number} (page {'–'.join(map(str, pages))})"


@dataclass(frozen=True, slots=True)
class DocumentReport:
    """How a document was read, in numbers.

    The seconds are those of each stage, of all runs since the document was added or indexed anew.
    `chunks_read` were read by `language_model` in these runs, `chunks_reused` before (in an older version, in
    another document); tokens, calls and records are those of the chunks that were read. A chunk that occurs
    twice counts once. `empty` counts chunks in which nothing was found, `truncated` those whose reply stayed
    cut off; `repairs` counts by kind what was mended or left out (`repaired` and `dropped` are its sums);
    `ungrounded` counts entities that do not occur in their chunk. What a person should know is in the
    `warnings` of the `DocumentStatus`.
    """

    document_id: str
    language_model: str = ""
    read_seconds: float = 0.0
    chunk_seconds: float = 0.0
    extract_seconds: float = 0.0
    merge_seconds: float = 0.0
    embed_seconds: float = 0.0
    chunks_read: int = 0
    chunks_reused: int = 0
    failed: tuple[FailedChunk, ...] = ()
    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    repaired: int = 0
    dropped: int = 0
    empty: int = 0
    truncated: int = 0
    ungrounded: int = 0
    repairs: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class NameConflict:
    """A file on its way in whose name a document with other content has.

    `document` has the name; `document_id`, `name` and `size` (in bytes) are those of the file.
    """

    document_id: str
    name: str
    size: int
    document: DocumentStatus


@dataclass(frozen=True, slots=True)
class IndexEvent:
    """A step in the life of a document, for whoever watches."""

    status: DocumentStatus


@dataclass(frozen=True, slots=True)
class StorageUse:
    """Bytes on disk by part; the sum is all that the folder of the workspace takes.

    `texts` of documents and chunks with the search index of their words, `graph` with the readings it is
    folded from, `vectors` with those that are owed, `cache` of model replies, `originals` as they were added,
    `other`: indexes and room in the database, reports, evaluations.
    """

    texts: int
    graph: int
    vectors: int
    cache: int
    originals: int
    other: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.texts + self.graph + self.vectors + self.cache + self.originals + self.other
