"""Whether a name that a model gave occurs in what it read.

The rule: an entity that occurs neither in its passage nor in the title is *ungrounded*. When it is also a
name of the prompt's example it was copied from there: it is dropped with its relations. Any other ungrounded
entity is kept, since a model may rightly name what a text only describes, and counted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise

from lightrag_engine.language.parsing import ParsedReply, Repair
from lightrag_engine.names import fold_name

_WORD = re.compile(r"[^\W_]+")
_SMALL = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "and",
        "for",
        "in",
        "on",
        "at",
        "to",
        "de",
        "la",
        "le",
        "der",
        "die",
        "das",
        "von",
        "und",
        "du",
        "des",
        "el",
        "los",
    ]
)  # The share of a name's words that must occur, by their beginnings, when the name as a whole does not.
_SHARE = 0.5
_STEM = 4  # characters that two forms of one word share at least


class Passage:
    """What a model was given to read, prepared for looking up names."""

    def __init__(self, *texts: str) -> None:
        folded = _fold(" ".join(texts))
        words = _WORD.findall(folded)
        self._joined = " ".join(words)
        self._squeezed = "".join(words)
        # Two words side by side are also known as one: "e-mail" names "email".
        pairs = (a + b for a, b in pairwise(words))
        self._words = frozenset(map(_singular, (*words, *pairs)))
        self._stems = frozenset(word[:_STEM] for word in words)

    def names(self, name: str) -> bool:
        """Whether a name occurs: case, width, accents, spaces, hyphens and endings aside."""
        words = _WORD.findall(_fold(name))
        if not words or f" {' '.join(words)} " in f" {self._joined} ":
            return True
        squeezed = "".join(words)
        # Short names are found in the middle of any word, except in scripts that write no spaces.
        if (len(squeezed) > 5 or not squeezed.isascii()) and squeezed in self._squeezed:
            return True
        telling = [word for word in words if word not in _SMALL] or words
        return sum(map(self._has_form, telling)) >= max(1, len(telling) * _SHARE)

    def _has_form(self, word: str) -> bool:
        return _singular(word) in self._words or (len(word) > _STEM and word[:_STEM] in self._stems)


def ground(
    parsed: ParsedReply, passage: Passage, example_names: Collection[str]
) -> tuple[ParsedReply, list[str]]:
    """Return a reply without what was copied from the example, and the names that occur nowhere."""
    copied = frozenset(map(fold_name, example_names))

    def is_copied(name: str) -> bool:
        return fold_name(name) in copied and not passage.names(name)

    entities = tuple(e for e in parsed.entities if not is_copied(e.entity_name))
    relations = tuple(r for r in parsed.relations if not (is_copied(r.src_id) or is_copied(r.tgt_id)))
    repairs = parsed.repairs.copy()
    lost = parsed.records - len(entities) - len(relations)
    if lost:
        repairs[Repair.EXAMPLE] += lost
    names = dict.fromkeys(e.entity_name for e in entities)
    ungrounded = [name for name in names if not passage.names(name)]
    return replace(parsed, entities=entities, relations=relations, repairs=repairs), ungrounded


def _fold(text: str) -> str:
    """Return a text in lower case without accents: models often leave them out, or put them in."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(sign for sign in apart if unicodedata.category(sign) != "Mn")
    return unicodedata.normalize("NFKC", bare)


def _singular(word: str) -> str:
    """Return an English plural as its singular, roughly: only equal results are compared.

    Examples
    --------
    >>> [_singular(word) for word in ("cities", "wolves", "churches", "ports", "class", "1920s")]
    ['city', 'wolf', 'church', 'port', 'class', '1920']
    """
    for ending, singular in (("ies", "y"), ("ves", "f")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word.removesuffix(ending) + singular
    if re.search(r"(?:[sxz]|[cs]h)es$", word):
        return word[:-2]
    return word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith("ss") else word
