"""Answers of a model as Markdown that is safe to show.

Streamlit's Markdown fetches pictures, follows links, draws diagrams and colours text. An answer can repeat
what a hostile document said, so it is parsed, and written anew from what is allowed: paragraphs, headings,
lists, tables, quotes, code and emphasis. All text in it is escaped, so nothing else can come through.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from lightrag_engine.markdown import escape_markdown

_CITATION = re.compile(r"\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]")
_ADDRESS = re.compile(r"(?:https?|ftp):(?=//)|\bwww(?=\.)|\w(?=@\w)", re.IGNORECASE)
MARKED = ":orange-background"
_BEGINS, _ENDS = "\ue000", "\ue001"
_SIGNS = re.compile(f"[{_BEGINS}{_ENDS}]")
_MARKED_PART = re.compile(f"{_BEGINS}([^{_ENDS}]*){_ENDS}")
# Signs that mean something only where a line, a cell or a word begins, or right beside a word.
_LEADS = re.compile(r"^(?:\s|[-*+>#|_~`]|\d{1,3}[.)]\s)*")
_TRAILS = " \t\n*_~`|"
# A heading of an answer stands below those of the page.
_TOP_HEADING = 4


def safe_answer(text: str, marked: Sequence[tuple[int, int]] = ()) -> str:
    """Return an answer as Markdown without pictures, links, HTML or Streamlit's own codes.

    Pictures become their description, links their text followed by the address as plain text. Citations
    ``[1]`` become badges. The parts ``text[start:end]`` in `marked` get a coloured ground.
    """
    tree = SyntaxTreeNode(_parser().parse(_with_signs(text, marked)))
    if marked:
        _pair_signs(tree)
    return "\n\n".join(_blocks(tree))


def literal(text: str) -> str:
    """Return Markdown that shows a text as it is, without links where it holds addresses."""
    # Streamlit links bare addresses even when their marks are escaped; an invisible joiner parts them.
    return escape_markdown(_ADDRESS.sub(lambda found: found[0] + "\u2060", text))


def _with_signs(text: str, marked: Sequence[tuple[int, int]]) -> str:
    """Return the text with a sign at each end of the marked parts, where no other sign loses its meaning."""
    # Signs of the text itself are nothing that could be seen.
    plain = text.translate({ord(_BEGINS): "\ufffd", ord(_ENDS): "\ufffd"})
    for start, end in sorted(marked, reverse=True):
        part = plain[start:end]
        inside = _LEADS.sub("", part)
        at = start + len(part) - len(inside)
        inside = inside.rstrip(_TRAILS)
        if inside:
            plain = f"{plain[:at]}{_BEGINS}{inside}{_ENDS}{plain[at + len(inside) :]}"
    return plain


def _pair_signs(tree: SyntaxTreeNode) -> None:
    """Let what is marked begin and end within each piece of text, however it is divided by emphasis."""
    is_marked = False
    for node in tree.walk():
        token = node.token if not node.is_nested and not node.is_root and node.type != "inline" else None
        if token is None or not token.content:
            continue
        content = (_BEGINS if is_marked else "") + token.content
        is_marked = content.rfind(_BEGINS) > content.rfind(_ENDS)
        content += _ENDS if is_marked else ""
        token.content = content if node.type == "text" else _SIGNS.sub("", content)


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _blocks(parent: SyntaxTreeNode) -> list[str]:
    return [block for child in parent.children if (block := _block(child))]


def _block(node: SyntaxTreeNode) -> str:
    match node.type:
        case "paragraph":
            return _inline(node)
        case "heading":
            return f"{'#' * min(int(node.tag[1]) + _TOP_HEADING - 1, 6)} {_inline(node)}"
        case "bullet_list":
            return "\n".join(_item("- ", item) for item in node.children)
        case "ordered_list":
            first = int(node.attrs.get("start", 1))
            return "\n".join(_item(f"{first + n}. ", item) for n, item in enumerate(node.children))
        case "blockquote":
            return "\n".join(f"> {line}" for line in "\n\n".join(_blocks(node)).split("\n"))
        case "fence" | "code_block":
            return _fence(node.content)
        case "hr":
            return "---"
        case "table":
            return _table(node)
        case _:
            return "\n\n".join(_blocks(node))


def _item(mark: str, node: SyntaxTreeNode) -> str:
    return mark + "\n\n".join(_blocks(node)).replace("\n", "\n" + " " * len(mark))


def _fence(code: str) -> str:
    # The language is left out: a "mermaid" block would be drawn, and its nodes can fetch pictures.
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{code.rstrip()}\n{fence}"


def _table(node: SyntaxTreeNode) -> str:
    rows = [
        [_inline(cell) or " " for cell in row.children] for part in node.children for row in part.children
    ]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def _inline(node: SyntaxTreeNode) -> str:
    match node.type:
        case "text":
            return _text(node.content)
        case "code_inline":
            return _code(node.content)
        case "softbreak":
            return "\n"
        case "hardbreak":
            return "  \n"
        case "image":
            return _text(node.content)
        case "link":
            return _link(node)
        case "em" | "strong" | "s":
            mark = {"em": "*", "strong": "**", "s": "~~"}[node.type]
            inside = _children(node)
            return f"{mark}{inside}{mark}" if inside.strip() else inside
        case _:
            return _children(node)


def _children(node: SyntaxTreeNode) -> str:
    return "".join(_inline(child) for child in node.children)


def _link(node: SyntaxTreeNode) -> str:
    label, address = _children(node), str(node.attrs.get("href", ""))
    shown = _text(address)
    return label if label == shown or not address else f"{label} ({shown})"


def _code(content: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", content)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if content.startswith("`") or content.endswith("`") else ""
    return f"{fence}{pad}{content}{pad}{fence}"


def _text(content: str) -> str:
    parts = _MARKED_PART.split(content)
    return "".join(_plain(part, marked=index % 2 == 1) for index, part in enumerate(parts))


def _plain(content: str, *, marked: bool) -> str:
    parts = _CITATION.split(content)
    return "".join(
        " ".join(f":blue-badge[{number.strip()}]" for number in part.split(","))
        if index % 2
        else _escaped(part, marked=marked)
        for index, part in enumerate(parts)
    )


def _escaped(text: str, *, marked: bool = False) -> str:
    # escape_markdown trims; the blanks at the ends part words from emphasis and citations.
    inside = text.strip()
    if not inside:
        return " " if text else ""
    before = " " if text[0].isspace() else ""
    after = " " if text[-1].isspace() else ""
    says = marked and any(char.isalnum() for char in inside)
    shown = f"{MARKED}[{literal(inside)}]" if says else literal(inside)
    return f"{before}{shown}{after}"
