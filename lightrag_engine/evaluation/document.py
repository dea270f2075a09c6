"""A report as a list of blocks, and the same blocks as one HTML or one Markdown file.

Both files are whole: pictures are inside, nothing is fetched, no script runs. Texts of documents and models
are escaped; of an answer's Markdown only what cannot lead outside is kept.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt

from lightrag_engine.errors import SettingsError
from lightrag_engine.exporting import write_whole
from lightrag_engine.markdown import escape_markdown
from lightrag_engine.names import xml_text


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the title."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as a model wrote it, in Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of plain texts. Columns that hold numbers only are aligned to the right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture: SVG of our own, and what it shows in words."""

    svg: str
    caption: str


Block = Heading | Paragraph | Answer | Table | Figure

_NUMBER = re.compile(r"[-–]?[\d,.]* ?(?:%|s|)(?: .*)?|[\d,.]+|–")
_CSP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
:root { color-scheme: light dark;
  --ink: #262b33; --quiet: #5f656e; --line: #d5d9df; --page: #fff; --tint: #f4f5f8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --quiet: #a9b0ba; --line: #3a404a; --page: #15181d; --tint: #1d2127; } }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--page); max-width: 1000px;
  margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.2rem; } h3 { font-size: 1.05rem; }
.answer { border-left: 3px solid #6a76c4; background: var(--tint); padding: .4rem 1rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .6rem; text-align: left;
  vertical-align: top; }
th { color: var(--quiet); font-weight: 600; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
figure { margin: 1rem 0; background: #fff; padding: .6rem;
  border: 1px solid var(--line); border-radius: 6px; }
figure svg { max-width: 100%; height: auto; } figcaption { color: #5f656e; font-size: .85rem; }
"""


def as_html(blocks: Sequence[Block]) -> str:
    """Return blocks as one HTML page that needs no network and runs no script."""
    title = next((block.text for block in blocks if isinstance(block, Heading)), "Report")
    body = "\n".join(map(_html, blocks))
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        f'<meta http-equiv="Content-Security-Policy" content="{_CSP}">'
        "<meta name='viewport' content='width=device-width'>"
        f"<title>{_plain(title)}</title><style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def as_markdown(blocks: Sequence[Block]) -> str:
    """Return blocks as one Markdown file; pictures stand in it as data."""
    return "\n\n".join(map(_markdown, blocks)) + "\n"


_FORMATS = {".html": as_html, ".md": as_markdown}


def check_report_path(path: Path) -> None:
    """Raise `SettingsError` when no report can be written there: the ending, or the folder."""
    if path.suffix.lower() not in _FORMATS:
        raise SettingsError(
            f"A report cannot be written as “{path.name}”.",
            hint=f"Choose a name that ends in {' or '.join(_FORMATS)}.",
        )
    if not path.parent.is_dir():
        raise SettingsError(f"There is no folder “{path.parent}”.", hint="Create it, or choose another one.")


def write_report(blocks: Sequence[Block], path: Path) -> Path:
    """Write blocks as one file; its ending, ``.html`` or ``.md``, says how.

    Raises
    ------
    SettingsError
        When the ending is another one, or the file cannot be written.
    """
    check_report_path(path)
    text = _FORMATS[path.suffix.lower()](blocks)
    return write_whole(path, lambda file: file.write(text))


def _html(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"<h{level}>{_plain(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{_plain(text)}</p>"
        case Answer(text):
            return f"<div class='answer'>{_parser().render(xml_text(text))}</div>"
        case Figure(svg, caption):
            return f"<figure>{svg}<figcaption>{_plain(caption)}</figcaption></figure>"
        case Table():
            return _html_table(block)


def _html_table(table: Table) -> str:
    numeric = [all(_NUMBER.fullmatch(row[i]) for row in table.rows) for i in range(len(table.columns))]

    def cells(tag: str, row: Sequence[str]) -> str:
        marks = (" class='number'" if is_number else "" for is_number in numeric)
        return "".join(f"<{tag}{m}>{_plain(cell)}</{tag}>" for cell, m in zip(row, marks, strict=True))

    rows = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in table.rows)
    return (
        f"<div class='scroll'><table><thead><tr>{cells('th', table.columns)}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _markdown(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {escape_markdown(text)}"
        case Paragraph(text):
            return escape_markdown(text)
        case Answer(text):
            lines = (_marked_line(line) for line in xml_text(text).splitlines())
            return "\n".join(f"> {line}".rstrip() for line in lines) or ">"
        case Figure(svg, caption):
            data = base64.b64encode(svg.encode()).decode()
            return f"![{escape_markdown(caption)}](data:image/svg+xml;base64,{data})"
        case Table(columns, rows):
            ruled = f"|{' --- |' * len(columns)}"
            head, *body = (f"| {' | '.join(map(escape_markdown, row))} |" for row in (columns, *rows))
            return "\n".join((head, ruled, *body))


_LINE_START = re.compile(r"\s*(?:#{1,6}\s|[-*+]\s|\d{1,3}[.)]\s)?")


def _marked_line(line: str) -> str:
    """Return a line of an answer with its heading or list mark, and all other text escaped."""
    found = _LINE_START.match(line)
    start = found[0] if found else ""
    return start + escape_markdown(line[len(start) :])


@cache
def _parser() -> MarkdownIt:
    # Without these rules a picture or a link in an answer stays the text that it is.
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return parser.disable(["image", "link", "autolink", "reference"])


def _plain(text: str) -> str:
    return escape(xml_text(text))
