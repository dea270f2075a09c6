"""Edits of relations, out of what a person asks for. Each function raises `EditError` when it cannot be."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from lightrag_engine.errors import EditError
from lightrag_engine.identity.edits import Edit, EditKind
from lightrag_engine.identity.subjects import Subjects, usable_description
from lightrag_engine.names import clean_name


def describe(subjects: Subjects, a: str, b: str, description: str) -> Edit:
    """Describe a relation in a person's words."""
    relation, names = subjects.relation(a, b)
    return Edit(
        EditKind.DESCRIBE_RELATION,
        subjects.anchors(relation.pair),
        f"Described the relation {names}",
        time.time(),
        description=usable_description(description),
    )


def set_keywords(subjects: Subjects, a: str, b: str, keywords: Sequence[str]) -> Edit:
    """Say what a relation is about."""
    relation, names = subjects.relation(a, b)
    listed = _keywords(keywords)
    if not listed:
        raise EditError("There are no keywords.", hint="Give at least one word.")
    return Edit(
        EditKind.RELATION_KEYWORDS,
        subjects.anchors(relation.pair),
        f"Changed the keywords of the relation {names} to {', '.join(listed)}",
        time.time(),
        keywords=listed,
    )


def set_weight(subjects: Subjects, a: str, b: str, weight: float) -> Edit:
    """Say how strong a relation is."""
    relation, names = subjects.relation(a, b)
    return Edit(
        EditKind.RELATION_WEIGHT,
        subjects.anchors(relation.pair),
        f"Changed the weight of the relation {names} from {relation.weight:g} to {_weight(weight):g}",
        time.time(),
        weight=_weight(weight),
    )


def add(
    subjects: Subjects, source: str, target: str, description: str, keywords: Sequence[str], weight: float
) -> Edit:
    """Relate two entities by hand."""
    ends = subjects.ends(source, target)
    names = " – ".join(f"“{end.name}”" for end in ends)
    if subjects.graph.relation(ends[0].key, ends[1].key) is not None:
        raise EditError(f"There is a relation {names} already.", hint="Change that one.")
    return Edit(
        EditKind.ADD_RELATION,
        subjects.anchors(end.key for end in ends),
        f"Added the relation {names}",
        time.time(),
        description=usable_description(description),
        keywords=_keywords(keywords),
        weight=_weight(weight),
        ends=tuple(subjects.spelling(end) for end in ends),
    )


def delete(subjects: Subjects, a: str, b: str) -> Edit:
    """Take a relation out for good, whatever documents say of it."""
    relation, names = subjects.relation(a, b)
    return Edit(
        EditKind.DELETE_RELATION,
        subjects.anchors(relation.pair),
        f"Deleted the relation {names}",
        time.time(),
    )


def _keywords(keywords: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for keyword in keywords if (word := clean_name(keyword))))


def _weight(weight: float) -> float:
    if not (math.isfinite(weight) and weight > 0):
        raise EditError(f"{weight} cannot be a weight.", hint="Give a number above 0.")
    return float(weight)
