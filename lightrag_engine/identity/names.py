"""A name taken apart for comparing: words, initials, script, Latin letters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from anyascii import anyascii

# Scripts that write without spaces: there a character is a word of its own.
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(f"[{_CJK}]|[^\\W_{_CJK}]+(?:['’][^\\W_{_CJK}]+)?")
_SCRIPTS = (
    ("latin", re.compile("[a-z\u00df-\u024f\u1e00-\u1eff]")),
    ("cjk", re.compile(f"[{_CJK}]")),
    ("cyrillic", re.compile("[\u0400-\u052f]")),
    ("greek", re.compile("[\u0370-\u03ff\u1f00-\u1fff]")),
    ("hangul", re.compile("[\uac00-\ud7af]")),
    ("arabic", re.compile("[\u0600-\u06ff]")),
    ("hebrew", re.compile("[\u0590-\u05ff]")),
    ("devanagari", re.compile("[\u0900-\u097f]")),
    ("thai", re.compile("[\u0e00-\u0e7f]")),
)
LINKING = frozenset(
    {"of", "the", "and", "for", "in", "on", "at", "de", "la", "le", "les", "du", "des"}
    | {"von", "van", "der", "und", "y", "e"}
)
LEGAL_FORMS = frozenset(
    {"inc", "incorporated", "corp", "corporation", "co", "company", "ltd", "limited", "llc", "plc", "gmbh"}
    | {
        "ag",
        "se",
        "kg",
        "sa",
        "sas",
        "srl",
        "spa",
        "bv",
        "nv",
        "oy",
        "ab",
        "as",
        "group",
        "holding",
        "holdings",
    }
)
_ACRONYM_LENGTHS = range(2, 9)


@lru_cache(maxsize=10_000)
def latin_letters(word: str) -> str:
    """Return a word in Latin letters without accents, lower case."""
    return anyascii(word).lower().strip()


@dataclass(frozen=True, slots=True)
class Name:
    """A folded name, taken apart once for many comparisons.

    Attributes
    ----------
    words
        Its words, each character of Chinese one of its own.
    script
        That of its first letter: latin, cjk, cyrillic …; empty when it is none of those known.
    latin_words
        The words in Latin letters without accents.
    acronym
        The name as an acronym; empty when it cannot be one.
    initials
        What its initials may be, with and without its small words.

    Examples
    --------
    >>> Name.of("陈文博").latin_words
    ('chen', 'wen', 'bo')
    >>> Name.of("u.s.a.").acronym
    'usa'
    >>> sorted(Name.of("department of defense").initials)
    ['dd', 'dod']
    """

    text: str
    words: tuple[str, ...]
    script: str
    latin_words: tuple[str, ...]
    acronym: str
    initials: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Name:
        """Take a folded name apart."""
        words = tuple(_WORD.findall(text))
        letters = text.replace(".", "").replace("&", "")
        kept = [word for word in words if word not in LINKING and word not in LEGAL_FORMS]
        initials = {"".join(word[0] for word in some) for some in (words, kept)}
        return cls(
            text=text,
            words=words,
            script=next((script for script, known in _SCRIPTS if known.search(text)), ""),
            latin_words=tuple(latin for word in words if (latin := latin_letters(word))),
            acronym=letters if letters.isalpha() and len(letters) in _ACRONYM_LENGTHS else "",
            initials=frozenset(found for found in initials if len(found) in _ACRONYM_LENGTHS),
        )

    @property
    def latin(self) -> str:
        """All letters and digits, in Latin letters without accents."""
        return "".join(self.latin_words)
