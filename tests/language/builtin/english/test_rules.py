"""Each rule on the smallest text that shows it, and that each can be switched."""

from __future__ import annotations

import pytest

from lightrag_engine.errors import SettingsError
from lightrag_engine.language.builtin import BuiltinLanguage
from lightrag_engine.language.builtin.english import read
from lightrag_engine.language.builtin.english.rules import RULES, rules_in_use
from lightrag_engine.records import Chunk, Extraction
from lightrag_engine.settings import Settings


def extract(text: str, title: str = "", **settings: object) -> Extraction:
    return read(Chunk("chunk-1", text, 0, 0, "doc-1"), title, Settings(**settings))


def pairs(found: Extraction) -> dict[frozenset[str], str]:
    return {frozenset((r.src_id, r.tgt_id)): r.rule for r in found.relations}


LIFE = "Maria Lindgren (12 May 1909 – 3 June 1970) was a painter."
NORWAY = (
    "Norway is a country. Lillehammer Station lies in Norway. Karlsson Lake is deep. "
    "The University of Tromsø is small. Karl Berg was angry."
)
FILM = "Glimmerdal is a film."
FIRM = "Acme Corporation is a company."
TALE = (
    '"You must go now," said Mr. Harrow to Edith. "I shall not!" cried Edith. Harrow looked at Edith. '
    '"Then we both stay," said Harrow. "My aunt in Bath will worry about you." He thanked Ann and Tom.'
)
CASES = [
    ("life_dates", "", LIFE, ("Maria Lindgren", "12 May 1909"), "bear"),
    ("life_dates", "", LIFE, ("Maria Lindgren", "3 June 1970"), "die"),
    ("dated_verb", "", "Acme Corporation was founded in 1901.", ("Acme Corporation", "1901"), "found"),
    ("place_chain", "", "She lives in Bergen, Norway.", ("Bergen", "Norway"), "live"),
    (
        "apposition",
        "",
        "The Harrow Observatory, the Halden Institute, was closed.",
        ("Harrow Observatory", "Halden Institute"),
        "identity",
    ),
    ("place_in_brackets", "", "Karl Berg (Paris) was second.", ("Karl Berg", "Paris"), "place"),
    ("noun_of_noun", "", "Karl Berg of Acme Corporation left.", ("Karl Berg", "Acme Corporation"), "leave"),
    ("copula", "", "Oslo is the capital of Norway.", ("Oslo", "Norway"), "capital"),
    (
        "made_by",
        "",
        '"The Quiet Morning" was written by Maria Lindgren.',
        ("The Quiet Morning", "Maria Lindgren"),
        "write",
    ),
    ("home", "", "Maria Lindgren was born in Bergen.", ("Maria Lindgren", "Bergen"), "bear"),
    (
        "name_in_name",
        "",
        "He studied at the University of Oslo. Oslo is cold.",
        ("University of Oslo", "Oslo"),
        "part of name",
    ),
    ("title_date", "Glimmerdal", "Glimmerdal is a film of 1999.", ("Glimmerdal", "1999"), "film"),
    ("country_here", "", NORWAY, ("Lillehammer Station", "Norway"), "lie"),
    ("country_places", "", NORWAY, ("Karlsson Lake", "Norway"), "country"),
    ("country_organizations", "", NORWAY, ("University of Tromsø", "Norway"), "country"),
    ("country_persons", "", NORWAY, ("Karl Berg", "Norway"), "country"),
    (
        "title_subject",
        "Maria Lindgren",
        "Maria Lindgren was a painter. Maria Lindgren met Karl Berg in Bergen.",
        ("Maria Lindgren", "Karl Berg"),
        "meet",
    ),
    (
        "possessive",
        "",
        'Karl Berg admired Maria Lindgren\'s "The Quiet Morning".',
        ("Maria Lindgren", "The Quiet Morning"),
        "admire",
    ),
    ("subject_object", "", "Microsoft acquired Nokia.", ("Microsoft", "Nokia"), "acquire"),
    ("passive_agent", "", "Nokia was bought by Microsoft.", ("Nokia", "Microsoft"), "buy"),
    (
        "dated_thing",
        "",
        '"The Quiet Morning" reached the cinemas on 3 June 1970.',
        ("The Quiet Morning", "3 June 1970"),
        "reach",
    ),
    ("nationality", "", "They left. French voters liked Karl Berg.", ("French", "Karl Berg"), "like"),
    (
        "seat",
        "",
        "The council moved Halden University from its old rooms in Bergen.",
        ("Halden University", "Bergen"),
        "move",
    ),
    ("post", "", "Microsoft chairman Karl Berg resigned.", ("Microsoft", "Karl Berg"), "chairman"),
    (
        "place_in_place",
        "",
        "The Karlsson River flows towards the North Sea.",
        ("Karlsson River", "North Sea"),
        "flow",
    ),
    (
        "event_part",
        "",
        "Maria Lindgren took the bronze medal at the Winter Olympics.",
        ("Maria Lindgren", "Winter Olympics"),
        "event",
    ),
    (
        "title_noun",
        "Acme Corporation",
        f'{FIRM} Later the company published "The Quiet Morning".',
        ("Acme Corporation", "The Quiet Morning"),
        "publish",
    ),
    (
        "title_pronoun",
        "Acme Corporation",
        f'{FIRM} Later it published "The Quiet Morning".',
        ("Acme Corporation", "The Quiet Morning"),
        "publish",
    ),
    (
        "title_work",
        "Glimmerdal",
        f"{FILM} The reviews that Karl Berg wrote helped the film greatly.",
        ("Glimmerdal", "Karl Berg"),
        "review",
    ),
    (
        "work_maker",
        "",
        'Critics praised "The Quiet Morning" and the songs of Karl Berg.',
        ("The Quiet Morning", "Karl Berg"),
        "song",
    ),
    (
        "region",
        "Halden",
        "Halden is a town in Viken County. Karlsson Lake is deep.",
        ("Karlsson Lake", "Viken County"),
        "region",
    ),
    (
        "title_elsewhere",
        "Glimmerdal",
        f"{FILM} The music is by others. Karl Berg sings.",
        ("Glimmerdal", "Karl Berg"),
        "work",
    ),
    ("clause_meeting", "", TALE, ("Harrow", "Edith"), "speak"),
    ("side_by_side", "", TALE, ("Ann", "Tom"), "thank"),
    (
        "terms",
        "",
        "Electric vehicles reduce air pollution. A lithium battery powers the electric vehicle. "
        "Lithium batteries contain cobalt. The power grid feeds electric vehicles.",
        ("power grid", "electric vehicle"),
        "feed",
    ),
    ("compound", "", "At Microsoft Karl Berg was angry.", ("Microsoft", "Karl Berg"), "connection"),
    (
        "adjacent",
        "",
        "While in Paris Microsoft was strong, it failed.",
        ("Paris", "Microsoft"),
        "connection",
    ),
    (
        "nearest",
        "",
        f"{TALE} If the wind that blows from Lisbon is warm, then what Edith said is true.",
        ("Lisbon", "Edith"),
        "blow",
    ),
    (
        "person_pronoun",
        "",
        "Tobias Renn left Bergen. Before his departure he persuaded Edwin Marsh to sell the boat, and he "
        "asked Ingrid Solberg to repair it.",
        ("Tobias Renn", "Ingrid Solberg"),
        "meeting",
    ),
]


