"""What a reader of one format family returns."""

from __future__ import annotations

from dataclasses import dataclass

from lightrag_engine.records import PageStart

_PAGE_BREAK = "\n\n"


@dataclass(frozen=True, slots=True)
class Content:
    """The clean text of a file. `title` is what the format itself says ("" when it says nothing)."""

    text: str
    title: str = ""
    pages: tuple[PageStart, ...] = ()
    encoding: str = ""
    warnings: tuple[str, ...] = ()


def join_pages(pages: list[str]) -> tuple[str, tuple[PageStart, ...]]:
    """Join clean page texts by blank lines; return the text and where each page begins, empty ones too."""
    text = _PAGE_BREAK.join(filter(None, pages))
    starts: list[PageStart] = []
    start = 0
    for number, page in enumerate(pages, start=1):
        starts.append(PageStart(number, min(start, len(text))))
        start += len(page) + len(_PAGE_BREAK) if page else 0
    return text, tuple(starts)
