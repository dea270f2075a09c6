"""Whether a name occurs in a text, tolerantly; and the types that models write."""

from __future__ import annotations

import pytest

from lightrag_engine.language.tasks.entity_types import fit_type
from lightrag_engine.language.tasks.grounding import Passage
from lightrag_engine.settings import ENTITY_TYPES

PASSAGE = Passage(
    "Harbour Guide",
    "The Port-Ansel ferries carried MARA QUILL’s ﬁrst crew; die Fähren des Hafens. "
    "马清和创办了云岭轮渡公司。 ＡＢＣ－７ in 2024.",
)


@pytest.mark.parametrize(
    "name",
    [
        "Mara Quill",
        "mara  quill",
        "Port Ansel",
        "PortAnsel",
        "Port Ansel Ferry",
        "first crew",
        "Fähre",
        "马清和",
        "云岭轮渡",
        "ABC-7",
        "Harbour Guide",
        "2024",
        "The Mara Quill Company",
    ],
)
def test_names_that_occur(name: str) -> None:
    assert PASSAGE.names(name)


@pytest.mark.parametrize(
    "name", ["Ottilie Brandt", "Salt Lantern", "art", "Or", "李白", "2023", "The Kessel Mill"]
)
def test_names_that_do_not(name: str) -> None:
    assert not PASSAGE.names(name)


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("Person", "person"),
        ("locations", "location"),
        ("geo", "location"),
        ("countries", "unknown"),
        ("city", "location"),
        ("company", "organization"),
        ("person/artist", "person"),
        ("fictional character", "person"),
        ("", "unknown"),
        ("zzz", "unknown"),
    ],
)
def test_types(written: str, kind: str) -> None:
    assert fit_type(written, ENTITY_TYPES) == kind


def test_a_synonym_of_a_type_that_is_not_configured_is_unknown() -> None:
    assert fit_type("city", ("person",)) == "unknown"
    assert fit_type("CITY", ("City",)) == "City"
