"""What a spreadsheet shows for a value and its number format."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal

_TOKEN = re.compile(r'"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|[#0?.,]+|[^"\\]', re.DOTALL)
_SECTION_END = re.compile(r'((?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\\[])*);?')
_CURRENCY = re.compile(r"\[\$([^\]-]*)[^\]]*\]")
# Beyond these the general form is clearer, and nobody writes such formats.
_MAX_FORMAT, _MAX_PLACES = 200, 30


def cell_text(value: object, number_format: str) -> str:
    """Return a cell's value as text: dates as 2024-05-03, numbers with their decimals, percent and currency.

    Examples
    --------
    >>> cell_text(0.256, "0.0%"), cell_text(1234.5, '#,##0.00 "€"'), cell_text(-3, "0;(0)")
    ('25.6%', '1,234.50 €', '(3)')
    >>> cell_text(datetime.datetime(2024, 5, 3), "dd.mm.yyyy"), cell_text(True, "General")
    ('2024-05-03', 'TRUE')
    """
    match value:
        case bool():
            return str(value).upper()
        case int() | float():
            return _number(value, number_format)
        case datetime.datetime():
            if value.time() == datetime.time():
                return value.date().isoformat()  # programs write plain dates as midnight
            return value.isoformat(" ", "minutes" if not value.second else "seconds")
        case datetime.time():
            return value.isoformat("minutes" if not value.second else "seconds")
    return str(value)


def _number(value: float, number_format: str) -> str:
    if number_format in ("General", "@", "") or len(number_format) > _MAX_FORMAT or abs(value) > 1e15:
        return _general(value)
    sections = [found for found in _SECTION_END.findall(number_format) if found][:3] or [""]
    own_sign = value < 0 and len(sections) > 1
    section = sections[1] if own_sign else sections[2] if value == 0 and len(sections) > 2 else sections[0]
    literals, places = _parse(section)
    if not places:
        # Words in place of the number, as in 0;-0;"none", or a form that is not followed here.
        return literals.strip() if places is not None and literals.strip() else _general(value)
    number = Decimal(repr(abs(value)))
    number *= 100 ** literals.count("%")
    shown = _digits(number, places)
    negative = value < 0 and not own_sign and any(digit in "123456789" for digit in shown)
    return ("-" if negative else "") + literals.replace("\x00", shown, 1).strip()


def _parse(section: str) -> tuple[str, str | None]:
    """Return the literal text of a format with NUL where its number stands, and how that is written.

    The latter is "" for nothing but text, and None when it is no plain number (a fraction, an exponent).
    """
    literals, places = "", ""
    for token in _TOKEN.findall(_CURRENCY.sub(lambda found: f'"{found[1]}"', section)):
        if token[0] in "#0?.,":
            if places or len(token) > _MAX_PLACES:
                return literals, None
            literals, places = literals + "\x00", token
        elif token[0] == '"':
            literals += token[1:-1]
        elif token[0] == "\\":
            literals += token[1]
        elif token[0] in "/eE@":
            return literals, None
        elif token[0] not in "_*[":
            literals += token
    return literals, places


def _digits(number: Decimal, places: str) -> str:
    kept = places.rstrip(",")
    number /= 1000 ** (len(places) - len(kept))  # each comma at the end: thousands
    whole, _, fraction = kept.partition(".")
    decimals, needed = len(fraction), fraction.count("0")
    shown = f"{number:{',' if ',' in whole else ''}.{decimals}f}"
    if decimals > needed:
        head, _, tail = shown.partition(".")
        tail = tail[:needed] + tail[needed:].rstrip("0")
        shown = f"{head}.{tail}" if tail else head
    return shown.zfill(whole.count("0") + (len(shown) - len(shown.partition(".")[0])))


def _general(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.15g}"
