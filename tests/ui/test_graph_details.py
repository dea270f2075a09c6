"""What stands beside the graph, and the questions that the graph suggests."""

import networkx as nx
import pytest

from lightrag_engine.records import Keywords, SourceText
from ui.answer_view import keywords_line
from ui.graph_data import entity_at
from ui.graph_details import place, relation_table, type_badge
from ui.questions import suggestions


@pytest.fixture
def graph():
    made = nx.Graph()
    made.add_node("mara", name="Mara", type="person", source_ids=("c1", "c2"), spellings=("Mara", "M. Quill"))
    made.add_node("ansel", name="Port Ansel", type="location", source_ids=("c2",))
    made.add_node("heron", name="Heron", type="product", source_ids=())
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
    graph.add_node("lone", name="Lone")
    table, keys = relation_table(graph, "lone")
    assert keys == []
    assert table.dtypes.to_dict() == relation_table(graph, "mara")[0].dtypes.to_dict()


def test_a_node_that_lacks_fields_is_still_an_entity(graph):
    graph.add_node("bare")
    entity = entity_at(graph, "bare")
    assert (entity.name, entity.type, entity.source_ids) == ("bare", "unknown", ())


def test_badges_do_not_let_a_type_format_the_page():
    assert type_badge("person").startswith(':color[●]{foreground="#E69F00"}')
    assert "\\:red\\[" in type_badge(":red[x]")


def test_places_name_the_page_where_there_is_one():
    assert place(SourceText(1, "", "a.pdf", "3-4", "c", "d")) == "a.pdf, p. 3-4"
    assert place(SourceText(1, "", "a.txt", "", "c", "d")) == "a.txt"


def test_suggested_questions_name_what_is_best_connected(graph):
    assert suggestions(graph)[0] == "Who is Mara?"
    assert len(suggestions(graph)) == 3
    assert suggestions(nx.Graph()) == []


def test_keywords_of_both_levels_in_a_line():
    assert keywords_line(Keywords(("trade",), ("Mara", "Ansel"))) == "Themes: trade · Details: Mara, Ansel"
    assert keywords_line(Keywords(low_level=("Mara",))) == "Details: Mara"
    assert keywords_line(Keywords()) == ""
