"""The rules that relate two entities: what each means, how far it is trusted, whether it is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lightrag_engine.settings import Settings


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to see that two entities are related.

    `weight` is the strength one sentence gives a relation: higher for rules that are right more often.
    `keyword` stands in when no word on the way carries the relation.
    """

    code: str
    weight: float
    on: bool
    meaning: str
    keyword: str
    country: bool = False


# In order of precedence: the first rule that fits a pair names it.
_RULES = (
    Rule("A", 1.0, True, "a person and the dates in the bracket after the name", "life dates"),
    Rule("B", 0.9, True, "a date whose verb has the entity as subject", "date"),
    Rule("C1", 0.9, True, "places in a chain, 'Oslo, Norway'; appositions", "location"),
    Rule("C2", 0.8, True, "a person and a place in the bracket after the name", "place"),
    Rule("C3", 0.7, True, "noun, preposition, noun: 'the capital of Norway'", "connection"),
    Rule("C4", 0.8, True, "what something is, or who made it (passive)", "identity"),
    Rule("I", 0.7, True, "a name inside a name: 'University of Oslo' and 'Oslo'", "part of name"),
    Rule("D1", 0.8, True, "the document's country with what its sentences name", "country", country=True),
    Rule(
        "D4",
        0.6,
        True,
        "the document's country with places elsewhere in the document",
        "country",
        country=True,
    ),
    Rule("D5", 0.6, True, "the document's country with organizations elsewhere", "country", country=True),
    Rule("E", 0.6, True, "the document's title as subject, with what its sentence says", "subject"),
    Rule("E2", 0.7, True, "the document's title and a date of the first sentence", "date"),
    Rule(
        "H", 0.4, True, "subject and object, possessive, compound; neighbours that fit by type", "connection"
    ),
    Rule("F", 0.4, False, "the document's title through a pronoun", "connection"),
    Rule("S", 0.4, True, "in stories: a person and another name that meet in one clause", "appear together"),
    Rule("K", 0.5, True, "terms and names as subject and object, or joined by a preposition", "connection"),
    Rule("L", 0.3, True, "in stories: two persons named side by side, 'Ann and Tom'", "appear together"),
    Rule("D6", 0.3, False, "the document's country with persons elsewhere", "country", country=True),
    Rule(
        "N",
        0.2,
        True,
        "in stories: a name without any relation and the nearest person of its sentence",
        "appear together",
    ),
)
RULES: Mapping[str, Rule] = MappingProxyType({rule.code: rule for rule in _RULES})


def rules_in_use(settings: Settings) -> tuple[Rule, ...]:
    """Return the rules to apply, in order of precedence; country rules only if the settings ask for them."""
    return tuple(rule for rule in _RULES if rule.on and (settings.country_rules or not rule.country))
