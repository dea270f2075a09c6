"""A person's edits, as records: kept beside the extractions, and folded with them into the graph."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class EditKind(StrEnum):
    """What an edit does."""

    MERGE = "merge entities"
    RENAME = "rename entity"
    RETYPE = "retype entity"
    DESCRIBE = "describe entity"
    ADD = "add entity"
    DELETE = "delete entity"
    DESCRIBE_RELATION = "describe relation"
    RELATION_KEYWORDS = "keywords of relation"
    RELATION_WEIGHT = "weight of relation"
    ADD_RELATION = "add relation"
    DELETE_RELATION = "delete relation"
    NOT_THE_SAME = "not the same"


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit. `text` says it in a sentence, with the names of its time; `at` is seconds since the epoch.

    `keys` are folded names: the entity, the entities that were merged into `into`, or the two ends. Of the
    other fields those are set that the kind needs. One that is not `active` was undone. `id` is 0 until the
    edit is kept.
    """

    kind: EditKind
    keys: tuple[str, ...]
    text: str
    at: float
    id: int = 0
    active: bool = True
    into: str = ""
    name: str = ""
    type: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    weight: float = 0.0
    ends: tuple[str, ...] = ()
