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
    ("text", "names", "others"),
    [
        ("林若兰的船在云渡坊。", ["林若兰", "云渡坊", "云 渡坊"], ["马清和"]),
        ("株式会社トヨタの豊田章男", ["トヨタ", "ﾄﾖﾀ", "豊田 章男"], ["ホンダ"]),
        ("서울에서 김철수가 살았다", ["서울", "김철수"], ["부산"]),
        ("Zürich, Genève und São Paulo", ["Zurich", "GENEVE", "Sao Paulo", "Zu\u0308rich"], ["Bern"]),
        ("the cafe of Rene Descartes", ["café", "René Descartes"], ["Resumé"]),
        ("Straße der Einheit", ["STRASSE DER EINHEIT"], ["Platz der Republik"]),
        ("The cities, ports and churches; two wolves.", ["city", "Port", "church", "wolf"], ["Rat", "Ox"]),
        ("a city, one port, one box", ["Cities", "ports", "boxes"], ["Bo"]),
        ("Norway's coast and James' boat", ["Norway", "Norways", "Norway’s", "James", "James’s"], ["Ann"]),
        ("В Москве живут", ["Москва"], ["Тула"]),
        ("sent by e-mail on-line", ["email", "E-Mail", "online"], ["postbox"]),
    ],
)
def test_scripts_accents_and_endings_are_no_obstacle(text: str, names: list[str], others: list[str]) -> None:
    passage = Passage("", text)
    assert [name for name in names if not passage.names(name)] == []
    assert [name for name in others if passage.names(name)] == []


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
