"""What is sent to the browser to draw, and what stands beside the drawing."""

import json

import networkx as nx
import pytest

from lightrag_engine import Upload
from lightrag_engine.graphs import Colour, GraphViewState, Scope
from lightrag_engine.graphs.communities import Communities, Community
from lightrag_engine.records import SourceText
from ui import colors
from ui.graph import communities_view
from ui.graph.details import relation_table
from ui.graph.drawing import drawing, style_for
from ui.graph.evidence import place
from ui.graph.scope import shown_steps
from ui.graph.type_badge import type_badge


def shown(rag, **fields):
    state = GraphViewState(**fields)
    return drawing(rag.explorer, state, rag.explorer.view(state))


@pytest.fixture
def ferry(rag):
    rag.insert("Mara Quill met Tobias Renn. Tobias Renn met Ilse Vogt. Ilse Vogt met Mara Quill.")
    rag.insert("Ada Pell met Mara Quill.")
    return rag


def test_the_drawing_holds_what_is_shown_and_how_much_is_hidden(ferry):
    data = shown(ferry, scope=Scope.AROUND, focus=("ada pell",)).data
    nodes = data["nodes"]
    assert nodes["id"] == ["ada pell", "mara quill"]
    assert nodes["degree"] == [1, 3]
    assert nodes["more"] == [0, 2]
    assert (data["edges"]["from"], data["edges"]["to"]) == ([0], [1])
    assert data["types"] == ["concept"]
    assert data["styles"]["concept"]["fill"] == colors.style_of("concept").fill


def test_the_digest_changes_with_what_is_drawn_and_not_with_what_is_chosen(ferry):
    first = shown(ferry)
    assert shown(ferry, chosen=("ada pell",)).digest == first.digest
    assert shown(ferry, types=("none",)).digest != first.digest
    ferry.explorer.pin("ada pell", 900, 900)
    assert shown(ferry).digest != first.digest


def test_expanding_keeps_what_is_in_sight_and_another_scope_does_not(ferry):
    around = shown(ferry, scope=Scope.AROUND, focus=("ada pell",))
    more = shown(ferry, scope=Scope.AROUND, focus=("ada pell",), expanded=("mara quill",))
    assert (more.fit, more.digest) != (around.fit, around.digest)
    assert more.fit == around.fit
    assert shown(ferry).fit != around.fit


def test_colours_can_stand_for_communities(ferry):
    data = shown(ferry, colour=Colour.COMMUNITY).data
    assert data["types"][0] == "community 1"
    assert set(data["nodes"]["group"]) == {int(kind.split()[1]) - 1 for kind in data["types"]}


def test_a_drawing_of_150_entities_is_small(make_rag):
    """Only names, types, degrees and places are sent: the rest comes when it is asked for."""
    rag = make_rag()
    graph = nx.barabasi_albert_graph(150, 4, seed=2)
    rows = "\n".join(f"Given Family {a},Given Family {b},some keyword" for a, b in graph.edges)
    rag.import_graph(Upload("edges.csv", f"source,target,keywords\n{rows}".encode()))
    data = shown(rag, shown=150).data
    assert len(data["nodes"]["id"]) == 150
    assert len(json.dumps(data, ensure_ascii=False).encode()) < 60_000


def test_styles_of_communities_and_types():
    assert style_for("community 1") == next(iter(colors.STYLES.values()))
    assert style_for("community 99") is colors.UNKNOWN
    assert style_for("community of monks") is colors.UNKNOWN
    assert style_for("person") == colors.style_of("person")


def test_steps_of_how_many_are_shown():
    assert shown_steps(61) == [10, 20, 30, 40, 50, 60, 61]
    assert shown_steps(100_000)[-1] == 1000
    assert 120 in shown_steps(5000)


@pytest.fixture
def graph():
    made = nx.Graph()
    made.add_node("mara", name="Mara", type="person")
    made.add_node("ansel", name="Port Ansel", type="location")
    made.add_node("heron", name="Heron", type="product")
    made.add_node("lone", name="Lone")
    made.add_edge("mara", "ansel", keywords=("home", "harbour"), description="Lives there.", weight=1.0)
    made.add_edge("mara", "heron", keywords=(), description="=1+1", weight=3.0)
    return made


def test_relations_are_listed_heaviest_first_with_the_keys_of_the_other_ends(graph):
    table, keys = relation_table(graph, "mara")
    assert keys == ["heron", "ansel"]
    assert table["entity"].tolist() == ["Heron", "Port Ansel"]
    assert table["keywords"].tolist() == ["", "home, harbour"]
    assert table["weight"].tolist() == [3.0, 1.0]


def test_an_entity_without_relations_has_an_empty_table_with_types(graph):
    table, keys = relation_table(graph, "lone")
    assert keys == []
    assert table.dtypes.to_dict() == relation_table(graph, "mara")[0].dtypes.to_dict()


def test_communities_as_a_table(graph):
    found = Communities(
        (Community("mara", ("mara", "heron"), ("work",), 1), Community("lone", ("lone",), (), 0)), {}
    )
    table = communities_view.table(graph, found)
    assert table.to_numpy().tolist() == [[1, "Mara, Heron", "work", 2, 1, "1 person, 1 product"]]


def test_badges_do_not_let_a_type_format_the_page():
    assert type_badge("person").startswith(':color[●]{foreground="#E69F00"}')
    assert "\\:red\\[" in type_badge(":red[x]")


def test_places_name_the_page_where_there_is_one():
    assert place(SourceText(1, "", "a.pdf", "3-4", "c", "d")) == "a.pdf, p. 3-4"
    assert place(SourceText(1, "", "a.txt", "", "c", "d")) == "a.txt"
