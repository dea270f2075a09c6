"""The one table from the labels of the taggers to the entity types a user configured."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from lightrag_engine.records import UNKNOWN_TYPE
from lightrag_engine.settings import Settings

_PERSON = ("person",)
_ORGANIZATION = ("organization", "organisation", "company", "group")
_LOCATION = ("location", "place", "geo", "country")
_EVENT = ("event",)
_WORK = ("work", "product", "artwork")
_PRODUCT = ("product", "technology", "work")
_GROUP = ("group", "category", "nationality", "organization")
_DATE = ("date", "time")
_QUANTITY = ("quantity", "number")
_CONCEPT = ("concept", "category", "topic")
_TECHNOLOGY = ("technology", "product", "concept")

# For each label the types that fit, best first: the first one that is configured is taken.
PREFERENCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # spaCy, English (OntoNotes)
        "PERSON": _PERSON,
        "NORP": _GROUP,
        "FAC": _LOCATION,
        "ORG": _ORGANIZATION,
        "GPE": _LOCATION,
        "LOC": _LOCATION,
        "PRODUCT": _PRODUCT,
        "EVENT": _EVENT,
        "WORK_OF_ART": _WORK,
        "LAW": ("work", "law", "concept"),
        "LANGUAGE": ("concept", "language", "group"),
        "DATE": _DATE,
        "TIME": _DATE,
        "PERCENT": _QUANTITY,
        "MONEY": _QUANTITY,
        "QUANTITY": _QUANTITY,
        "CARDINAL": _QUANTITY,
        # ours: noun phrases and names the tagger has no label for
        "CONCEPT": _CONCEPT,
        "TECHNOLOGY": _TECHNOLOGY,
        # jieba, Chinese
        "nr": _PERSON,
        "nrfg": _PERSON,
        "nrt": _PERSON,
        "ns": _LOCATION,
        "nt": _ORGANIZATION,
        "nz": _CONCEPT,
        "n": _CONCEPT,
        "t": _DATE,
        "m": _QUANTITY,
    }
)


def entity_type(label: str, settings: Settings) -> str:
    """Return the configured entity type for a tagger's label.

    Parameters
    ----------
    label
        A label of `PREFERENCES`; any other counts as a concept.
    settings
        Its `entity_types` are the types that may be returned, in the spelling the user gave.

    Returns
    -------
    str
        The first fitting type that is configured, else "concept" if that is, else ``unknown``.

    Examples
    --------
    >>> entity_type("GPE", Settings()), entity_type("GPE", Settings(entity_types=("person", "Geo")))
    ('location', 'Geo')
    >>> entity_type("GPE", Settings(entity_types=("person",)))
    'unknown'
    """
    return _choose(label, settings.entity_types)


@cache
def _choose(label: str, configured: tuple[str, ...]) -> str:
    spellings = {name.casefold(): name for name in configured}
    wanted = (*PREFERENCES.get(label, _CONCEPT), "concept")
    return next((spellings[name] for name in wanted if name in spellings), UNKNOWN_TYPE)
