"""Linking a question to the graph: which names stand in it, exactly, before any vector is asked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

# One unit a character in scripts that write no spaces, else a word; an apostrophe ends a word ("Thanda's").
_UNIT = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\\W_]+")
_BRACKET = re.compile(r"(?<=\S)\s*(?:\([^)]*\)|\[[^\]]*\])\s*$")
_LONGEST = 16  # units of a name that are compared


@dataclass(frozen=True, slots=True)
class Link:
    """A stretch of a question that is a name, and the nodes that bear it.

    `is_name` is false for a single word in small letters: "film" may be an entity, but hardly what is asked
    about.
    """

    text: str
    nodes: tuple[int, ...]
    is_name: bool = True


class NameTable:
    """Names by their units, each with the nodes that bear it.

    Parameters
    ----------
    names
        Spellings with their node. A bracket at the end, which only tells namesakes apart, may be missing in
        a question: "Mercury" finds "Mercury (planet)".
    common
        Words that are no names when they stand alone.

    Examples
    --------
    >>> table = NameTable([("Saw Thanda", 0), ("Mercury (planet)", 1)], frozenset())
    >>> table.links("Where did Saw Thanda's husband die, on mercury?")
    (Link(text='Saw Thanda', nodes=(0,), is_name=True), Link(text='mercury', nodes=(1,), is_name=False))
    """

    def __init__(self, names: Iterable[tuple[str, int]], common: frozenset[str]) -> None:
        self._nodes: dict[tuple[str, ...], dict[int, None]] = {}
        for name, node in names:
            for units in _spelled(name):
                if not common.issuperset(units):
                    self._nodes.setdefault(units, {})[node] = None
        self._longest = max(map(len, self._nodes), default=0)

    def links(self, question: str) -> tuple[Link, ...]:
        """Return the names in a question from left to right; the longest one counts where they overlap."""
        units = _units(question)
        found: list[Link] = []
        at = 0
        while at < len(units):
            for length in range(min(self._longest, len(units) - at), 0, -1):
                nodes = self._nodes.get(tuple(unit for unit, _, _ in units[at : at + length]))
                if nodes:
                    text = question[units[at][1] : units[at + length - 1][2]]
                    found.append(Link(text, tuple(nodes), length > 1 or not text.islower()))
                    at += length
                    break
            else:
                at += 1
        return tuple(found)


def without_bracket(name: str) -> str:
    """Return a name without the bracket that only tells it from its namesakes."""
    return (_BRACKET.sub("", name) or name) if name.rstrip()[-1:] in (")", "]") else name


@lru_cache(maxsize=200_000)  # the names of a workspace, which are mostly the same at its next revision
def _spelled(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the units of a name, and those of it without a bracket, where they are not too many."""
    spellings = dict.fromkeys((name, without_bracket(name)))
    found = (tuple(map(_fold, _UNIT.findall(spelling))) for spelling in spellings)
    return tuple(units for units in found if 0 < len(units) <= _LONGEST)


def _units(text: str) -> list[tuple[str, int, int]]:
    """Return the units of a text, folded, each with its place."""
    return [(_fold(match[0]), match.start(), match.end()) for match in _UNIT.finditer(text)]


def _fold(unit: str) -> str:
    """Return a unit without case and accents: "Mestrovic" finds "Meštrović"."""
    if unit.isascii():
        return unit.casefold()
    apart = unicodedata.normalize("NFKD", unit.casefold())
    return unicodedata.normalize("NFKC", "".join(c for c in apart if not unicodedata.combining(c))) or unit
