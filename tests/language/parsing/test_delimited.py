"""Faults of the record format, one a test."""

from __future__ import annotations

import pytest

from lightrag_engine.language.parsing import Delimiters, ParsedReply, Repair, parse_records
from lightrag_engine.records import UNKNOWN_TYPE

END = "<|COMPLETE|>"
MARA = '("entity"<|>"Mara Quill"<|>"person"<|>"Founder")'
ANSEL = '("entity"<|>"Port Ansel"<|>"geo"<|>"Town")'
BOND = '("relationship"<|>"Mara Quill"<|>"Port Ansel"<|>"She lives there."<|>"home"<|>7)'


def names(parsed: ParsedReply) -> list[str]:
    return [entity.entity_name for entity in parsed.entities]


def pairs(parsed: ParsedReply) -> list[tuple[str, str, float]]:
    return [(relation.src_id, relation.tgt_id, relation.weight) for relation in parsed.relations]


def test_missing_record_delimiters_and_brackets() -> None:
    parsed = parse_records(
        '("entity"<|>"Mara Quill"<|>"person"<|>"Founder of the ferry")\n'
        '("entity"<|>"Port Ansel"<|>"geo"<|>"Harbour town"\n'
        '"entity"<|>"Cormorant"<|>"object"<|>"A steamer")\n'
        '("relationship"<|>"Mara Quill"<|>"Port Ansel"<|>"She founded the ferry there"<|>"founding"<|>7)\n'
        + END
    )
    assert names(parsed) == ["Mara Quill", "Port Ansel", "Cormorant"]
    assert [e.entity_description for e in parsed.entities] == [
        "Founder of the ferry",
        "Harbour town",
        "A steamer",
    ]
    assert pairs(parsed) == [("Mara Quill", "Port Ansel", 7.0)]
    assert parsed.repairs == {Repair.BRACKET: 2}


def test_brackets_inside_names_and_descriptions() -> None:
    parsed = parse_records(
        '("entity"<|>"Harbour Board (HB)"<|>"organization"<|>"The board (est. 1899) sets fares")##'
        '("entity"<|>"三体游戏 (荒原)"<|>"event"<|>"A round of a game")<|COMPLETE|>'
    )
    assert names(parsed) == ["Harbour Board (HB)", "三体游戏 (荒原)"]
    assert parsed.entities[0].entity_description == "The board (est. 1899) sets fares"
    assert parsed.repairs == {}


@pytest.mark.parametrize("opening", ["(", ""])
@pytest.mark.parametrize("closing", [")", ""])
def test_a_bracket_at_the_end_of_an_unquoted_description_stays(opening: str, closing: str) -> None:
    parsed = parse_records(f"{opening}entity<|>Board<|>org<|>The board (HB){closing}##{ANSEL}{END}")
    assert parsed.entities[0].entity_description == "The board (HB)"
    assert names(parsed) == ["Board", "Port Ansel"]


def test_half_a_record_at_the_end_is_dropped() -> None:
    parsed = parse_records(MARA + "##" + ANSEL + '##("relationship"<|>"Mara Quill"<|>"Low Har')
    assert names(parsed) == ["Mara Quill", "Port Ansel"]
    assert pairs(parsed) == []
    assert parsed.truncated
    assert not parsed.complete
    assert parsed.repairs == {Repair.HALF: 1}


@pytest.mark.parametrize(
    "tail",
    [
        '("entity"',
        '("entity"<|>"Low',
        '("entity"<|>"Low Harrow"<|>"geo"',
        '("entity"<|>"Low Harrow"<|>"geo"<|>"A village in',
        "(entity<|>Low Harrow<|>geo<|>A village in",
        '("relationship"<|>"Mara Quill"<|>"Port Ansel"<|>"She',
        "(",
        "##",
    ],
)
def test_wherever_a_reply_stops_no_half_record_is_kept(tail: str) -> None:
    parsed = parse_records(f"{MARA}##\n{ANSEL}##\n{tail}")
    assert names(parsed) == ["Mara Quill", "Port Ansel"]
    assert pairs(parsed) == []


def test_a_whole_record_without_its_bracket_at_the_end_is_kept() -> None:
    assert names(parse_records(MARA + "##" + ANSEL[:-1])) == ["Mara Quill", "Port Ansel"]


