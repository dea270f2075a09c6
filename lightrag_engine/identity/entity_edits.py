"""Edits of entities, out of what a person asks for. Each function raises `EditError` when it cannot be."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from lightrag_engine.documents.clean import clean
from lightrag_engine.errors import EditError
from lightrag_engine.identity.edits import Edit, EditKind
from lightrag_engine.identity.subjects import Subjects, usable_description, usable_name
from lightrag_engine.names import clean_name, fold_name
from lightrag_engine.records import UNKNOWN_TYPE


def merge(subjects: Subjects, keys: Sequence[str], into: str, name: str | None) -> Edit:
    """Say that entities are one and the same."""
    target = subjects.entity(into)
    merged = {entity.key: entity for entity in map(subjects.entity, keys) if entity.key != target.key}
    if not merged:
        raise EditError(
            f"“{target.name}” cannot be merged with itself.", hint="Choose at least two different entities."
        )
    shown = usable_name(name) if name is not None else ""
    named = subjects.find(shown) if shown else None
    if named is not None and named.key not in {target.key, *merged}:
        raise EditError(
            f"“{shown}” is the name of another entity.",
            hint="Merge that one as well, or choose another name.",
        )
    listed = ", ".join(f"“{entity.name}”" for entity in merged.values())
    return Edit(
        EditKind.MERGE,
        subjects.anchors(merged),
        f"Merged {listed} into “{shown or target.name}”",
        time.time(),
        into=subjects.identity.anchor(target.key),
        name=shown,
    )


def rename(subjects: Subjects, key: str, name: str) -> Edit:
    """Give an entity another name; when that is the name of another one, merge the two."""
    entity, shown = subjects.entity(key), usable_name(name)
    other = subjects.find(shown)
    if other is not None and other.key != entity.key:
        merged = merge(subjects, [entity.key], other.key, shown)
        return replace(merged, text=f"Renamed “{entity.name}” to “{shown}”, which merged the two")
    return Edit(
        EditKind.RENAME,
        subjects.anchors([entity.key]),
        f"Renamed “{entity.name}” to “{shown}”",
        time.time(),
        name=shown,
    )


def retype(subjects: Subjects, key: str, type_: str) -> Edit:
    """Say of what type an entity is."""
    entity, chosen = subjects.entity(key), clean_name(clean(type_)).lower()
    if not chosen:
        raise EditError("The type is empty.", hint="Choose a type, such as person.")
    return Edit(
        EditKind.RETYPE,
        subjects.anchors([entity.key]),
        f"Changed the type of “{entity.name}” from {entity.type} to {chosen}",
        time.time(),
        type=chosen,
    )


def describe(subjects: Subjects, key: str, description: str) -> Edit:
    """Describe an entity in a person's words."""
    entity = subjects.entity(key)
    return Edit(
        EditKind.DESCRIBE,
        subjects.anchors([entity.key]),
        f"Described “{entity.name}”",
        time.time(),
        description=usable_description(description),
    )


def add(subjects: Subjects, name: str, type_: str, description: str) -> Edit:
    """Make an entity by hand."""
    shown = usable_name(name)
    known = subjects.find(shown)
    if known is not None:
        raise EditError(f"There is an entity “{known.name}” already.", hint="Change that one.")
    return Edit(
        EditKind.ADD,
        (fold_name(shown),),
        f"Added “{shown}”",
        time.time(),
        name=shown,
        type=clean_name(clean(type_)).lower() or UNKNOWN_TYPE,
        description=clean(description).strip(),
    )


def delete(subjects: Subjects, key: str) -> Edit:
    """Take an entity out for good, whatever documents say of it."""
    entity = subjects.entity(key)
    return Edit(EditKind.DELETE, subjects.anchors([entity.key]), f"Deleted “{entity.name}”", time.time())


def not_the_same(subjects: Subjects, a: str, b: str) -> Edit:
    """Say that two entities are different."""
    one, other = subjects.ends(a, b)
    return Edit(
        EditKind.NOT_THE_SAME,
        subjects.anchors([one.key, other.key]),
        f"Told “{one.name}” and “{other.name}” apart",
        time.time(),
    )
