"""JSON and JSON lines as readable text: keys and values, arrays of objects as records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from lightrag_engine.documents import sniffing
from lightrag_engine.documents.clean import clean, one_line
from lightrag_engine.documents.content import Content
from lightrag_engine.documents.limits import Limits
from lightrag_engine.documents.text import Decoded, decode
from lightrag_engine.documents.titles import shorten
from lightrag_engine.errors import DocumentError

_MAX_INDENT = 8
# What fits on the one line of a record.
_RECORD_DEPTH, _RECORD_VALUES, _RECORD_TEXT = 3, 60, 300


class Members(list[tuple[str, Any]]):
    """A JSON object with its members in order, repeated keys included."""


# Numbers stay as they are written: 1.10 and digits beyond what a float can hold.
_DECODER = json.JSONDecoder(
    object_pairs_hook=Members, parse_float=str, parse_int=str, parse_constant=str, strict=False
)


def read_json(data: bytes, name: str, limits: Limits) -> Content:
    """Read a JSON file. One that holds a value a line, as JSON lines do, is read as such.

    Raises
    ------
    DocumentError
        When it is not JSON (the message says where it goes wrong) or is nested too deeply.
    """
    decoded = _decoded(data, name)
    text = decoded.text.strip()
    try:
        value = _parsed(text, name)
    except json.JSONDecodeError as error:
        lines = _lines(text, name)
        if "\n" in text and lines[0] and not lines[1]:
            return _content(lines[0], "", decoded)
        raise DocumentError(
            f"{name} is not valid JSON: {error.msg} in line {error.lineno:,}, column {error.colno:,}.",
            hint="Correct it there, or rename the file to .txt to have it read as plain text.",
        ) from None
    return _content([value], _title(value), decoded)


def read_json_lines(data: bytes, name: str, limits: Limits) -> Content:
    """Read a file of one JSON value a line; lines that hold something else are read as they are, and said.

    Raises
    ------
    DocumentError
        When no line is JSON, or one is nested too deeply.
    """
    decoded = _decoded(data, name)
    values, bad = _lines(decoded.text, name)
    if bad and bad == len(values):
        raise DocumentError(
            f"No line of {name} is JSON.", hint="Rename the file to .txt to have it read as plain text."
        )
    content = _content(values, "", decoded)
    if not bad:
        return content
    lines = "1 line is" if bad == 1 else f"{bad:,} lines are"
    return Content(
        content.text,
        encoding=content.encoding,
        warnings=(*content.warnings, f"{lines} not JSON and read as plain text"),
    )


def _decoded(data: bytes, name: str) -> Decoded:
    kind = sniffing.kind_of(data)
    if kind != sniffing.TEXT:
        raise DocumentError(f"{name} is {kind}, not JSON.", hint="Give the file the extension of its format.")
    return decode(data)


def _content(values: list[Any], title: str, decoded: Decoded) -> Content:
    # Several values are the lines of a file, records like the items of an array.
    text = "\n".join(_walk(values if len(values) != 1 else values[0]))
    return Content(clean(text).strip("\n"), title, encoding=decoded.encoding, warnings=decoded.warnings)


def _parsed(text: str, name: str) -> Any:
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise DocumentError(
            f"{name} is nested too deeply to be read.", hint="Flatten it, or take out the part that matters."
        ) from None


def _lines(text: str, name: str) -> tuple[list[Any], int]:
    """Return the value of each line, and how many lines hold none: these are given as text."""
    values: list[Any] = []
    bad = 0
    for line in filter(None, map(str.strip, text.split("\n"))):
        try:
            values.append(_parsed(line, name))
        except json.JSONDecodeError:
            bad += 1
            values.append(line)
    return values, bad


def _title(value: Any) -> str:
    """Return what an object on top calls itself."""
    members = dict(value) if isinstance(value, Members) else {}
    found = members.get("title") or members.get("name")
    return shorten(found) if isinstance(found, str) else ""


def _walk(value: Any) -> Iterator[str]:
    """Yield the lines of a value. Without recursion: JSON may be nested deeper than Python can call."""
    waiting: list[tuple[int, str, Any, bool]] = [(0, "", value, False)]
    while waiting:
        depth, key, value, is_item = waiting.pop()
        indent, label = "  " * min(depth, _MAX_INDENT), f"{key}: " if key else ""
        if not isinstance(value, list):
            yield f"{indent}{label}{_scalar(value)}"
        elif not value:
            continue
        elif (is_item or not isinstance(value, Members)) and (line := _record(value)) is not None:
            yield f"{indent}{label}{line}"
        else:
            if key:
                yield f"{indent}{key}:"
            elif is_item:
                yield ""  # an item of several lines stands apart
            inner = depth + bool(key)
            if isinstance(value, Members):
                waiting.extend((inner, one_line(name), item, False) for name, item in reversed(value))
            else:
                waiting.extend((inner, "", item, True) for item in reversed(value))


def _record(value: Any) -> str | None:
    """Return an item of an array on one line, so that it makes sense alone; None when it holds too much."""
    pairs = _pairs(value, "", 0)
    if pairs is None or len(pairs) > _RECORD_VALUES:
        return None
    return "; ".join(f"{path}: {text}" if path else text for path, text in pairs)


def _pairs(value: Any, path: str, depth: int) -> list[tuple[str, str]] | None:
    if isinstance(value, Members):
        pairs: list[tuple[str, str]] = []
        for name, member in value:
            inner = _pairs(member, f"{path}.{one_line(name)}" if path else one_line(name), depth + 1)
            if inner is None or depth >= _RECORD_DEPTH or len(pairs) > _RECORD_VALUES:
                return None
            pairs += inner
        return pairs
    items = value if isinstance(value, list) else [value]
    if any(isinstance(item, list) for item in items) or len(items) > _RECORD_VALUES:
        return None
    text = ", ".join(map(_scalar, items))
    if len(text) > _RECORD_TEXT or "\n" in text:
        return None
    return [(path, text)] if value is not None and text else []


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).strip()