@pytest.mark.parametrize(
    "end",
    [
        "<|complete|>",
        "<|COMPLETE|>\n\nLet me know if you need more!",
        "",
        "<|Complete|>",
        "<COMPLETE>",
        "{completion_delimiter}",
    ],
)
def test_forms_of_the_completion_delimiter(end: str) -> None:
    parsed = parse_records(MARA + "##" + ANSEL + end)
    assert [e.entity_description for e in parsed.entities] == ["Founder", "Town"]
    assert parsed.complete == bool(end)
    assert not parsed.truncated


def test_what_comes_after_completion_is_no_record_unless_it_follows_at_once() -> None:
    assert pairs(parse_records(f"{MARA}{END}\n##{BOND}{END}")) == [("Mara Quill", "Port Ansel", 7.0)]
    assert names(parse_records(f"{MARA}{END}\nExample 2: ...\n{ANSEL}{END}")) == ["Mara Quill"]


def test_a_completion_delimiter_that_is_talked_about_ends_nothing() -> None:
    parsed = parse_records(
        f'("entity"<|>"Parser"<|>"concept"<|>"It writes <|COMPLETE|> when it is done.")##{ANSEL}{END}'
    )
    assert names(parsed) == ["Parser", "Port Ansel"]


def test_damaged_field_delimiters() -> None:
    parsed = parse_records(
        '("relationship"<|>"Ferry Rules"<|>"Crossing Fee"<|>"The rules set the fee."|>7)##'
        '("relationship"<|>"The Room"<|>"Mara Quill"<|>"She rests there."</|>8)<|COMPLETE|>'
    )
    assert pairs(parsed) == [("Ferry Rules", "Crossing Fee", 7.0), ("The Room", "Mara Quill", 8.0)]
    assert [r.description for r in parsed.relations] == ["The rules set the fee.", "She rests there."]
    assert [r.keywords for r in parsed.relations] == [(), ()]
    assert parsed.repairs == {Repair.DELIMITER: 2}


@pytest.mark.parametrize(
    "delimiter", ["<||>", "< | >", "＜｜＞", "<|#|>", "<SEP>", "|", "<>", "<|", "</|>", ","]
)
def test_other_field_delimiters(delimiter: str) -> None:
    parsed = parse_records((MARA + "##" + BOND + END).replace("<|>", delimiter))
    assert names(parsed) == ["Mara Quill"]
    assert pairs(parsed) == [("Mara Quill", "Port Ansel", 7.0)]


def test_a_table_with_pipes() -> None:
    parsed = parse_records(
        "entity | Mara Quill | person | Founder.\nrelationship | Mara Quill | Port Ansel | Home. | home | 7\n"
    )
    assert names(parsed) == ["Mara Quill"]
    assert pairs(parsed) == [("Mara Quill", "Port Ansel", 7.0)]


@pytest.mark.parametrize("style", ["{%s}", "<%s>", "{{%s}}"])
def test_placeholders_in_place_of_delimiters(style: str) -> None:
    text = (MARA + "##" + ANSEL + END).replace("<|>", style % "tuple_delimiter")
    text = text.replace("##", style % "record_delimiter").replace(END, style % "completion_delimiter")
    parsed = parse_records(text)
    assert names(parsed) == ["Mara Quill", "Port Ansel"]
    assert parsed.complete


def test_delimiters_of_ones_own() -> None:
    text = (MARA + "##" + BOND + END).replace("<|>", "§").replace("##", "\n%%\n").replace(END, "[[DONE]]")
    parsed = parse_records(text, delimiters=Delimiters("§", "%%", "[[DONE]]"))
    assert names(parsed) == ["Mara Quill"]
    assert pairs(parsed) == [("Mara Quill", "Port Ansel", 7.0)]
    assert parsed.complete
    assert parsed.repairs == {}