@pytest.mark.parametrize(("rule", "title", "text", "pair", "keyword"), CASES)
def test_a_rule_names_the_pair_and_is_switched_off(
    rule: str, title: str, text: str, pair: tuple[str, str], keyword: str
) -> None:
    found = extract(text, title)
    relation = next(r for r in found.relations if {r.src_id, r.tgt_id} == set(pair))
    assert relation.rule == rule
    assert keyword in relation.keywords
    assert relation.weight >= RULES[rule].weight
    assert relation.description.split(".")[0] in text
    without = extract(text, title, extraction_rules=(f"-{rule}",))
    assert rule not in pairs(without).values()


NUMBERS = (
    "The term of five years began with nine members and 61,000 houses in the fourteenth century in Bergen."
)


@pytest.mark.parametrize(
    ("switches", "names"),
    [
        ((), {"five years", "61,000", "fourteenth century", "Bergen"}),
        (("count",), {"five years", "nine", "61,000", "fourteenth century", "Bergen"}),
        (("-duration", "-figure"), {"fourteenth century", "Bergen"}),
        (("-date", "-duration", "-figure", "-ner"), {"Bergen"}),
        (("-date", "-duration", "-figure", "-ner", "-proper"), set()),
    ],
)
def test_entity_rules_are_switched_by_name(switches: tuple[str, ...], names: set[str]) -> None:
    assert {e.entity_name for e in extract(NUMBERS, extraction_rules=switches).entities} == names


def test_a_number_that_is_part_of_a_name_is_no_figure() -> None:
    rules = {e.entity_name: e.rule for e in extract("She drove along Route 660 to Bergen.").entities}
    assert "figure" not in rules.values()


def test_numbers_of_a_story_are_no_entities() -> None:
    names = {e.entity_name for e in extract(f"{TALE} He had waited two years for 10,000 letters.").entities}
    assert not {"two years", "10,000"} & names


def test_a_name_that_the_tagger_cut_in_two_is_one() -> None:
    found = extract("The speech was held by Govind Narayan Singh in Bhopal.")
    assert "Govind Narayan Singh" in {e.entity_name for e in found.entities}


def test_in_a_first_sentence_nobody_gets_the_nationality_of_the_next_person() -> None:
    text = "The jury praised the French singer Maria Lindgren and the Dutch painter Karl Berg."
    assert frozenset(("Maria Lindgren", "Dutch")) not in pairs(extract(text))


def test_country_rules_are_one_switch() -> None:
    assert not {r for r in pairs(extract(NORWAY, country_rules=False)).values() if RULES[r].country}


def test_every_rule_of_relations_is_shown() -> None:
    assert {case[0] for case in CASES} == {rule.name for rule in RULES.values() if rule.kind == "relation"}


def test_every_rule_has_a_meaning_a_keyword_and_a_weight() -> None:
    for name, rule in RULES.items():
        assert rule.name == name
        assert rule.meaning
        assert 0 < rule.weight <= 1
        assert bool(rule.keyword) == (rule.kind == "relation")


def test_switches_change_the_key_of_extractions_and_unknown_names_are_refused() -> None:
    default = BuiltinLanguage(Settings()).fingerprint
    assert BuiltinLanguage(Settings(extraction_rules=("-region",))).fingerprint != default
    assert BuiltinLanguage(Settings(extraction_rules=("region",))).fingerprint == default
    assert "count" in {rule.name for rule in rules_in_use(Settings(extraction_rules=(" count ",)))}
    with pytest.raises(SettingsError, match="no rule 'regoin'") as caught:
        BuiltinLanguage(Settings(extraction_rules=("-regoin",)))
    assert "region" in caught.value.hint
