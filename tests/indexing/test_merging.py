from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.indexing.merging import Fold, fold_entity, fold_relation, shorten
from lightrag_engine.records import UNKNOWN_TYPE, Entity, EntityRecord, Relation, RelationRecord
from lightrag_engine.storage.extractions import Placed


def said(
    name: str, type_: str = "person", text: str = "", chunk: str = "c1", place: tuple[str, int] = ("d1", 0)
) -> Placed[EntityRecord]:
    return Placed(*place, EntityRecord(name, type_, text or f"{name} is here.", chunk))


def related(
    source: str,
    target: str,
    text: str,
    weight: float = 1.0,
    keywords: tuple[str, ...] = ("k",),
    chunk: str = "c1",
    place: tuple[str, int] = ("d1", 0),
) -> Placed[RelationRecord]:
    return Placed(*place, RelationRecord(source, target, text, keywords, weight, chunk))


def test_the_most_frequent_type_and_spelling_win() -> None:
    entity = fold_entity(
        "ilse vogt",
        [
            said("ILSE VOGT", "organization", "a", "c1"),
            said("Ilse Vogt", "person", "b", "c2", ("d1", 1)),
            said("Ilse Vogt", "person", "c", "c3", ("d2", 0)),
        ],
        [],
    )
    assert entity == Entity(
        key="ilse vogt",
        name="Ilse Vogt",
        type="person",
        description="a\nb\nc",
        weight=3.0,
        source_ids=("c1", "c2", "c3"),
        spellings=("Ilse Vogt", "ILSE VOGT"),
    )


def test_a_known_type_beats_any_number_of_unknown_ones() -> None:
    records = [said("X", UNKNOWN_TYPE, str(n), f"c{n}") for n in range(3)]
    entity = fold_entity("x", [*records, said("X", "date")], [])
    assert entity is not None
    assert entity.type == "date"


def test_an_end_that_no_chunk_declares_takes_the_relation_until_one_does() -> None:
    mention = related("Mara Quill", "Ilse Vogt", "Quill trained Vogt")
    undeclared = fold_entity("ilse vogt", [], [mention])
    assert undeclared is not None
    assert (undeclared.type, undeclared.description) == (UNKNOWN_TYPE, "Quill trained Vogt")
    declared = fold_entity("ilse vogt", [said("ILSE VOGT", "person", "Chief engineer", "c2")], [mention])
    assert declared is not None
    assert (declared.type, declared.description) == ("person", "Chief engineer")


def test_a_name_of_which_nothing_is_left_is_gone() -> None:
    assert fold_entity("x", [], []) is None
    assert fold_relation([]) is None


def test_both_directions_are_one_edge_shown_as_most_records_state_it() -> None:
    relation = fold_relation(
        [
            related("Zed Works", "Acme Yard", "supplies boilers to", 2, ("supply",)),
            related("Acme Yard", "Zed Works", "buys boilers from", 5, ("trade", "supply"), "c2", ("d1", 1)),
        ]
    )
    assert relation == Relation(
        "zed works",
        "acme yard",
        ("supply", "trade"),
        "supplies boilers to\nbuys boilers from",
        7.0,
        ("c1", "c2"),
    )
    assert relation.pair == ("acme yard", "zed works")


def test_a_chunk_that_stands_twice_counts_once() -> None:
    twice = [related("A", "B", "x", 2.0, place=("d1", 0)), related("A", "B", "x", 2.0, place=("d2", 7))]
    relation = fold_relation(twice)
    assert relation is not None
    assert relation.weight == 2.0
    entity = fold_entity("a", [said("A"), said("A", place=("d2", 7))], [])
    assert entity is not None
    assert entity.weight == 1.0


NAMES = st.sampled_from(["Mara", "MARA", "mara"])
PLACES = st.tuples(st.sampled_from(["d1", "d2"]), st.integers(0, 3))
ENTITY_RECORDS = st.lists(
    st.builds(
        said,
        name=NAMES,
        type_=st.sampled_from(["person", "date", UNKNOWN_TYPE]),
        text=st.text(max_size=5),
        chunk=st.sampled_from(["c1", "c2"]),
        place=PLACES,
    ),
    min_size=1,
    max_size=8,
)
RELATION_RECORDS = st.lists(
    st.builds(
        related,
        source=NAMES,
        target=st.sampled_from(["Bo", "BO"]),
        text=st.text(max_size=5),
        weight=st.sampled_from([0.5, 1.0, 2.0]),
        keywords=st.tuples(st.sampled_from("pq")),
        chunk=st.sampled_from(["c1", "c2"]),
        place=PLACES,
    ),
    min_size=1,
    max_size=8,
)


@given(records=ENTITY_RECORDS, data=st.data())
def test_the_order_of_documents_does_not_matter_to_an_entity(
    records: list[Placed[EntityRecord]], data: st.DataObject
) -> None:
    by_place = _grouped_by_document(records, data)
    assert fold_entity("mara", by_place, []) == fold_entity("mara", records, [])


@given(records=RELATION_RECORDS, data=st.data())
def test_the_order_of_documents_does_not_matter_to_a_relation(
    records: list[Placed[RelationRecord]], data: st.DataObject
) -> None:
    assert fold_relation(_grouped_by_document(records, data)) == fold_relation(records)


def _grouped_by_document(records: list, data: st.DataObject) -> list:  # type: ignore[type-arg]
    """Shuffle whole chunks; records of one chunk keep their order, as they do in the store."""
    places = data.draw(st.permutations(sorted({(r.document_id, r.position) for r in records})))
    return [r for place in places for r in records if (r.document_id, r.position) == place]


def test_only_descriptions_beyond_the_budget_are_summarised() -> None:
    long, short = "many words " * 60, "few words"
    entities = tuple(
        Entity(key, key.upper(), "person", text, 1.0, ()) for key, text in (("a", long), ("b", short))
    )
    relations = (Relation("b", "a", (), long, 1.0, ()),)
    found = Fold(entities, relations, (), ())
    names = {"a": "A", "b": "B"}
    unchanged, missing = shorten(found, names, {}, 50)
    assert missing == {"a": ("A", long), ("a", "b"): ("B – A", long)}
    assert [e.description for e in unchanged.entities] == [
        "many words many words many words many words many",
        short,
    ]
    assert unchanged.entities[0].summary_of == ""
    done, missing = shorten(found, names, {("A", long): "s1", ("B – A", long): "s2"}, 50)
    assert missing == {}
    assert [e.description for e in done.entities] == ["s1", short]
    assert done.relations[0].description == "s2"


@pytest.mark.parametrize("text", ["line\nbreak", "  spaces   inside "])
def test_a_description_is_one_line_of_the_joined_one(text: str) -> None:
    entity = fold_entity("a", [said("A", text=text), said("A", text="other", chunk="c2")], [])
    assert entity is not None
    assert len(entity.description.split("\n")) == 2
