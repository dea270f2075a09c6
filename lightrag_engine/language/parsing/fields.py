"""Single fields of a record: names, types, texts, keywords and strengths as models write them."""

from __future__ import annotations

import math
import re
import unicodedata

from lightrag_engine.names import clean_name, fold_name, xml_text
from lightrag_engine.records import UNKNOWN_TYPE

QUOTES = "\"'`“”„‟‘’‚‛«»‹›「」『』＂＇"
MAX_WEIGHT = 10.0
DEFAULT_WEIGHT = 1.0

# Full-width letters, digits and brackets have an ordinary twin; marks of a Chinese sentence stay as they are.
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "，！？：；"}
_EMPHASIS = re.compile(r"^(\*\*|__|\*|_)(?=\S)(.*\S)\1$", re.DOTALL)
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")
_WHOLE_NUMBER = re.compile(
    rf"[\s{QUOTES}*(]*(-?\d+(?:[.,]\d+)?)\s*(?:/\s*\d+|%|points?|out of \d+)?[\s{QUOTES}*).,]*"
)
_WORDS = {
    word: float(number)
    for number, words in enumerate(
        (
            "zero none 零 〇 null",
            "one very-low 一 eins un uno",
            "two 二 两 zwei deux dos",
            "three low weak 三 drei trois tres 低",
            "four 四 vier quatre cuatro",
            "five medium moderate average 五 fünf cinq cinco 中",
            "six 六 sechs",
            "seven 七 sieben sept siete",
            "eight high strong 八 acht huit ocho 高",
            "nine very-high very-strong 九 neun neuf nueve",
            "ten 十 zehn dix diez",
        )
    )
    for word in words.split()
}
_SPLIT = re.compile(r"[,;、，；\n]")
# Names that stand for "here goes a name": copied from a prompt, or a way to say there is none.
_PLACEHOLDERS = frozenset(
    ["entity_name", "source_entity", "target_entity", "src_id", "tgt_id", "n/a", "null"]
)


def unquote(text: str) -> str:
    """Return a text without white space, emphasis and quotes around it; a lone quote at one end goes too."""
    text = text.strip().replace('\\"', '"')
    while True:
        before = text
        if match := _EMPHASIS.match(text):
            text = match[2].strip()
        if len(text) > 1 and text[0] in QUOTES and text[-1] in QUOTES:
            text = text[1:-1].strip()
        elif text and text[0] in QUOTES and not any(c in QUOTES for c in text[1:]):
            text = text[1:].strip()
        elif text and text[-1] in '"“”„＂' and not any(c in QUOTES for c in text[:-1]):
            text = text[:-1].strip()
        if text == before:
            return text


def read_name(text: str) -> str:
    """Return a name as it is shown, or the empty string when it names nothing.

    Full-width letters, digits and brackets become ordinary ones, so that spellings agree.
    """
    name = clean_name(unquote(text).translate(_FULL_WIDTH).replace("\x1f", " "))
    return "" if name.casefold() in _PLACEHOLDERS or not fold_name(name) else name


def read_text(text: str) -> str:
    """Return a description on one line, without outer quotes and forbidden characters."""
    return " ".join(xml_text(unquote(text)).split())


def read_type(text: str) -> str:
    """Return a type in lower case, `UNKNOWN_TYPE` when there is none."""
    kind = (
        " ".join(unquote(text).translate(_FULL_WIDTH).replace("_", " ").split())
        .casefold()
        .strip("[]<>{}().: ")
    )
    return xml_text(kind)[:60] or UNKNOWN_TYPE


def read_keywords(text: str) -> tuple[str, ...]:
    """Return keywords that stand in one field, split at commas and semicolons, each once."""
    parts = (read_text(part.strip(" []*-•")) for part in _SPLIT.split(unquote(text.strip("[] "))))
    return tuple(
        dict.fromkeys(part for part in parts if part and part.casefold() not in ("none", "n/a", "null"))
    )


def is_number(text: str) -> bool:
    """Whether a field is a strength and nothing else: ``8``, ``"8"``, ``8/10``, ``eight``."""
    return _WHOLE_NUMBER.fullmatch(text) is not None or _word(text) in _WORDS


def read_weight(text: str) -> float:
    """Return a strength between 0 and `MAX_WEIGHT`; `DEFAULT_WEIGHT` when the field says nothing usable."""
    plain = unicodedata.normalize("NFKC", text)
    if match := _NUMBER.search(plain):
        value = float(match[0].replace(",", "."))
        return min(max(value, 0.0), MAX_WEIGHT) if math.isfinite(value) else DEFAULT_WEIGHT
    return _WORDS.get(_word(text), DEFAULT_WEIGHT)


def _word(text: str) -> str:
    return "-".join(unquote(text).strip("().").casefold().split())
