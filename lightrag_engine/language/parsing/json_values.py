"""Finding JSON values in a text that also holds prose, fences, program code, or stops half-way."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import json_repair

# strict=False: a line break inside a string is a fault that says what it means.
_DECODER = json.JSONDecoder(strict=False)
_OPENING = re.compile(r"[{\[]")
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
# Beyond this many failed attempts a text is noise (or an attack on our patience).
_MAX_ATTEMPTS = 500


@dataclass(frozen=True, slots=True)
class FoundValues:
    """Objects and lists of a text in order, and how they were found.

    `repaired` and `unreadable` count objects with one of the wanted keys; `truncated`: the last one is cut
    off. `tail` is the text after the last value.
    """

    values: tuple[Any, ...]
    repaired: int
    unreadable: int
    truncated: bool
    tail: str


def find_values(text: str, keys: Sequence[str]) -> FoundValues:
    """Return the outermost JSON objects and lists; where an outer one is damaged, the whole ones inside it.

    An object that is damaged itself and has one of `keys` is repaired, unless the text ends before it does.
    """
    wanted = re.compile(rf"[\"'“](?:{'|'.join(map(re.escape, keys))})[\"'”]\s*:", re.IGNORECASE)
    values: list[Any] = []
    repaired = unreadable = 0
    truncated = False
    at = last = attempts = 0
    while (opening := _OPENING.search(text, at)) and attempts < _MAX_ATTEMPTS:
        value, end = _decode(text, opening.start())
        if end:
            values.append(value)
            at = last = end
            continue
        attempts += 1
        at = opening.end()
        if opening[0] == "[":
            continue
        following = text.find("{", at)
        region = text[opening.start() : following if following >= 0 else len(text)]
        if not wanted.search(region):
            continue
        closing = region.rfind("}")
        if closing < 0:
            truncated = truncated or following < 0
            unreadable += following >= 0
            continue
        mended = json_repair.loads(region[: closing + 1])
        if isinstance(mended, dict) and mended:
            values.append(mended)
            repaired += 1
            at = last = opening.start() + closing + 1
        else:
            unreadable += 1
    return FoundValues(tuple(values), repaired, unreadable, truncated, text[last:])


def _decode(text: str, start: int) -> tuple[Any, int]:
    """Return the value that begins at `start` and where it ends; an end of 0 means that there is none."""
    for candidate in (text, None):
        try:
            if candidate is not None:
                return _DECODER.raw_decode(candidate, start)
            # A comma before a closing bracket is the most common fault of a whole value.
            mended = _TRAILING_COMMA.sub("", text[start:])
            value, end = _DECODER.raw_decode(mended)
            return value, start + _unmended(text[start:], end)
        except (ValueError, RecursionError):
            continue
    return None, 0


def _unmended(original: str, end: int) -> int:
    """Return the offset in the original text of an offset in the text without trailing commas."""
    removed = 0
    for comma in _TRAILING_COMMA.finditer(original):
        if comma.start() - removed >= end:
            break
        removed += 1
    return end + removed
