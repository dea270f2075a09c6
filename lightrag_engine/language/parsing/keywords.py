"""The reply to the keywords task: a JSON object with two lists, in whatever it is wrapped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import json_repair

from lightrag_engine.language.parsing.fields import read_keywords, read_text
from lightrag_engine.language.parsing.json_values import find_values
from lightrag_engine.language.parsing.reasoning import strip_reasoning

MAX_KEYWORDS = 12
MAX_LENGTH = 120  # characters; what is longer is a sentence, not a keyword

_HIGH = ("high_level_keywords", "high_level", "themes")
_LOW = ("low_level_keywords", "low_level", "entities")
_LIST = r"[\"'“”`]*\s*[:=]\s*(\[[^\]]*\]?)"
_BARE_HIGH = re.compile(r"high[ _-]?level(?:[ _-]?keywords)?" + _LIST, re.IGNORECASE)
_BARE_LOW = re.compile(r"low[ _-]?level(?:[ _-]?keywords)?" + _LIST, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParsedKeywords:
    """The two lists, and the question made self-contained when the reply holds one."""

    high_level: tuple[str, ...]
    low_level: tuple[str, ...]
    question: str = ""


def parse_keywords(text: str) -> ParsedKeywords | None:
    """Return the keywords in a reply; None when no part of it holds the two lists.

    Other objects, braces in prose and program code are passed over; of several fitting objects the last one
    that is not empty counts, since what stands before it is a draft or an echo of the request.

    Examples
    --------
    >>> parse_keywords('Sure! {"high_level_keywords": ["fares"], "low_level_keywords": ["Mara Quill"]}')
    ParsedKeywords(high_level=('fares',), low_level=('Mara Quill',), question='')
    """
    answer, _ = strip_reasoning(text)
    best: ParsedKeywords | None = None
    for value in find_values(answer, (*_HIGH, *_LOW)).values:
        found = _from_object(value)
        if found and (best is None or found.high_level or found.low_level):
            best = found
    return best or _from_text(answer)


def _from_object(value: Any) -> ParsedKeywords | None:
    if not isinstance(value, Mapping):
        return None
    item = {re.sub(r"[ -]", "_", str(key).strip().casefold()): part for key, part in value.items()}
    high = next((_words(item[key]) for key in _HIGH if _is_words(item.get(key))), None)
    low = next((_words(item[key]) for key in _LOW if _is_words(item.get(key))), None)
    if high is None and low is None:
        return None
    question = item.get("question")
    return ParsedKeywords(high or (), low or (), read_text(question) if isinstance(question, str) else "")


def _from_text(text: str) -> ParsedKeywords | None:
    """Read lists that stand in the text under their names: ``high_level_keywords = ["fares"]``."""
    lists = []
    for pattern in (_BARE_HIGH, _BARE_LOW):
        found = pattern.findall(text)
        lists.append(_words(json_repair.loads(found[-1])) if found else ())
    high, low = lists
    return ParsedKeywords(high, low) if high or low else None


def _is_words(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list) and not any(isinstance(v, dict | list) for v in value)
    )


def _words(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        words = read_keywords(value)
    elif isinstance(value, list):
        words = tuple(read_text(str(part)) for part in value if isinstance(part, str | int | float))
    else:
        words = ()
    distinct = {word.casefold(): word for word in reversed(words) if word and len(word) <= MAX_LENGTH}
    return tuple(reversed(distinct.values()))[:MAX_KEYWORDS]
