"""A view as the parameters of an address, and back. Whatever stands in an address is treated as hostile."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from enum import StrEnum
from typing import Any, TypeVar

from lightrag_engine.graphs.indexed import Pair, pair_of
from lightrag_engine.graphs.state import (
    FEWEST_SHOWN,
    MOST_HOPS,
    MOST_PATHS,
    MOST_SHOWN,
    Colour,
    GraphViewState,
    Layout,
    Rank,
    Scope,
)
from lightrag_engine.names import MAX_NAME_LENGTH, xml_text

E = TypeVar("E", bound=StrEnum)
_MOST_VALUES = 400
_LONGEST = 2 * MAX_NAME_LENGTH
_MOST_WEIGHT = 1e9
# Names in the address, where they differ from the fields.
_NAMES = {"nodes": "node", "pairs": "pair", "expanded": "expand", "chosen": "entity", "documents": "document"}
PARAMS = tuple(_NAMES.get(field.name, field.name) for field in fields(GraphViewState))


class _RefusedError(ValueError):
    """A value of an address cannot be used; says why."""


def to_params(state: GraphViewState) -> dict[str, list[str]]:
    """Return a view as parameters of an address: what differs from the default, lists as repeated names."""
    default = GraphViewState()
    params: dict[str, list[str]] = {}
    for field in fields(state):
        value = getattr(state, field.name)
        if value != getattr(default, field.name):
            params[_NAMES.get(field.name, field.name)] = _texts(value)
    return params


def _texts(value: Any) -> list[str]:
    match value:
        case StrEnum():
            return [value.value]
        case (str(a), str(b)):
            # A single relation; a list of two keys looks the same and is told apart by the name.
            return [a, b]
        case tuple():
            return [_pair_text(item) if isinstance(item, tuple) else item for item in value]
        case float():
            return [f"{value:g}"]
        case _:
            return [str(value)]


def _pair_text(pair: Pair) -> str:
    return json.dumps(list(pair), ensure_ascii=False)


def from_params(params: Mapping[str, Sequence[str]]) -> tuple[GraphViewState, list[str]]:
    """Return the view that an address asks for, and a sentence for every value that could not be used.

    A value that cannot be used is left out; the others count. Names that are no parameters of a view are
    ignored: an address has others too.
    """
    values: dict[str, Any] = {}
    problems: list[str] = []
    for field, read in _READERS.items():
        name = _NAMES.get(field, field)
        given = params.get(name)
        if not given:
            continue
        try:
            values[field] = read(given)
        except _RefusedError as reason:
            problems.append(f"“{name}” in the address was ignored: {reason}.")
    return GraphViewState(**values), problems


def _choice(kinds: type[E]) -> Callable[[Sequence[str]], E]:
    def read(given: Sequence[str]) -> E:
        try:
            return kinds(given[-1])
        except ValueError:
            raise _RefusedError(f"it is one of {', '.join(kinds)}") from None

    return read


def _whole(least: int, most: int) -> Callable[[Sequence[str]], int]:
    def read(given: Sequence[str]) -> int:
        text = given[-1].strip()
        if not (text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most):
            raise _RefusedError(f"it is a whole number from {least} to {most:,}")
        return int(text)

    return read


def _weight(given: Sequence[str]) -> float:
    try:
        value = float(given[-1])
    except ValueError:
        value = math.nan
    if not 0 <= value <= _MOST_WEIGHT:
        raise _RefusedError("it is a number, 0 or more")
    return value


def _text(given: Sequence[str]) -> str:
    text = xml_text(given[-1])
    if len(text) > _LONGEST:
        raise _RefusedError(f"it has at most {_LONGEST} characters")
    return text


def _texts_of(given: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_repeated(given)))


def _repeated(given: Sequence[str]) -> tuple[str, ...]:
    if len(given) > _MOST_VALUES:
        raise _RefusedError(f"it is there at most {_MOST_VALUES} times")
    return tuple(text for item in given if (text := _text([item])))


def _pairs(given: Sequence[str]) -> tuple[Pair, ...]:
    if len(given) > _MOST_VALUES:
        raise _RefusedError(f"it is there at most {_MOST_VALUES} times")
    return tuple(dict.fromkeys(_pair(text) for text in given))


def _pair(text: str) -> Pair:
    try:
        value = json.loads(text) if len(text) <= 3 * _LONGEST else None
    except (ValueError, RecursionError):
        value = None
    match value:
        case [str(a), str(b)] if a and b:
            return pair_of(_text([a]), _text([b]))
        case _:
            raise _RefusedError("a relation is two names in brackets")


def _edge(given: Sequence[str]) -> Pair:
    if len(given) != 2 or not all(given):
        raise _RefusedError("it is there twice, once for each end of a relation")
    return pair_of(_text(given[:1]), _text(given[1:]))


_READERS: dict[str, Callable[[Sequence[str]], Any]] = {
    "scope": _choice(Scope),
    "rank": _choice(Rank),
    "shown": _whole(FEWEST_SHOWN, MOST_SHOWN),
    "focus": _texts_of,
    "hops": _whole(1, MOST_HOPS),
    "paths": _whole(1, MOST_PATHS),
    "documents": _texts_of,
    "nodes": _texts_of,
    "pairs": _pairs,
    "community": _text,
    "find": _text,
    "types": _texts_of,
    "min_degree": _whole(0, 1_000_000),
    "min_weight": _weight,
    "keyword": _text,
    "text": _text,
    "expanded": _repeated,
    "layout": _choice(Layout),
    "colour": _choice(Colour),
    "chosen": _texts_of,
    "edge": _edge,
}