def test_curly_quotes_and_relation_for_relationship() -> None:
    parsed = parse_records(
        "(“relationship”<|>“Mara Quill”<|>“Tobias Renn”<|>“Hired him.”<|>“hiring”<|>8)##"
        '("relation"<|>"Tobias Renn"<|>"Cormorant"<|>"Maintains it."<|>"care"<|>6)<|COMPLETE|>'
    )
    assert pairs(parsed) == [("Mara Quill", "Tobias Renn", 8.0), ("Tobias Renn", "Cormorant", 6.0)]
    assert [r.keywords for r in parsed.relations] == [("hiring",), ("care",)]


@pytest.mark.parametrize("quotes", ["''", "``", "«»", "„“", "‘’", "「」", "＂＂", ""])
def test_quotes_of_all_kinds(quotes: str) -> None:
    opening, closing = quotes or ("", "")
    record = MARA.replace('"Mara Quill"', f"{opening}Mara Quill{closing}").replace(
        '"Founder"', f"{opening}Founder{closing}"
    )
    entity = parse_records(record + END).entities[0]
    assert (entity.entity_name, entity.entity_description) == ("Mara Quill", "Founder")


def test_full_width_punctuation_and_spaces_in_chinese_names() -> None:
    parsed = parse_records(
        "（“entity”<|>“马 清和”<|>“person”<|>“创办人”）##"
        "（“entity”<|>“云岭轮渡公司（总部）”<|>“organization”<|>“公司”）##"
        '("entity"<|>"ＡＢＣ－７"<|>"object"<|>"船")<|COMPLETE|>'
    )
    assert names(parsed) == ["马清和", "云岭轮渡公司(总部)", "ABC-7"]
    assert [e.entity_description for e in parsed.entities] == ["创办人", "公司", "船"]


def test_self_loops_are_dropped_also_after_folding() -> None:
    parsed = parse_records(
        '("relationship"<|>"Mara Quill"<|>"mara quill"<|>"same"<|>"k"<|>9)##'
        '("relationship"<|>"Port Ansel"<|>"Port Ansel"<|>"x"<|>"k"<|>5)<|COMPLETE|>'
    )
    assert parsed.relations == ()
    assert parsed.repairs == {Repair.SELF_LOOP: 2}


def test_a_relation_whose_ends_nobody_declared_is_kept() -> None:
    assert pairs(parse_records(BOND + END)) == [("Mara Quill", "Port Ansel", 7.0)]


def test_missing_fields() -> None:
    parsed = parse_records(
        '("entity"<|>"Mara Quill")##("entity"<|>"Port Ansel"<|>"geo")##'
        '("relationship"<|>"Mara Quill"<|>"Port Ansel")##("relationship"<|>"Mara Quill")##'
        '("relationship"<|>"Mara Quill"<|>"Port Ansel"<|>8)##("entity"<|>"")<|COMPLETE|>'
    )
    assert [(e.entity_name, e.entity_type, e.entity_description) for e in parsed.entities] == [
        ("Mara Quill", UNKNOWN_TYPE, ""),
        ("Port Ansel", "geo", ""),
    ]
    assert parsed.relations == ()
    assert parsed.repairs == {Repair.NO_TYPE: 2, Repair.NO_DESCRIPTION: 2, Repair.NO_NAME: 2}


def test_surplus_fields() -> None:
    parsed = parse_records(
        '("entity"<|>"Parser"<|>"concept"<|>"It uses <|> between fields")##'
        '("entity"<|>"Mara Quill"<|>"person"<|>"Founder"<|>8)##'
        '("relationship"<|>"A. Bell"<|>"B. Cole"<|>"One <|> two"<|>"k"<|>4)##'
        '("relationship"<|>"A. Bell"<|>"C. Dorn"<|>"Met."<|>6<|>"meeting, work")<|COMPLETE|>'
    )
    assert [e.entity_description for e in parsed.entities] == ["It uses between fields", "Founder"]
    assert [(r.description, r.keywords, r.weight) for r in parsed.relations] == [
        ("One two", ("k",), 4.0),
        ("Met.", ("meeting", "work"), 6.0),
    ]


@pytest.mark.parametrize(
    ("written", "weight"),
    [
        ("8", 8),
        ('"8"', 8),
        ("8/10", 8),
        ("eight", 8),
        ("High", 8),
        ("7,5", 7.5),
        ("70", 10),
        ("７", 7),
        ("八", 8),
    ],
)
def test_strengths(written: str, weight: float) -> None:
    assert pairs(parse_records(BOND.replace("7", written) + END)) == [("Mara Quill", "Port Ansel", weight)]


