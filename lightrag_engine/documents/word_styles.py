"""What the styles and the numbering of a Word file make of a paragraph: a heading, an item of a list."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_MAX_HEADING = 6
_MAX_LEVEL = 8
_MAX_STYLES_BACK = 20


@dataclass(frozen=True, slots=True)
class Paragraph:
    """`heading` is its level, 0 for none; `list_id` is empty outside lists, `level` counts from 0."""

    heading: int = 0
    list_id: str = ""
    level: int = 0
    bullet: bool = False


def value(element: _Element, *path: str, attribute: str = "val") -> str | None:
    """Return an attribute of a descendant, given by the local names on the way to it."""
    found = element.find("/".join(W + name for name in path))
    return None if found is None else found.get(W + attribute)


class WordStyles:
    """The styles of one document, from its parts ``styles.xml`` and ``numbering.xml``."""

    def __init__(self, styles: _Element | None, numbering: _Element | None) -> None:
        found = [] if styles is None else styles.findall(W + "style")
        self._styles = {str(style.get(W + "styleId")): style for style in found}
        self._headings: dict[str, int] = {}
        self._bullets: dict[tuple[str, int], bool] = {}
        if numbering is not None:
            self._read_numbering(numbering)

    def of(self, paragraph: _Element) -> Paragraph:
        """Return what a paragraph is."""
        properties = paragraph.find(W + "pPr")
        if properties is None:
            return Paragraph()
        style = value(properties, "pStyle") or ""
        heading = _outline(properties) or self._heading(style)
        if heading:
            return Paragraph(heading=min(heading, _MAX_HEADING))
        own = properties.find(W + "numPr")
        list_id = (value(properties, "numPr", "numId") if own is not None else None) or self._of_style(
            style, "numId"
        )
        if not list_id or list_id == "0":
            return Paragraph()
        level = _number((value(own, "ilvl") if own is not None else None) or self._of_style(style, "ilvl"))
        level = min(level, _MAX_LEVEL)
        return Paragraph(list_id=list_id, level=level, bullet=self._bullets.get((list_id, level), True))

    def _heading(self, style: str) -> int:
        if style not in self._headings:
            self._headings[style] = next((n for s in self._chain(style) if (n := _heading_of(s))), 0)
        return self._headings[style]

    def _of_style(self, style: str, name: str) -> str:
        return next((v for s in self._chain(style) if (v := value(s, "pPr", "numPr", name))), "")

    def _chain(self, style: str) -> list[_Element]:
        """Return a style and those it is based on; a circle ends somewhere."""
        chain: list[_Element] = []
        while (element := self._styles.get(style)) is not None and len(chain) < _MAX_STYLES_BACK:
            chain.append(element)
            style = value(element, "basedOn") or ""
        return chain

    def _read_numbering(self, numbering: _Element) -> None:
        formats = {
            (str(abstract.get(W + "abstractNumId")), _number(level.get(W + "ilvl"))): value(level, "numFmt")
            for abstract in numbering.findall(W + "abstractNum")
            for level in abstract.findall(W + "lvl")
        }
        for number in numbering.findall(W + "num"):
            abstract_id = value(number, "abstractNumId")
            for (id_, level), format_ in formats.items():
                if id_ == abstract_id:
                    self._bullets[str(number.get(W + "numId")), level] = format_ in ("bullet", "none")


def _heading_of(style: _Element) -> int:
    name = value(style, "name") or ""
    if found := _HEADING.fullmatch(name):
        return int(found[1])
    if name.lower() == "title":
        return 1
    properties = style.find(W + "pPr")
    return 0 if properties is None else _outline(properties)


def _outline(properties: _Element) -> int:
    level = value(properties, "outlineLvl")
    # 9 means body text.
    return _number(level) + 1 if level and _number(level) < 9 else 0


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() else 0
