"""Fitting the type that a model wrote to one of the configured types."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lightrag_engine.records import UNKNOWN_TYPE

# What models write in place of the configured words, by the words that are configured by default.
_SYNONYMS = {
    "person": "people human individual character name",
    "organization": "organisation org company corporation institution agency business "
    "government university school team",
    "location": "geo place city town country region state river building facility address area gpe geography",
    "event": "incident war battle conference festival process meeting",
    "concept": "idea theory field topic method law principle theme term",
    "technology": "software tool system model algorithm framework",
    "product": "object item device vehicle ship substance material food",
    "work": "book film movie song album document publication article painting artwork award series report",
    "group": "nationality ethnicity religion family tribe",
    "date": "time year period",
    "quantity": "number amount money percentage measure value",
}
_BY_SYNONYM = {word: kind for kind, words in _SYNONYMS.items() for word in words.split()}


def fit_type(written: str, types: Sequence[str]) -> str:
    """Return the configured type that a written one stands for, `UNKNOWN_TYPE` when it fits none.

    The word itself counts, whatever its case or number, then a common synonym; of several ("person/artist")
    the first that fits.

    Examples
    --------
    >>> fit_type("Persons", ("person", "location"))
    'person'
    >>> fit_type("geo", ("person", "location"))
    'location'
    >>> fit_type("spaceship", ("person", "location"))
    'unknown'
    """
    by_word = {kind.casefold(): kind for kind in types}
    whole = " ".join(written.casefold().split())
    for word in (whole, *re.split(r"[\s/,;|()]+", whole)):
        for form in (word, word.removesuffix("s"), _BY_SYNONYM.get(word, ""), _BY_SYNONYM.get(word[:-1], "")):
            if form in by_word:
                return by_word[form]
    return UNKNOWN_TYPE
