"""The frozen records that walk through the engine.

Indexing: bytes -> `Document` -> [`Chunk`] -> `Extraction` -> `Entity` / `Relation` -> storages.
Querying: str + `QueryParam` -> `Keywords` -> `Context` -> prompt -> `Answer`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

UNKNOWN_TYPE = "unknown"


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


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """What one chunk says of one entity. `rule` names how the record was found ("" for a model's)."""

    entity_name: str
    entity_type: str
    entity_description: str
    source_id: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class RelationRecord:
    """What one chunk says of two entities, ends in the order in which the text or the model gave them."""

    src_id: str
    tgt_id: str
    description: str
    keywords: tuple[str, ...]
    weight: float
    source_id: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class ExtractionHealth:
    """How the reading of one chunk went; numbers only, so that many can be added up.

    `failed`: no usable reply came, so the chunk counts as not read. `truncated`: the reply stayed cut off.
    `repairs` counts by kind what was mended or left out, `repaired` and `dropped` are its sums;
    `ungrounded` counts entities that do not occur in the chunk. `calls` leaves out replies from the cache.
    """

    entities: int = 0
    relations: int = 0
    failed: bool = False
    truncated: bool = False
    repaired: int = 0
    dropped: int = 0
    ungrounded: int = 0
    gleanings: int = 0
    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    seconds: float = 0.0
    repairs: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything that was read from one chunk; kept for good, so that the graph is a fold over these.

    `problems` are sentences for a person about what was repaired, dropped or cut off. `health` says the same
    in numbers, where a chat model read the chunk.
    """

    chunk_id: str
    entities: tuple[EntityRecord, ...] = ()
    relations: tuple[RelationRecord, ...] = ()
    content_keywords: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    health: ExtractionHealth | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """A node: the records of one entity merged. `spellings` are ordered by frequency, the shown name first.

    `key` is a folded name; `aliases` are the others under which it is found, because a person said that they
    are the same. `edited` lists what is as a person said: name, type, description, merged, added.
    `left_out` counts the records beyond `Settings.merge_sample_size`: only the weight knows of them.
    `summary_of` is a hash of the joined descriptions that `description` is a summary of; empty: it is them,
    or their beginning while the summary is owed.
    """

    key: str
    name: str
    type: str
    description: str
    weight: float
    source_ids: tuple[str, ...]
    spellings: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    left_out: int = 0
    summary_of: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """An undirected edge: the records of one sorted pair of keys merged.

    `source_key` and `target_key` keep the direction that most records state; identity is the sorted pair.
    `edited` lists what is as a person said: keywords, description, weight, added.
    `left_out` counts the records beyond `Settings.merge_sample_size`: only the weight knows of them.
    `summary_of` is a hash of the joined descriptions that `description` is a summary of; empty: it is them,
    or their beginning while the summary is owed.
    """

    source_key: str
    target_key: str
    keywords: tuple[str, ...]
    description: str
    weight: float
    source_ids: tuple[str, ...]
    edited: tuple[str, ...] = ()
    left_out: int = 0
    summary_of: str = ""

    @property
    def pair(self) -> tuple[str, str]:
        """The identity of the relation: both keys, sorted."""
        a, b = self.source_key, self.target_key
        return (a, b) if a <= b else (b, a)


def fields_of(record: EntityRecord | RelationRecord | Entity | Relation) -> dict[str, Any]:
    """Return the fields of a flat record by name. Unlike `asdict`, which is slow, it copies no values."""
    return {name: getattr(record, name) for name in record.__slots__}


@dataclass(frozen=True, slots=True)
class Keywords:
    """The keywords of a question. `note` says, for a person, when they came another way than planned.

    `question` is the question made independent of the conversation before it; empty when it stands alone.
    """

    high_level: tuple[str, ...] = ()
    low_level: tuple[str, ...] = ()
    note: str = ""
    question: str = ""


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
class Message:
    """One turn of a conversation; `role` is ``user`` or ``assistant``."""

    role: str
    content: str


MODES = ("naive", "local", "global", "hybrid", "mix")


@dataclass(frozen=True, slots=True)
class QueryParam:
    """How a question is answered.

    The three `max_token_for_…` budgets bound the tables (sources, entities, relations), in tokens;
    `max_token_for_prompt` bounds the whole prompt: when the three do not fit into it they shrink together.
    The last `history_turns` questions of the conversation are given to the model with their answers, or
    fewer where they leave too little room. `keywords`, where given, are taken as they are; else they are
    found. `documents` (ids) and `entity_types`, where given, restrict what is retrieved: to what stands in
    these documents; to entities of these types, relations among them, and passages in which they occur. With
    `stream` a query returns its text piece by piece (see `LightRAG.aquery`).

    Raises
    ------
    ValueError
        When `mode` is unknown (the message names the valid ones) or a number is not positive.
    """

    mode: str = "mix"
    only_need_context: bool = False
    only_need_prompt: bool = False
    response_type: str = "Multiple Paragraphs"
    stream: bool = False
    top_k: int = 60
    max_token_for_text_unit: int = 4000
    max_token_for_local_context: int = 4000
    max_token_for_global_context: int = 4000
    max_token_for_prompt: int = 6000
    conversation_history: tuple[Message, ...] = ()
    history_turns: int = 6
    keywords: Keywords | None = None
    documents: tuple[str, ...] = ()
    entity_types: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"unknown mode {self.mode!r}: choose one of {', '.join(MODES)}")
        for name in (
            "top_k",
            "max_token_for_text_unit",
            "max_token_for_local_context",
            "max_token_for_global_context",
            "max_token_for_prompt",
        ):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")
        if not isinstance(self.history_turns, int) or self.history_turns < 0:
            raise ValueError(
                f"history_turns must be a whole number of at least 0, not {self.history_turns!r}"
            )
        for name in ("documents", "entity_types"):
            given = getattr(self, name)
            if isinstance(given, str) or not all(isinstance(item, str) and item for item in given):
                raise ValueError(f"{name} must be a list of texts, none of them empty, not {given!r}")
            object.__setattr__(self, name, tuple(dict.fromkeys(given)))

    @property
    def wants_answer(self) -> bool:
        """Whether an answer is to be written, and not only the context or the prompt shown."""
        return not (self.only_need_context or self.only_need_prompt)


@dataclass(frozen=True, slots=True)
class Citation:
    """A place that an answer leans on: `number` is the ``[n]`` in the text and the `id` in the sources table.

    `sentences` are the ones used, each a literal part of `content`; `page` is where they stand.
    """

    number: int
    chunk_id: str
    document_id: str
    document: str
    page: str
    content: str
    sentences: tuple[str, ...] = ()


ReasonKind = Literal["named", "path", "entity", "relation", "words", "meaning"]


@dataclass(frozen=True, slots=True)
class Reason:
    """One way in which a passage was found, and its place among what was found in that way (from 1).

    `via` depends on `kind`:

    - ``named``: the entity that the question names, and that the passage names or is about;
    - ``path``: from such an entity, by the names that link one passage to the next, to the last one;
    - ``entity``: the entity near to the question that occurs here;
    - ``relation``: both ends of the relation near to the question that was read here;
    - ``words`` (those of the question) and ``meaning`` (nearness of the text): nothing.

    Examples
    --------
    >>> str(Reason("path", 2, ("Billy Elliot", "Stephen Warbeck")))
    'path: Billy Elliot → Stephen Warbeck'
    """

    kind: ReasonKind
    place: int
    via: tuple[str, ...] = ()

    def __str__(self) -> str:
        link = " – " if self.kind == "relation" else " → "
        return f"{self.kind}: {link.join(self.via)}" if self.via else self.kind


@dataclass(frozen=True, slots=True)
class SourceText:
    """A row of the sources table: a chunk and where it stands. `page` is ``12``, ``12-13`` or empty.

    `why` says how it was found, the most telling reason first; it is shown to people, not to models.
    """

    id: int
    content: str
    document: str
    page: str
    chunk_id: str
    document_id: str
    why: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class EntityRow:
    """A row of the entities table; `rank` is the node's degree."""

    id: int
    entity: str
    type: str
    description: str
    rank: int
    key: str = ""


@dataclass(frozen=True, slots=True)
class RelationRow:
    """A row of the relations table; `rank` is degree(source) + degree(target)."""

    id: int
    source: str
    target: str
    keywords: str
    description: str
    weight: float
    rank: int
    source_ids: tuple[str, ...] = field(default=())
    source_key: str = ""
    target_key: str = ""


# What a judge weighs answers by; those of the LightRAG paper.
CRITERIA = ("comprehensiveness", "diversity", "empowerment", "overall")


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a judge says of two answers by one criterion: `winner` is 1, 2, or 0 for a tie."""

    criterion: str
    winner: int
    reason: str = ""


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
