"""The text of a document in parts to read, each with the chunks it consists of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lightrag_engine.records import Chunk, Entity

# About a page on the screen.
PART_LENGTH = 4000


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a text, without the overlap of its chunks."""

    text: str
    chunks: tuple[Chunk, ...]


def parts(text: str, chunks: Sequence[Chunk], length: int = PART_LENGTH) -> list[Part]:
    """Cut a text where chunks begin, into parts of at least `length` characters; joined they give it back."""
    groups: list[list[Chunk]] = []
    for chunk in chunks:
        if groups and chunk.start - groups[-1][0].start < length:
            groups[-1].append(chunk)
        else:
            groups.append([chunk])
    starts = [0, *(group[0].start for group in groups[1:]), len(text)]
    return [
        Part(text[start:end], tuple(group))
        for group, start, end in zip(groups, starts[:-1], starts[1:], strict=True)
    ]


def pages_of(chunks: Sequence[Chunk]) -> str:
    """Return the pages on which chunks stand; empty for formats without pages.

    Examples
    --------
    >>> pages_of([Chunk("", "", 1, 0, "", page_first=2, page_last=3)])
    'pages 2–3'
    """
    numbers = [page for c in chunks for page in (c.page_first, c.page_last) if page is not None]
    if not numbers:
        return ""
    first, last = min(numbers), max(numbers)
    return f"page {first}" if first == last else f"pages {first}–{last}"


def spellings(entities: Iterable[Entity]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the type of each spelling, and the key of its entity by the folded spelling."""
    kinds: dict[str, str] = {}
    keys: dict[str, str] = {}
    for entity in entities:
        for spelling in (entity.name, *entity.spellings):
            kinds.setdefault(spelling, entity.type)
            keys.setdefault(spelling.casefold(), entity.key)
    return kinds, keys
