"""HTML: the visible text as light Markdown, without scripts, styles, links and pictures."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from lightrag_engine.documents import sniffing
from lightrag_engine.documents.clean import clean
from lightrag_engine.documents.content import Content
from lightrag_engine.documents.limits import Limits
from lightrag_engine.documents.text import Decoded, decode
from lightrag_engine.documents.titles import markdown_title, sensible_title
from lightrag_engine.errors import DocumentError

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

# Headings, lists and tables carry meaning; emphasis, addresses and escapes would only disturb names.
_PLAIN = ["a", "img", "b", "strong", "i", "em", "u", "s", "del", "sub", "sup"]
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


def read_html(data: bytes, name: str, limits: Limits) -> Content:
    """Read an HTML page.

    Raises
    ------
    DocumentError
        When the bytes are not text.
    """
    kind = sniffing.kind_of(data)
    if kind != sniffing.TEXT:
        raise DocumentError(f"{name} is {kind}, not HTML.", hint="Give the file the extension of its format.")
    decoded = decode_html(data)
    markdown, title = to_markdown(decoded.text)
    text = clean(markdown)
    return Content(
        text,
        sensible_title(title) or markdown_title(text),
        encoding=decoded.encoding,
        warnings=decoded.warnings,
    )


def decode_html(data: bytes) -> Decoded:
    """Decode a page by what it declares, where that fits, else as other text."""
    declared = _DECLARED.search(data[:_HEAD])
    if declared:
        encoding = declared[1].decode("ascii").lower()
        encoding = _MEANT.get(encoding, encoding)
        try:
            return Decoded(data.decode(encoding), encoding)
        except (LookupError, UnicodeError):
            pass  # an unknown or wrong declaration: look at the bytes instead
    return decode(data)


def to_markdown(html: str) -> tuple[str, str]:
    """Return the visible text of a page as light Markdown, and what its title element says."""
    from bs4 import BeautifulSoup
    from markdownify import ATX, MarkdownConverter

    # An XML declaration would make the HTML parser warn.
    # As a stream: of a string it would warn that it looks like a file name or an address.
    soup: BeautifulSoup = BeautifulSoup(io.StringIO(_DECLARATION.sub("", html)), "html.parser")
    title = soup.title.get_text() if soup.title else ""
    for element in soup(["script", "style", "title"]):
        element.extract()
    converter = MarkdownConverter(
        heading_style=ATX,
        strip=_PLAIN,
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
    )
    try:
        return str(converter.convert_soup(soup.body or soup)).strip(), title
    except RecursionError:
        return _flat_text(html), title


def _flat_text(html: str) -> str:
    """Return the text of a page that is nested too deeply to be walked: blocks as lines, no Markdown."""
    from bs4 import BeautifulSoup

    soup: BeautifulSoup = BeautifulSoup(io.StringIO(html), "html.parser")
    for element in soup(["script", "style", "title"]):
        element.decompose()
    return soup.get_text("\n", strip=True)
