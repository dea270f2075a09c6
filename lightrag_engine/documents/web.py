"""HTML: the visible text as light Markdown, without scripts, styles, links and pictures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lightrag_engine.documents import sniffing
from lightrag_engine.documents.clean import clean
from lightrag_engine.documents.content import Content
from lightrag_engine.documents.text import Decoded, decode
from lightrag_engine.documents.titles import markdown_title, sensible_title
from lightrag_engine.errors import DocumentError
from lightrag_engine.settings import Settings

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

# Headings, lists and tables carry meaning; emphasis, addresses and escapes would only disturb names.
PLAIN: dict[str, Any] = {
    "strip": ["a", "img", "b", "strong", "i", "em", "u", "s", "del", "sub", "sup"],
    "escape_asterisks": False,
    "escape_underscores": False,
    "escape_misc": False,
}
# Only text encodings that pages are written in: Python also knows "unicode_escape" and the like.
_DECLARED = re.compile(
    rb"""(?:charset|encoding)\s*=\s*["']?\s*"""
    rb"(utf-?8|us-ascii|iso-8859-\d+|windows-\d+|gb\d+|gbk|big5[\w-]*|shift_jis|euc-\w+|koi8-[ru])\b",
    re.IGNORECASE,
)
# Browsers read these names as the larger encoding, and so do the authors of pages.
_MEANT = {"iso-8859-1": "cp1252", "us-ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_HEAD = 2048


def read_html(data: bytes, name: str, settings: Settings) -> Content:
    """Read an HTML page.

    Raises
    ------
    DocumentError
        When the bytes are not text.
    """
    kind = sniffing.kind_of(data)
    if kind != sniffing.TEXT:
        raise DocumentError(f"{name} is {kind}, not HTML.", hint="Give the file the extension of its format.")
    decoded = _decode_html(data)
    # An XML declaration would make the HTML parser warn.
    markdown, title = _to_markdown(_DECLARATION.sub("", decoded.text))
    text = clean(markdown)
    return Content(
        text,
        sensible_title(title) or markdown_title(text),
        encoding=decoded.encoding,
        warnings=decoded.warnings,
    )


def _decode_html(data: bytes) -> Decoded:
    declared = _DECLARED.search(data[:_HEAD])
    if declared:
        encoding = declared[1].decode("ascii").lower()
        encoding = _MEANT.get(encoding, encoding)
        try:
            return Decoded(data.decode(encoding), encoding)
        except (LookupError, UnicodeError):
            pass  # an unknown or wrong declaration: look at the bytes instead
    return decode(data)


def _to_markdown(html: str) -> tuple[str, str]:
    # Imported here: markitdown costs a second and 20 to 130 MB, for whoever reads such a file.
    from markitdown.converters import HtmlConverter

    try:
        result = HtmlConverter().convert_string(html, strict=True, **PLAIN)
    except RecursionError:
        return _flat_text(html), ""
    return result.markdown, result.title or ""


def _flat_text(html: str) -> str:
    """Return the text of a page that is nested too deeply to be walked: blocks as lines, no Markdown."""
    from bs4 import BeautifulSoup

    soup: BeautifulSoup = BeautifulSoup(html, "html.parser")
    for element in soup(["script", "style", "title"]):
        element.decompose()
    return soup.get_text("\n", strip=True)
