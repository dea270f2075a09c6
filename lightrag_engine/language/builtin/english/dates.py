"""Dates by pattern, and numbers cleaned: the tagger's own spans are too wide and too many."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spacy.tokens import Doc, Span

from lightrag_engine.language.builtin.english.lexicon import (
    APPROXIMATIONS,
    UNIT_SYMBOLS,
    VAGUE_NUMBERS,
    words,
)

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?)"
)
_DAY = r"[0-3]?\d(?:st|nd|rd|th)?"
_YEAR = r"(?:1\d{3}|20\d{2})"
_ORDINAL = (
    r"(?:(?:fir|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twentie)(?:st|th)|second|third"
    r"|(?:four|fif|six|seven|eigh|nin|ten|eleven|twelf)th|twenty-first)"
)
_ERA = r"(?:BCE?|CE|AD|B\.C\.|A\.D\.)"
_DATED = re.compile(
    rf"\b(?:{_DAY}(?: of)? {_MONTH}(?: ?,? ?{_YEAR})?\b|{_MONTH} {_DAY}(?: ?, ?{_YEAR}| {_YEAR})?\b"
    rf"|{_MONTH}(?: of|,)? {_YEAR}\b|{_YEAR}-[01]\d-[0-3]\d\b|(?:1\d|20)\d0s\b"
    rf"|\d{{1,2}}(?:st|nd|rd|th)[ -](?:century|centuries)(?: {_ERA})?|\d{{1,4}} {_ERA}(?!\w)"
    rf"|{_ORDINAL}[ -]century|{_YEAR}[–/]\d\d\b)"
)
_DURATION = re.compile(
    r"(?<![\w.,$-])(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty)"
    r"[ -](?:day|week|month|year|decade)s?\b(?![ -]old)",
    re.IGNORECASE,
)
_FIGURE_DIGITS = 3
_BARE_YEAR = re.compile(rf"(?<![\d.,$£€#–-]){_YEAR}(?![\d%]|[.,]\d|-\w)")
_BEFORE_YEAR = words(
    "in since from until till to by of during after before between circa c. ca. early mid late "
    "around about summer winter spring autumn fall ( – - and or , ; born died year"
)


def date_spans(doc: Doc) -> Iterator[Span]:
    """Yield the dates of a text: days, months, years, decades and centuries, without overlaps."""
    end = 0
    found = sorted(_candidates(doc), key=lambda span: (span.start, -span.end))
    for span in found:
        if span.start >= end:
            end = span.end
            yield span


def _candidates(doc: Doc) -> Iterator[Span]:
    for match in _DATED.finditer(doc.text):
        span = doc.char_span(*match.span(), label="DATE", alignment_mode="expand")
        if span is not None:
            yield span
    for match in _BARE_YEAR.finditer(doc.text):
        span = doc.char_span(*match.span(), label="DATE")
        if span is not None and _is_year(doc, span):
            yield span


def _is_year(doc: Doc, span: Span) -> bool:
    tagged = doc[span.start].ent_type_
    before = doc[span.start - 1].lower_ if span.start else ""
    return tagged == "DATE" or (tagged in {"", "CARDINAL"} and before in _BEFORE_YEAR)


def duration_spans(doc: Doc) -> Iterator[Span]:
    """Yield how long something lasted: "five years", "seven-month"."""
    for match in _DURATION.finditer(doc.text):
        span = doc.char_span(*match.span(), label="DATE")
        if span is not None:
            yield span


def without_approximation(number: Span) -> Span | None:
    """Return a number without "about", "more than" and the like; None when nothing or "one" is left."""
    start = number.start
    while start < number.end and number.doc[start].lower_ in APPROXIMATIONS:
        start += 1
    kept = number.doc[start : number.end]
    return None if start == number.end or kept.text.lower() in VAGUE_NUMBERS else kept


def is_large(number: Span) -> bool:
    """Whether a number is a figure that a text states rather than a count of what it lists."""
    text = number.text
    return sum(c.isdigit() for c in text) >= _FIGURE_DIGITS or (
        any(c.isdigit() for c in text) and text.lower().endswith(("million", "billion", "trillion"))
    )


def measure(number: Span) -> Span | None:
    """Return an amount, a share or a measure without "about" and with its sign; None without digits."""
    kept = without_approximation(number)
    if kept is None or not any(c.isdigit() for c in kept.text):
        return None
    # The currency sign is often left out of the span.
    if kept.start and kept.doc[kept.start - 1].text in UNIT_SYMBOLS:
        return kept.doc[kept.start - 1 : kept.end]
    return kept
