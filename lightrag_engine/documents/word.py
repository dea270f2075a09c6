"""Word files: paragraphs, headings, lists, tables, text boxes and notes as light Markdown."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lightrag_engine.documents.clean import clean
from lightrag_engine.documents.content import Content
from lightrag_engine.documents.limits import Limits
from lightrag_engine.documents.packages import core_title, damaged, member, open_package, parse
from lightrag_engine.documents.titles import markdown_title
from lightrag_engine.documents.word_styles import Paragraph, W, WordStyles, value

if TYPE_CHECKING:
    from lxml.etree import _Element

WORD = "a Word document"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
# What a reader of the printed page does not see: removed text, field codes, properties.
_UNSEEN = {W + name for name in ("del", "moveFrom", "instrText", "delText", "pPr", "rPr", "sdtPr", "tblPr")}
_CHARACTERS = {W + "tab": "\t", W + "br": "\n", W + "cr": "\n", W + "noBreakHyphen": "-"}


def read_docx(data: bytes, name: str, limits: Limits) -> Content:
    """Read a Word document as accepted: inserted text counts, deleted text does not; no page numbers.

    Footnotes and endnotes follow the paragraph that refers to them. Headers, footers and comments are left
    out.

    Raises
    ------
    DocumentError
        When it is not a Word document, damaged or encrypted.
    """
    with open_package(data, name, WORD, limits) as archive:
        body = parse(archive.read("word/document.xml")).find(W + "body")
        if body is None:
            raise damaged(name, WORD)
        text = clean(_Text(archive).of(body))
        return Content(text, core_title(archive) or markdown_title(text))


class _Text:
    """Turns the elements of one document into text."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._styles = WordStyles(member(archive, "word/styles.xml"), member(archive, "word/numbering.xml"))
        self._counters: Counter[tuple[str, int]] = Counter()
        self._notes = {
            (kind, str(note.get(W + "id"))): note
            for kind in ("footnote", "endnote")
            if (root := member(archive, f"word/{kind}s.xml")) is not None
            for note in root.findall(W + kind)
            if note.get(W + "type") is None  # the others are separator lines
        }
        self._noted = 0

    def of(self, container: _Element) -> str:
        """Return the text of everything in a container; items of a list stand on neighbouring lines."""
        pieces: list[str] = []
        in_list = False
        for text, is_item in self._blocks(container):
            if pieces:
                pieces.append("\n" if in_list and is_item else "\n\n")
            pieces.append(text)
            in_list = is_item
        return "".join(pieces)

    def _blocks(self, container: _Element) -> Iterator[tuple[str, bool]]:
        for element in _children(container):
            if element.tag == W + "p":
                yield from self._paragraph(element)
            elif element.tag == W + "tbl":
                yield self._table(element), False
            elif element.tag not in _UNSEEN:
                yield from self._blocks(element)

    def _paragraph(self, element: _Element) -> Iterator[tuple[str, bool]]:
        pieces: list[str] = []
        after: list[tuple[str, bool]] = []
        self._inline(element, pieces, after)
        text = "".join(pieces).strip()
        if text:
            style = self._styles.of(element)
            yield self._marked(text, style), bool(style.list_id)
        yield from after

    def _marked(self, text: str, style: Paragraph) -> str:
        if style.heading:
            return "#" * style.heading + " " + " ".join(text.split())
        if not style.list_id:
            return text
        indent = "  " * style.level
        if style.bullet:
            return f"{indent}* {text}"
        self._counters[style.list_id, style.level] += 1
        for key in [key for key in self._counters if key[0] == style.list_id and key[1] > style.level]:
            del self._counters[key]
        return f"{indent}{self._counters[style.list_id, style.level]}. {text}"

    def _inline(self, element: _Element, pieces: list[str], after: list[tuple[str, bool]]) -> None:
        for child in _children(element):
            tag = child.tag
            if tag == W + "t" or tag == _MATH_TEXT:
                pieces.append(child.text or "")
            elif tag in _CHARACTERS:
                pieces.append(_CHARACTERS[tag])
            elif tag in (W + "footnoteReference", W + "endnoteReference"):
                after.extend(self._note(tag.removeprefix(W).removesuffix("Reference"), child))
            elif tag == W + "txbxContent":
                after.extend(self._blocks(child))
            elif tag not in _UNSEEN:
                self._inline(child, pieces, after)

    def _note(self, kind: str, reference: _Element) -> Iterator[tuple[str, bool]]:
        # Taken out: a second reference, or one inside the note itself, would repeat it.
        note = self._notes.pop((kind, str(reference.get(W + "id"))), None)
        text = "" if note is None else " ".join(self.of(note).split())
        if text:
            self._noted += 1
            yield f"Note {self._noted}: {text}", False

    def _table(self, table: _Element) -> str:
        rows = [
            [" ".join(self.of(cell).split()) for cell in _cells(row, W + "tc")]
            for row in _cells(table, W + "tr")
        ]
        rows = [row for row in rows if any(row)]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        if lines:
            lines.insert(1, f"|{' --- |' * len(rows[0])}")
        return "\n".join(lines)


def _children(element: _Element) -> Iterator[_Element]:
    """Yield the children; of alternatives for older and newer programs only the first."""
    for child in element:
        if child.tag == _COMPATIBILITY + "AlternateContent":
            yield from list(child)[:1]
        else:
            yield child


def _cells(element: _Element, tag: str) -> Iterator[_Element]:
    """Yield rows of a table or cells of a row, through content controls, not into nested tables."""
    for child in _children(element):
        if child.tag == tag:
            if tag == W + "tc" or value(child, "trPr", "del", attribute="id") is None:
                yield child
        elif child.tag in (W + "sdt", W + "sdtContent", W + "customXml", W + "ins"):
            yield from _cells(child, tag)
