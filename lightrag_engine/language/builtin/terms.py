"""Tokens and frequent terms of languages for which there is neither a tagger nor a dictionary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from lightrag_engine.language.builtin.detect import FUNCTION_WORDS, HAN, KANA

# Letters, their combining marks, and whole blocks of scripts whose vowel signs are not letters to Python.
_INDIC = "\u0900-\u0963\u0966-\u0df3"
_UNSPACED = "\u0e00-\u0e4e\u0e80-\u0ecd\u1000-\u1049\u1780-\u17d3"
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
)
_LETTER = f"(?:[^\\W_{HAN}{KANA}{_UNSPACED}]|[{_INDIC}{_MARKS}])"
_TOKEN = re.compile(f"{_LETTER}+(?:[-'’\u200c\u200d]{_LETTER}+)*|[{_UNSPACED}]+")
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]{{4,}}")
_HANGUL = re.compile("[가-힣]+")
_PARTICLE = re.compile(
    "(?<=..)(?:에서는|으로|에서|에게|까지|부터|들은|들의|들이|은|는|이|가|을|를|의|에|로|와|과|도)$"
)
_UNSPACED_LENGTHS = range(16, 3, -1)


@dataclass(frozen=True, slots=True)
class Token:
    """A word at ``text[start:end]``; `text` is without a Korean particle."""

    text: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """Return the words of a text in scripts with spaces, numbers left out.

    Examples
    --------
    >>> [token.text for token in tokens("Всеобщая декларация, 1948; 서울에서")]
    ['Всеобщая', 'декларация', '서울']
    """
    found = []
    for match in _TOKEN.finditer(text):
        if word := _word(match[0]):
            found.append(Token(word, match.start(), match.start() + len(word)))
    return found


def words(text: str) -> list[str]:
    """Return the texts of `tokens`, for who does not ask where they stand."""
    return [word for found in _TOKEN.findall(text) if (word := _word(found))]


@lru_cache(maxsize=50_000)
def _word(found: str) -> str:
    """Return a word without a Korean particle; nothing for what has no letter."""
    word = _PARTICLE.sub("", found) if _HANGUL.fullmatch(found) else found
    return word if any(char.isalpha() for char in word) else ""


def function_words(words: Sequence[Token]) -> frozenset[str]:
    """Return the words, case-folded, that only hold the sentences together: known ones, very short
    ones, and the short ones among the most frequent."""
    counts = Counter(word.text.casefold() for word in words)
    often = max(3, len(words) // 120)
    return FUNCTION_WORDS | {
        word
        for word, count in counts.items()
        if not _is_long_enough(word) or (len(word) <= 4 and count >= often and not _HANGUL.fullmatch(word))
    }


def _is_long_enough(word: str) -> bool:
    """Whether a word may carry meaning, by the letters that words have in its script."""
    if _HANGUL.fullmatch(word):
        return len(word) > 1
    return len(word) > (3 if word.upper() != word.lower() else 2)


def frequent_terms(text: str, limit: int) -> list[Token]:
    """Return the places of the terms that a text repeats: pairs of words first, then single words.

    Parameters
    ----------
    text
        Any text.
    limit
        How many different terms at most.

    Returns
    -------
    list of Token
        Every place of the chosen terms; single words also inside chosen pairs.
    """
    words = tokens(text)
    ignored = function_words(words)
    content = [w for w in words if w.text.casefold() not in ignored]
    pairs = [
        Token(text[a.start : b.end], a.start, b.end)
        for a, b in pairwise(content)
        if text[a.end : b.start] == " "
    ]
    candidates = [*pairs, *content, *_unspaced(text)]
    counts = Counter(token.text.casefold() for token in candidates)
    repeated = {term: count for term, count in counts.items() if count > 1}
    best = set(sorted(repeated, key=lambda t: (-repeated[t] * (1 + t.count(" ")), -len(t), t))[:limit])
    return [token for token in candidates if token.text.casefold() in best]


def _unspaced(text: str) -> Iterator[Token]:
    """Yield repeated stretches of Thai and its like, which write no spaces between words: longest first."""
    runs = [(match.start(), match[0]) for match in _UNSPACED_RUN.finditer(text)]
    taken: set[int] = set()
    for length in _UNSPACED_LENGTHS:
        counts = Counter(run[i : i + length] for _, run in runs for i in range(len(run) - length + 1))
        for start, run in runs:
            for i in range(len(run) - length + 1):
                places = range(start + i, start + i + length)
                if counts[run[i : i + length]] > 2 and taken.isdisjoint(places):
                    taken.update(places)
                    yield Token(run[i : i + length], start + i, start + i + length)
