"""Pairs of entities worth a comparison, without comparing every name with every other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from lightrag_engine.identity.names import LINKING, Name
from lightrag_engine.identity.state import Pair

# Of names that have a mark in common with more others than this, only those next to each other in the
# alphabet are compared: to have the word "university" in common says nothing.
_CROWD = 25
_NEXT = 4
_VOWEL = re.compile("[aeiouyh]")
_EDGE = 5  # letters at the beginning or the end of a name that a slip of the pen leaves alone


def by_name(names: Mapping[str, Sequence[Name]]) -> set[Pair]:
    """Return the sorted pairs of keys whose names have something in common.

    In common is a word, the beginning or the end of the whole name, or initials; all of them in Latin letters
    without accents too. The number of pairs grows with the number of names, not with its square.
    """
    postings: dict[str, set[str]] = defaultdict(set)
    for key, spelled in names.items():
        for name in spelled:
            for mark in _marks(name):
                postings[mark].add(key)
    pairs: set[Pair] = set()
    for keys in postings.values():
        ordered = sorted(keys)
        reach = len(ordered) if len(ordered) <= _CROWD else _NEXT
        for place, key in enumerate(ordered):
            pairs.update((key, other) for other in ordered[place + 1 : place + 1 + reach])
    return pairs


def _marks(name: Name) -> Iterator[str]:
    yield from (word for word in name.words if word not in LINKING)
    words = name.latin_words
    # As it is, and with the first or the last word moved to the other end.
    for order in (words, (*words[1:], *words[:1]), (*words[-1:], *words[:-1])):
        letters = "".join(order)
        if len(letters) >= _EDGE:
            yield f"{letters[:_EDGE]}…"
            yield f"…{letters[-_EDGE:]}"
    # Transliterations differ in their vowels most: "Tchaikovsky", "Chaykovskiy".
    consonants = _VOWEL.sub("", name.latin)[-_EDGE:]
    if len(consonants) == _EDGE:
        yield f"…~{consonants}"
    if name.acronym:
        yield f"acronym {name.acronym}"
    if len(words) > 1:
        yield from (f"acronym {letters}" for letters in name.initials)
