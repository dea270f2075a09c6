"""Types of names by what the text says of them, and what a pronoun stands for."""

from __future__ import annotations

import pytest

from lightrag_engine.language.builtin.extract import extract
from lightrag_engine.records import Chunk, Extraction
from lightrag_engine.settings import Settings


def read(text: str, title: str = "") -> Extraction:
    return extract(Chunk("chunk-1", text, 0, 0, "doc-1", 0, len(text)), title, Settings())


def kinds(text: str, title: str = "") -> dict[str, str]:
    return {entity.entity_name: entity.entity_type for entity in read(text, title).entities}


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("The archive was sorted by Wen Taoyi, a librarian from Leiden.", "Wen Taoyi", "person"),
        ("The ferry was sold to Adaeze Obiora, who lived in Bergen.", "Adaeze Obiora", "person"),
        ("A clerk named Adaeze Obiora kept the books in Bergen.", "Adaeze Obiora", "person"),
        ("The Board met. Comet Whitlow–Chen had been discovered in 1911.", "Comet Whitlow–Chen", "concept"),
        ("The Harrow Observatory in Bergen was closed in 1911.", "Harrow Observatory", "organization"),
    ],
)
def test_the_text_tells_the_type(text: str, name: str, kind: str) -> None:
    assert kinds(text)[name] == kind


def test_a_title_of_a_text_is_a_work_and_nobody_who_dies() -> None:
    title = "A History of the Brindle Ferry"
    text = f"{title}\n\nMara Quill founded the ferry in 1911. She ran it alone. She died in 1941 in Bergen."
    found = read(text, title)
    assert {e.entity_name: e.entity_type for e in found.entities}[title] == "work"
    assert frozenset((title, "1941")) not in {frozenset((r.src_id, r.tgt_id)) for r in found.relations}


def test_heads_of_tables_name_nothing() -> None:
    text = "The posts are these.\n\n| Bursar | Present |\n| --- | --- |\n| Mara Quill | Tobias Renn |\n"
    assert not {"Bursar", "Present"} & set(kinds(text))


def test_whom_he_met_is_not_tied_to_whoever_is_named_beside() -> None:
    text = (
        "Tobias Renn left Bergen. Before his departure he persuaded Edwin Marsh to sell the boat, and he "
        "asked Ingrid Solberg to repair it."
    )
    pairs = {frozenset((r.src_id, r.tgt_id)) for r in read(text).relations}
    assert frozenset(("Edwin Marsh", "Ingrid Solberg")) not in pairs
    assert frozenset(("Tobias Renn", "Ingrid Solberg")) in pairs
