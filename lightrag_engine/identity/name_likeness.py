"""How alike two names are, and why: one part of the other, initials, slips of the pen, another script."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rapidfuzz import fuzz

from lightrag_engine.identity.names import LEGAL_FORMS, LINKING, Name, latin_letters

_NUMBER = re.compile(r"\d|^(?:[ivx]+|one|two|three|first|second|third)$")
_SAYING_NOTHING = LEGAL_FORMS | LINKING
_SAME_WORD = 84.0  # least similarity of two words, in percent, that counts as a slip of the pen
_SAME_BUT_FOR_ACCENTS = 50.0  # below that they are not worth a closer look
_SAME_SOUND = 80.0  # the same for whole names of two scripts
# Shorter words are different words when one letter differs, beside others in a name and alone.
_SHORTEST_SLIP_OF_MORE, _SHORTEST_SLIP = 3, 5


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two names are, from 0 to 1, and the reason in words. `fuller` is the longer one: 0 or 1."""

    score: float
    reason: str
    is_part: bool = False
    fuller: int | None = None


def compare(a: Name, b: Name) -> Likeness | None:
    """Return how alike two names are; None when they are the names of different things."""
    if not a.words or not b.words:
        return None
    if a.script != b.script:
        return _across_scripts(a, b)
    # Characters of Chinese that sound alike are different words.
    if a.latin == b.latin and a.script != "cjk":
        return Likeness(0.85, "the names differ by spaces, punctuation or accents only")
    for fuller, (short, long) in ((1, (a, b)), (0, (b, a))):
        if short.acronym and short.acronym in long.initials and len(long.words) > 1:
            return Likeness(0.7, "one name is the initials of the other", fuller=fuller)
    left, right = _difference(a.words, b.words), _difference(b.words, a.words)
    slips, shortened = _pair_up(left, right, has_more=len(a.words) > 1 and len(b.words) > 1)
    if left and right:
        return None
    rest, fuller = left or right, 0 if left else 1
    if any(_NUMBER.search(word) for word in rest):
        return None
    if rest and _SAYING_NOTHING.issuperset(rest):
        return Likeness(0.8 - 0.15 * slips, "the names differ by the legal form only", fuller=fuller)
    if rest:
        return Likeness(0.55 - 0.15 * slips, "one name is part of the other", is_part=True, fuller=fuller)
    if shortened:
        return Likeness(
            0.6, "one name has initials where the other has words", fuller=int(len(b.text) > len(a.text))
        )
    if slips:
        return Likeness(0.45 + 0.2 * fuzz.ratio(a.text, b.text) / 100, "the names differ by a letter or two")
    return Likeness(0.75, "the names have the same words in another order")


def _across_scripts(a: Name, b: Name) -> Likeness | None:
    """Compare as they sound in Latin letters; family names come first in some languages, last in others."""
    turned = (
        "".join((*b.latin_words[1:], *b.latin_words[:1])),
        "".join((*b.latin_words[-1:], *b.latin_words[:-1])),
    )
    best = max(fuzz.ratio(a.latin, other, score_cutoff=_SAME_SOUND) for other in (b.latin, *turned))
    return Likeness(0.8 * (best / 100) ** 2, "the names sound alike in two scripts") if best else None


def _difference(words: tuple[str, ...], others: tuple[str, ...]) -> list[str]:
    left = list(words)
    for word in others:
        if word in left:
            left.remove(word)
    return left


def _pair_up(left: list[str], right: list[str], has_more: bool) -> tuple[int, int]:
    """Take words that stand for each other out of both lists; return how many were slips and initials."""
    slips = shortened = 0
    for word in tuple(left):
        for candidate in right:
            if _is_slip(word, candidate, _SHORTEST_SLIP_OF_MORE if has_more else _SHORTEST_SLIP):
                slips += 1
            elif has_more and _is_initial(word, candidate):
                shortened += 1
            else:
                continue
            left.remove(word)
            right.remove(candidate)
            break
    return slips, shortened


def _is_slip(a: str, b: str, shortest: int) -> bool:
    if not fuzz.ratio(a, b, score_cutoff=_SAME_BUT_FOR_ACCENTS):
        return False
    one, other = latin_letters(a), latin_letters(b)
    if one == other:
        return bool(one)
    # The first letter is hardly ever wrong.
    if one[:1] != other[:1] or min(len(a), len(b)) < shortest:
        return False
    return not _NUMBER.search(a + b) and fuzz.ratio(one, other) >= _SAME_WORD


def _is_initial(a: str, b: str) -> bool:
    short, long = sorted((a, b), key=len)
    return len(short) == 1 < len(long) and long.startswith(short) and not _NUMBER.search(long)