@pytest.mark.parametrize(
    "description",
    [
        "There is no direct relationship between them in the text",
        "No relationship is mentioned.",
        "They are not directly related.",
        "两者没有直接关系",
    ],
)
def test_denied_relations_are_dropped(description: str) -> None:
    parsed = parse_records(
        f'("relationship"<|>"Mara Quill"<|>"Harrow Steel"<|>"{description}"<|>"none"<|>5){END}'
    )
    assert parsed.relations == ()
    assert parsed.repairs == {Repair.DENIAL: 1}


def test_strength_zero_is_a_denial_and_an_ordinary_no_is_not() -> None:
    assert parse_records(BOND.replace("7", "0") + END).repairs == {Repair.DENIAL: 1}
    told = BOND.replace("She lives there.", "The inquiry found no link between the ferry and the fire.")
    assert len(parse_records(told + END).relations) == 1


@pytest.mark.parametrize("lead", ["- ", "* ", "1. ", "12) ", "**", "> ", "• ", "## ", "**1.** "])
def test_lists_headings_and_emphasis(lead: str) -> None:
    text = f"**Entities:**\n\n{lead}{MARA}\n{lead}{ANSEL}\n\n### Relationships\n\n{lead}{BOND}\n\n{END}"
    parsed = parse_records(text)
    assert [(e.entity_name, e.entity_description) for e in parsed.entities] == [
        ("Mara Quill", "Founder"),
        ("Port Ansel", "Town"),
    ]
    assert pairs(parsed) == [("Mara Quill", "Port Ansel", 7.0)]


def test_fences_and_chatter() -> None:
    parsed = parse_records(
        f"Sure, here are the (entities) you want:\n```text\n{MARA}##\n{ANSEL}\n```\nAnything else?"
    )
    assert [e.entity_description for e in parsed.entities] == ["Founder", "Town"]
    assert not parsed.truncated


def test_a_missing_kind() -> None:
    parsed = parse_records(
        f'{MARA}##("Port Ansel"<|>"geo"<|>"Town")##("Mara Quill"<|>"Port Ansel"<|>"Home."<|>"home"<|>7){END}'
    )
    assert names(parsed) == ["Mara Quill", "Port Ansel"]
    assert pairs(parsed) == [("Mara Quill", "Port Ansel", 7.0)]
    assert parsed.repairs == {Repair.KIND: 2}


def test_content_keywords() -> None:
    assert parse_records(
        MARA + '##("content_keywords"<|>"ferries, fares; Ferries")' + END
    ).content_keywords == (
        "ferries",
        "fares",
        "Ferries",
    )


def test_a_thing_called_entity_is_no_beginning_of_a_record() -> None:
    parsed = parse_records(
        f'("relationship"<|>"Entity"<|>"Relation"<|>"A legal entity"<|>"law"<|>3)##{MARA}{END}'
    )
    assert pairs(parsed) == [("Entity", "Relation", 3.0)]
    assert names(parsed) == ["Mara Quill"]


def test_descriptions_over_several_lines() -> None:
    parsed = parse_records(
        f'("entity"<|>"Mara Quill"<|>"person"<|>"Founder\nof the ferry (1899)\nin "Ansel".")\n{ANSEL}{END}'
    )
    assert parsed.entities[0].entity_description == 'Founder of the ferry (1899) in "Ansel".'
    assert names(parsed) == ["Mara Quill", "Port Ansel"]


def test_repeated_records_count_once() -> None:
    parsed = parse_records("##".join([MARA] * 3) + END)
    assert names(parsed) == ["Mara Quill"]
    assert parsed.repairs == {Repair.DUPLICATE: 2}


@pytest.mark.parametrize(
    "text", ["", " \n", "I am sorry, I can not help with that.", "<|>", "<|>" * 50, "()", "##" * 9]
)
def test_a_reply_without_records(text: str) -> None:
    parsed = parse_records(text)
    assert parsed.records == 0
    assert not parsed.complete


def test_an_empty_answer_is_a_complete_one() -> None:
    assert parse_records(END).complete
