"""What was read from a reply, what was repaired in it, and what was left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from lightrag_engine.language.parsing.fields import (
    read_keywords,
    read_name,
    read_text,
    read_type,
    read_weight,
)
from lightrag_engine.names import fold_name
from lightrag_engine.records import EntityRecord, RelationRecord


class Repair(StrEnum):
    """Kinds of repairs and losses; the value is the words used in reports."""

    BRACKET = "missing brackets"
    DELIMITER = "damaged delimiters"
    KIND = "missing record kind"
    SURPLUS = "surplus fields"
    NO_TYPE = "missing type or description"
    BROKEN_JSON = "damaged JSON"
    DUPLICATE = "repeated"
    SELF_LOOP = "related to itself"
    DENIAL = "denies a relation"
    NO_DESCRIPTION = "relation without description"
    NO_NAME = "without a usable name"
    HALF = "cut off"
    UNREADABLE = "unreadable"
    EXAMPLE = "copied from the prompt's example"


LOSSES = frozenset(
    {
        Repair.DUPLICATE,
        Repair.SELF_LOOP,
        Repair.DENIAL,
        Repair.NO_DESCRIPTION,
        Repair.NO_NAME,
        Repair.HALF,
        Repair.UNREADABLE,
        Repair.EXAMPLE,
    }
)

_BOND = r"(?:relation|relationship|connection|link|association|interaction)s?"
_ADJECTIVES = "direct|explicit|clear|known|specific|apparent|stated|mentioned|obvious|significant|further"
_HOW = rf"(?:(?:{_ADJECTIVES})(?:,| or| and)* )*"
_DENIAL = re.compile(
    rf"^\W*(?:there (?:is|are|was|were|seems to be) )?(?:no|not an?y?) {_HOW}{_BOND}\b"
    rf"|\b(?:no|not an?y?|without an?y?|lacks? an?y?) (?:direct|explicit) {_HOW}{_BOND}\b"
    r"|\b(?:not|n't) (?:directly|explicitly) (?:related|connected|linked|mentioned)\b"
    r"|(?:没有|無|无|沒有)(?:任何|明确|明確|直接|的)*(?:关系|關係|联系|聯繫|关联|關聯)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """The records of a reply and the state it was in.

    `repairs` counts by `Repair` what was mended or left out. `truncated`: the reply stops in the middle of a
    record, which is dropped. `complete`: it ends the way it should (completion delimiter; whole JSON value).
    """

    entities: tuple[EntityRecord, ...] = ()
    relations: tuple[RelationRecord, ...] = ()
    content_keywords: tuple[str, ...] = ()
    repairs: Counter[Repair] = field(default_factory=Counter)
    truncated: bool = False
    complete: bool = False

    @property
    def records(self) -> int:
        """How many records were read."""
        return len(self.entities) + len(self.relations)

    @property
    def repaired(self) -> int:
        """How many repairs kept a record."""
        return sum(n for kind, n in self.repairs.items() if kind not in LOSSES)

    @property
    def dropped(self) -> int:
        """How many records were left out."""
        return sum(n for kind, n in self.repairs.items() if kind in LOSSES)


class Collector:
    """Gathers the records of one reply under the rules that hold in both formats.

    - An entity needs a name. Without a type it is `unknown`, without a description that is empty.
    - A relation needs two names and a description; without a strength that is 1, at most 10.
    - A relation of a thing with itself, one that the model denies ("no direct relationship", strength 0), and
      a record that was there already are left out and counted.
    """

    def __init__(self, source_id: str) -> None:
        self._source_id = source_id
        self._entities: dict[EntityRecord, None] = {}
        self._relations: dict[RelationRecord, None] = {}
        self._keywords: dict[str, None] = {}
        self.repairs: Counter[Repair] = Counter()

    def entity(self, name: str, kind: str, description: str) -> None:
        """Take up an entity."""
        name = read_name(name)
        if not name:
            self.repairs[Repair.NO_NAME] += 1
            return
        if not (kind.strip() and description.strip()):
            self.repairs[Repair.NO_TYPE] += 1
        record = EntityRecord(name, read_type(kind), read_text(description), self._source_id)
        if record in self._entities:
            self.repairs[Repair.DUPLICATE] += 1
        self._entities[record] = None

    def relation(self, source: str, target: str, description: str, keywords: str, weight: str | None) -> None:
        """Take up a relation; `weight` None means that there is none."""
        source, target, description = read_name(source), read_name(target), read_text(description)
        loss = _relation_loss(source, target, description, weight)
        if loss is not None:
            self.repairs[loss] += 1
            return
        record = RelationRecord(
            source, target, description, read_keywords(keywords), read_weight(weight or ""), self._source_id
        )
        if record in self._relations:
            self.repairs[Repair.DUPLICATE] += 1
        self._relations[record] = None

    def keywords(self, words: Iterable[str]) -> None:
        """Take up themes of the whole text."""
        for word in words:
            self._keywords.update(dict.fromkeys(read_keywords(word)))

    @property
    def records(self) -> int:
        """How many records were taken up."""
        return len(self._entities) + len(self._relations)

    def reply(self, truncated: bool, complete: bool) -> ParsedReply:
        """Return what was gathered."""
        return ParsedReply(
            entities=tuple(self._entities),
            relations=tuple(self._relations),
            content_keywords=tuple(self._keywords),
            repairs=+self.repairs,  # drops zero counts
            truncated=truncated,
            complete=complete,
        )


def _relation_loss(source: str, target: str, description: str, weight: str | None) -> Repair | None:
    if not (source and target):
        return Repair.NO_NAME
    if fold_name(source) == fold_name(target):
        return Repair.SELF_LOOP
    if (weight is not None and read_weight(weight) == 0) or _DENIAL.search(description):
        return Repair.DENIAL
    if not description:
        return Repair.NO_DESCRIPTION
    return None
