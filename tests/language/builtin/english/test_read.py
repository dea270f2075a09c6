"""The whole extractor on small texts: names, types, pairs, evidence."""

from __future__ import annotations

import pytest

from lightrag_engine.language.builtin.english import read
from lightrag_engine.records import Chunk, Extraction
from lightrag_engine.settings import Settings


def extract(text: str, title: str = "", order: int = 0, **settings: object) -> Extraction:
    return read(Chunk("chunk-1", text, 0, order, "doc-1"), title, Settings(**settings))


def types(found: Extraction) -> dict[str, str]:
    return {entity.entity_name: entity.entity_type for entity in found.entities}


def pairs(found: Extraction) -> dict[frozenset[str], str]:
    return {frozenset((r.src_id, r.tgt_id)): r.rule for r in found.relations}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("She was born on 12 May 1809 in Oslo.", {"12 May 1809", "Oslo"}),
        ("He moved to Berlin in the 1920s.", {"Berlin", "1920s"}),
        ("The firm sold about $3 billion of goods in Berlin.", {"$3 billion", "Berlin"}),
        ("He studied at the University of Oslo.", {"University of Oslo"}),
        ("The ship sank in the Bay of Biscay.", {"Bay of Biscay"}),
        ("Nine people visited the government yesterday.", set()),
        ("Professor Maria Lindgren visited Paris.", {"Maria Lindgren", "Paris"}),
        ("The World Health Organization (WHO) met in Geneva.", {"World Health Organization", "Geneva"}),
    ],
)
def test_names(text: str, names: set[str]) -> None:
    assert set(types(extract(text))) == names


def test_a_person_has_one_node() -> None:
    found = extract("Ada Lovelace wrote notes. Lovelace met Charles Babbage. Babbage admired Ada.")
    assert {name for name, kind in types(found).items() if kind == "person"} == {
        "Ada Lovelace",
        "Charles Babbage",
    }


def test_a_wife_is_not_her_husband() -> None:
    found = extract(
        '"Come," said Bob Cratchit. Mrs. Cratchit smiled at Bob Cratchit, and Mrs. Cratchit sat down.'
    )
    assert {"Bob Cratchit", "Mrs. Cratchit"} <= set(types(found))


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Karlsson Lake lies near Uppsala.", "Karlsson Lake", "location"),
        ("He won the Miller Award in Paris.", "Miller Award", "event"),
        ("She joined Halden University in 1990.", "Halden University", "organization"),
        ("Maria Lindgren (born 1970) lives in Oslo.", "Maria Lindgren", "person"),
    ],
)
def test_types(text: str, name: str, kind: str) -> None:
    assert types(extract(text))[name] == kind


@pytest.mark.parametrize(
    "title", ["report_a", "overview.pdf", "Overview", "notes", "", "a/b/c", "Completely Other"]
)
def test_a_title_that_the_text_does_not_write_is_no_node(title: str) -> None:
    found = extract("Overview of the work. Maria Lindgren lives in Oslo.", title=title)
    assert set(types(found)) == {"Maria Lindgren", "Oslo"}


def test_the_title_is_an_entity_where_it_is_written() -> None:
    found = extract(
        "Quiet rivers of glass is a song by Maria Lindgren.", title="Quiet rivers of glass (song)"
    )
    assert types(found)["Quiet rivers of glass"] == "work"


def test_hard_wrapped_lines_do_not_split_names() -> None:
    text = (
        "In the spring of that year the painter Maria\nLindgren moved"
        " from the old town of Oslo to New\nYork and stayed."
    )
    assert {"Maria Lindgren", "Oslo", "New York"} <= set(types(extract(text)))


def test_headings_give_no_entities() -> None:
    found = extract("CHAPTER I\n\nTHE OLD HOUSE\n\nMaria Lindgren lives in Oslo.")
    assert set(types(found)) == {"Maria Lindgren", "Oslo"}


def test_evidence_is_literal_and_bounded() -> None:
    text = (
        "Maria Lindgren met\n  Karl Berg in Oslo. "
        + "And then nothing happened " * 60
        + "to Anna Dahl in Bergen."
    )
    collapsed = " ".join(text.split())
    found = extract(text)
    for description in [e.entity_description for e in found.entities] + [
        r.description for r in found.relations
    ]:
        assert len(description.split()) <= 125
        assert all(part.strip() in collapsed for part in description.split("…"))


def test_dialogue_connects_who_speaks() -> None:
    text = (
        '"You must go now," said Mr. Harrow to Edith. "I shall not!" cried Edith. Harrow looked at Edith.\n'
        '"Then we both stay," said Harrow. "My aunt in Bath will worry about you."'
    )
    assert frozenset(("Harrow", "Edith")) in pairs(extract(text))


def test_terms_of_a_text_without_names() -> None:
    text = (
        "Electric vehicles reduce urban air pollution. A lithium battery powers the electric vehicle. "
        "Lithium batteries contain cobalt. The power grid feeds electric vehicles."
    )
    found = extract(text)
    assert {"electric vehicle", "lithium battery"} <= set(types(found))
    assert frozenset(("electric vehicle", "power grid")) in pairs(found)
    assert "electric vehicle" in found.content_keywords


def test_types_fall_back_to_what_is_configured() -> None:
    found = extract("Maria Lindgren lives in Oslo.", entity_types=("person", "geo"))
    assert types(found) == {"Maria Lindgren": "person", "Oslo": "geo"}


def test_an_empty_chunk_gives_an_empty_extraction() -> None:
    assert extract(" \n\t ") == Extraction("chunk-1")
