"""Putting text of documents into Markdown so that it is shown as plain text."""

from __future__ import annotations

import re

_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_ACTIVE = re.compile(r"[\\`*_\[\]<>&$~|#!{}]|:(?=\S)|(?<=\S):")
_LINE_MARK = re.compile(r"^(?:[-+=]|\d{1,9}[.)])")
# Streamlit draws these two even when the colon is escaped: it looks for them in the rendered text.
_ICON = re.compile(r":(?=material/\w+:|streamlit:)")
_WORD_JOINER = "\u2060"


def escape_markdown(text: str) -> str:
    """Return Markdown that renders as this text, on one line, with no markup of its own.

    Covers CommonMark, tables and strike-through, ``$`` mathematics, and Streamlit's emoji codes, colours
    (``:red[…]``) and icons. White space and control characters become single spaces. Icon codes get
    an invisible word joiner after their colon, for a backslash does not stop them.

    Examples
    --------
    >>> print(escape_markdown("costs $5 *today*"))
    costs \\$5 \\*today\\*
    """
    line = _BLANKS.sub(" ", text).strip()
    line = _ICON.sub(":" + _WORD_JOINER, line)
    line = _ACTIVE.sub(lambda match: "\\" + match[0], line)
    return _LINE_MARK.sub(lambda match: match[0][:-1] + "\\" + match[0][-1], line)
