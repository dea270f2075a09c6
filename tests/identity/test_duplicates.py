"""Suggestions of entities that may be one: by name, by meaning, with reasons, and how they go away."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from conftest import MakeRag
from doubles import ScriptedLanguage

from lightrag_engine import Duplicate, EditError, LightRAG
from lightrag_engine.identity.duplicates import duplicates, names_of
from lightrag_engine.identity.nearest import nearest
from lightrag_engine.records import Chunk, EntityRecord, Extraction, RelationRecord

from .conftest import check, read_out


def graph_of(types: dict[str, str], edges: list[tuple[str, str]] = ()) -> nx.Graph[str]:  # type: ignore[assignment]
    graph: nx.Graph[str] = nx.Graph()
    for number, (key, type_) in enumerate(types.items()):
        graph.add_node(
            key,
            name=key.title(),
            type=type_,
            weight=1.0,
            source_ids=(f"c{number}",),
            spellings=(),
            aliases=(),
        )
    graph.add_edges_from(edges)
    return graph


def suggested(graph: nx.Graph[str], close: dict[tuple[str, str], float] | None = None) -> list[Duplicate]:
    return duplicates(graph, names_of(graph), close or {})


def test_shared_neighbours_and_type_speak_for_it() -> None:
    edges = [(a, b) for a in ("pierre", "pierre curie") for b in ("paris", "radium", "marie")]
    graph = graph_of(
        {"pierre": "person", "pierre curie": "person"} | dict.fromkeys(["paris", "radium", "marie"], "x"),
        edges,
    )
    (found,) = suggested(graph)
    assert (found.keys, found.names) == (("pierre", "pierre curie"), ("Pierre", "Pierre Curie"))
    assert found.reasons == ("one name is part of the other", "3 shared neighbours", "both of type person")
    assert found.score > suggested(graph_of({"pierre": "person", "pierre curie": "person"}))[0].score


def test_different_types_speak_against_it() -> None:
    assert suggested(graph_of({"paris": "location", "paris agreement": "concept"})) == []


def test_a_name_that_may_be_anybody_s_is_less_likely() -> None:
    one = suggested(graph_of({"curie": "person", "marie curie": "person"}))
    types = dict.fromkeys(["curie", "marie curie", "pierre curie"], "person")
    edges = [(a, "radium") for a in types]
    two = suggested(graph_of(types | {"radium": "x"}, edges))
    assert [d.keys for d in two] == [("curie", "marie curie"), ("curie", "pierre curie")]
    assert "but also of 1 other" in two[0].reasons[0]
    assert two[0].score < one[0].score + 0.07


def test_dates_and_quantities_are_never_suggested() -> None:
    assert suggested(graph_of({"may 1906": "date", "1906 may": "date", "ten": "quantity"})) == []


def test_near_in_meaning_is_enough_across_scripts_only() -> None:
    graph = graph_of({"peking university": "organization", "北京大学": "organization"})
    (found,) = suggested(graph, {("peking university", "北京大学"): 0.5})
    assert "described alike" in found.reasons
    others = graph_of({"mumbai": "location", "bombay": "location"})
    assert suggested(others, {("bombay", "mumbai"): 0.9}) == []
    others = graph_of(
        {"mumbai": "location", "bombay": "location", "x": "unknown", "y": "unknown"},
        [(a, b) for a in ("mumbai", "bombay") for b in ("x", "y")],
    )
    assert [d.keys for d in suggested(others, {("bombay", "mumbai"): 0.9})] == [("mumbai", "bombay")]


def test_one_passage_about_both_is_no_likeness_in_meaning() -> None:
    graph = graph_of({"peking university": "organization", "北京大学": "organization"})
    graph.nodes["北京大学"]["source_ids"] = graph.nodes["peking university"]["source_ids"]
    assert suggested(graph, {("peking university", "北京大学"): 0.5}) == []


def test_each_other_s_nearest_of_one_type_are_found_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lightrag_engine.identity.nearest._ROWS", 3)
    noise = np.random.default_rng(0).normal(size=(10, 32)).astype(np.float32)
    vectors = np.concatenate([noise, noise + 0.1 * np.roll(noise, 1, axis=0)])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    keys = [f"k{n:02}" for n in range(20)]
    groups = {key: ("person", "latin" if n < 10 else "cjk") for n, key in enumerate(keys)}
    found = nearest(keys, vectors, groups)
    assert all(found[f"k{n:02}", f"k{n + 10:02}"] > 0.9 for n in range(10))
    assert nearest(keys, vectors, {}) == {}
    assert nearest(keys[:1], vectors[:1], groups) == {}


@pytest.fixture
def curies(make_rag: MakeRag) -> LightRAG:
    def read(chunk: Chunk) -> Extraction:
        names = [name for name in ("Pierre Curie", "Pierre") if chunk.content.startswith(name)][:1]
        return Extraction(
            chunk.id,
            tuple(EntityRecord(name, "person", chunk.content, chunk.id) for name in (*names, "Marie")),
            tuple(RelationRecord(name, "Marie", chunk.content, ("k",), 1, chunk.id) for name in names),
        )

    rag = make_rag(language=ScriptedLanguage({"Pierre": read}))
    rag.insert(["Pierre loved Marie.", "Pierre Curie worked with Marie."])
    return rag


def test_a_suggestion_can_be_merged_or_dismissed_and_that_undone(curies: LightRAG) -> None:
    (found,) = curies.suggest_duplicates()
    assert found.keys == ("pierre", "pierre curie")
    before = read_out(curies)
    curies.dismiss_duplicate("pierre curie", "pierre")
    assert curies.suggest_duplicates() == []
    assert read_out(curies) == before
    curies.undo()
    assert curies.suggest_duplicates() == [found]
    curies.merge_entities(found.keys[:1], found.keys[1])
    assert curies.suggest_duplicates() == []
    check(curies)


def test_a_dismissed_pair_stays_dismissed_under_new_names(curies: LightRAG) -> None:
    curies.dismiss_duplicate("pierre", "pierre curie")
    curies.rename_entity("pierre", "P. Curie")
    assert curies.suggest_duplicates() == []
    with pytest.raises(EditError, match="is one entity"):
        curies.dismiss_duplicate("pierre", "p. curie")


def test_the_list_is_as_long_as_asked_for_and_empty_for_nothing(curies: LightRAG, make_rag: MakeRag) -> None:
    assert curies.suggest_duplicates(0) == []
    assert make_rag("empty").suggest_duplicates() == []
