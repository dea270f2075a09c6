"""What is read from chunks, and the entities and relations that it is folded into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

UNKNOWN_TYPE = "unknown"


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
