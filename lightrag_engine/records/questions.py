"""Questions: how they are asked, what is found for them, and what answers are weighed by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Keywords:
    """The keywords of a question. `note` says, for a person, when they came another way than planned.

    `question` is the question made independent of the conversation before it; empty when it stands alone.
    """

    high_level: tuple[str, ...] = ()
    low_level: tuple[str, ...] = ()
    note: str = ""
    question: str = ""


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
