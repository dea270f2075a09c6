"""The rules that find and relate entities: what each means, how far it is trusted, whether it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from lightrag_engine.errors import SettingsError
from lightrag_engine.settings import Settings


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to see that something is named, or that two entities are related.

    `weight` is the strength that one sentence gives a relation: about the share of pairs that are right where
    this rule was the first to find them, on the paragraphs that `benchmarks.extraction` tunes to. `keyword`
    stands in when no word on the way carries the relation. `country` rules are switched together as well.
    """

    name: str
    meaning: str
    weight: float = 1.0
    keyword: str = ""
    on: bool = True
    country: bool = False
    kind: Literal["relation", "entity"] = "relation"


def _entity(name: str, meaning: str, on: bool = True) -> Rule:
    return Rule(name, meaning, on=on, kind="entity")


_ENTITIES = (
    _entity("title", "the document's title, where the text writes it"),
    _entity("date", "dates by pattern: days, months with a year, years, decades, centuries"),
    _entity("quoted", "quoted titles, mostly capitals"),
    _entity("ner", "the tagger's entities, repaired"),
    _entity("number", "amounts of money, shares and measures"),
    _entity("figure", "in factual texts: large numbers, '61,000', '7.13 million'"),
    _entity("duration", "in factual texts: 'five years', 'two months'"),
    _entity("count", "in factual texts: any number, 'nine', '30'", on=False),
    _entity("proper", "runs of capitalised proper nouns that the tagger left out"),
    _entity("term", "recurring noun phrases"),
)

# In order of precedence: the first rule that fits a pair names it.
_RELATIONS = (
    Rule("life_dates", "a person and the dates in the bracket after the name", 1.0, "life dates"),
    Rule("dated_verb", "a date whose verb has the entity as subject: 'was founded in 1901'", 0.9, "date"),
    Rule("place_chain", "places in a chain: 'Oslo, Norway'", 0.9, "location"),
    Rule("apposition", "a name that explains the one before it", 0.5, "identity"),
    Rule("place_in_brackets", "a person and a place in the bracket after the name", 0.9, "place"),
    Rule("noun_of_noun", "noun, preposition, noun: 'the capital of Norway'", 0.6, "connection"),
    Rule("copula", "what something is: 'Oslo is the capital of Norway'", 0.8, "identity"),
    Rule("made_by", "a work and whoever made it, passive: 'was written by Ann'", 0.8, "author"),
    Rule("home", "where a person was born, lived or died", 0.9, "home"),
    Rule("name_in_name", "a name inside a name: 'University of Oslo' and 'Oslo'", 0.6, "part of name"),
    Rule("title_date", "the document's title and a date of the first sentence", 0.8, "date"),
    Rule(
        "country_here",
        "the document's country with what its sentences name",
        0.6,
        "country",
        country=True,
    ),
    Rule("country_places", "the document's country with places elsewhere", 0.6, "country", country=True),
    Rule(
        "country_organizations",
        "the document's country with organizations elsewhere",
        0.6,
        "country",
        country=True,
    ),
    Rule("title_subject", "the document's title as subject, with what its sentence says", 0.5, "subject"),
    Rule("possessive", "a name that has the other: 'Ann's company Acme'", 0.4, "belonging"),
    Rule("subject_object", "subject and object of a verb: 'Acme acquired Nokia'", 0.4, "connection"),
    Rule("compound", "one name modifies the other: 'Acme chairman Ann'", 0.4, "connection"),
    Rule("passive_agent", "who did it to whom, passive: 'Acme was bought by Nokia'", 0.4, "connection"),
    Rule("adjacent", "an organization and a person or place without a word between", 0.4, "connection"),
    Rule("dated_thing", "a work or an event and a date of its clause", 0.5, "date"),
    Rule(
        "nationality",
        "a people and the person named next to it, or in the first sentence",
        0.5,
        "nationality",
    ),
    Rule("seat", "an organization and the place that is the next name of its clause", 0.4, "place"),
    Rule("post", "an organization and the person that is the next name of its clause", 0.4, "organization"),
    Rule(
        "place_in_place",
        "two places of one sentence, at least one of them no city or country",
        0.5,
        "location",
    ),
    Rule("event_part", "an event with the persons and organizations of its sentence", 0.4, "event"),
    Rule(
        "title_noun", "the document's title as 'the company', 'the film', with its sentence", 0.4, "subject"
    ),
    Rule(
        "title_pronoun", "the document's title as 'he' or 'it', with what its sentence says", 0.4, "subject"
    ),
    Rule(
        "title_work", "a work that is the title, with persons and organizations of its sentences", 0.5, "work"
    ),
    Rule("work_maker", "a work with persons and organizations of its clause", 0.3, "work"),
    Rule(
        "region", "the district that the first sentence puts the title in, with other places", 0.3, "region"
    ),
    Rule(
        "title_elsewhere", "a work that is the title, with persons and organizations elsewhere", 0.3, "work"
    ),
    Rule("country_persons", "the document's country with persons elsewhere", 0.4, "country", country=True),
    Rule("clause_meeting", "in stories: a person and another name in one clause", 0.4, "appear together"),
    Rule("terms", "terms and names as subject and object, or joined by a preposition", 0.5, "connection"),
    Rule("side_by_side", "in stories: two persons named side by side: 'Ann and Tom'", 0.3, "appear together"),
    Rule("person_pronoun", "a person, and who is meant by the 'he' or 'she' that is subject", 0.3, "meeting"),
    Rule("nearest", "in stories: a name without relation, and the nearest person", 0.2, "appear together"),
)
RULES: Mapping[str, Rule] = MappingProxyType({rule.name: rule for rule in (*_ENTITIES, *_RELATIONS)})


def rules_in_use(settings: Settings) -> tuple[Rule, ...]:
    """Return the rules to apply, those of relations in order of precedence.

    A rule is used when it is on, or when the settings switch it on (``count``) and do not switch it off
    (``-nearest``); country rules only if the settings ask for them.

    Raises
    ------
    SettingsError
        When the settings name a rule that there is not.
    """
    changed = dict(_switches(settings.extraction_rules))
    return tuple(
        rule
        for rule in RULES.values()
        if changed.get(rule.name, rule.on) and (settings.country_rules or not rule.country)
    )


def _switches(given: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    for entry in given:
        name = entry.strip().removeprefix("-").strip()
        if name not in RULES:
            raise SettingsError(
                f"extraction_rules: there is no rule {name!r}.", hint=f"The rules are {', '.join(RULES)}."
            )
        yield name, not entry.strip().startswith("-")
