"""The three delimiters of the record format, and every damaged form in which models write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from lightrag_engine.language.parsing.fields import QUOTES

# One character each while a reply is being read; nothing visible can be mistaken for them.
FIELD = "\x1f"
RECORD = "\x1e"
END = "\x1d"
_CONTROL = re.compile("[\x1c-\x1f]")

# "|" alone and the like are delimiters only between two quoted fields, or a quoted one and a number.
_BETWEEN = rf"(?<=[{QUOTES}])\s*{{}}\s*(?=[{QUOTES}]|-?\d)"
_FIELD_FORMS = re.compile(
    r"[<＜〈《]\s*[/\\]?\s*[|｜¦∣]{1,3}\s*[/\\]?\s*[>＞〉》]"
    r"|[<{]{1,2}\|?\s*/?tuple[_ ]delimiter\s*\|?[>}]{1,2}"
    r"|<\|#\|>|<SEP>|" + _BETWEEN.format(r"(?:<\s*/?\s*\|?|/?\|{1,2}\s*>?|<\s*>|/>)"),
    re.IGNORECASE,
)
_COMMAS = re.compile(_BETWEEN.format(r"[,;，；:：\t]"))
_RECORD_FORMS = re.compile(r"[<{]{1,2}\|?\s*/?record[_ ]delimiter\s*\|?[>}]{1,2}", re.IGNORECASE)
_HASHES = re.compile(
    rf"(?:(?<=[)）\]}}】\d{QUOTES}>*\n\x1e])|^) ?"
    rf"(?:[#＃]{{2,}} ?(?=[\n(（\[{{{QUOTES}<＜*•\-\d\x1d\x1e]|$)|#$)"
)
_END_FORMS = re.compile(
    r"[<＜{]{1,2}\s*/?\s*[|｜]?\s*/?(?:complete[d]?|completion[_ ]delimiter)\s*[|｜]?\s*[>＞}]{1,2}"
    r"|[|｜]COMPLETE[D]?[|｜]?>?|<\|?COMPLETE[D]?\b",
    re.IGNORECASE,
)
_PIPE_LINE = re.compile(
    r"^[^\w\n]*(?:entity|relation|relationship)[^\w\n|]*\|.*$", re.IGNORECASE | re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Delimiters:
    """What separates fields and records, and what ends a reply."""

    field: str = "<|>"
    record: str = "##"
    completion: str = "<|COMPLETE|>"


def mark(text: str, delimiters: Delimiters) -> tuple[str, int]:
    """Return a text with its delimiters as `FIELD`, `RECORD`, `END`, and how many of them were damaged.

    White space is collapsed first: it means nothing here, and long runs of it would make the patterns slow.
    """
    text = _collapse(_CONTROL.sub("", text))
    damaged = 0
    for pattern, token, exact in (
        (_END_FORMS, END, delimiters.completion),
        (_RECORD_FORMS, RECORD, None),
        (_FIELD_FORMS, FIELD, delimiters.field),
    ):
        # The mark of completion is matched without regard to case: that is no damage worth a report.
        plain = exact.casefold() if exact else None
        if exact:
            text = _exact(exact).sub(token, text)
        found = [m[0] for m in pattern.finditer(text)]
        damaged += sum(m.casefold().strip() != plain for m in found)
        text = pattern.sub(token, text)
    if delimiters.record != "##":
        text = _exact(delimiters.record).sub(RECORD, text)
    text = _HASHES.sub(RECORD, text)
    if FIELD not in text:
        text, commas = _COMMAS.subn(FIELD, text)
        damaged += commas
    if FIELD not in text:
        text, lines = _PIPE_LINE.subn(lambda line: re.sub(r" ?\| ?", FIELD, line[0].strip("| ")), text)
        damaged += lines
    return text, damaged


@cache
def _exact(delimiter: str) -> re.Pattern[str]:
    return re.compile(re.escape(delimiter), re.IGNORECASE)


def _collapse(text: str) -> str:
    lines = [" ".join(line.split()) for line in text.splitlines()]
    kept = [line for i, line in enumerate(lines) if line or (i and lines[i - 1])]
    return "\n".join(kept)
