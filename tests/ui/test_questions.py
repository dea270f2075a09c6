"""Questions that the graph suggests, and what a question was understood as."""

import networkx as nx

from lightrag_engine.records import Keywords
from ui.answer_view import keywords_line
from ui.questions import suggestions


def test_suggested_questions_name_what_is_best_connected():
    graph = nx.star_graph(["mara", "ansel", "heron"])
    graph.nodes["mara"].update(name="Mara", type="person")
    assert suggestions(graph)[0] == "Who is Mara?"
    assert len(suggestions(graph)) == 3
    assert suggestions(nx.Graph()) == []


def test_keywords_of_both_levels_in_a_line():
    assert keywords_line(Keywords(("trade",), ("Mara", "Ansel"))) == "Themes: trade · Details: Mara, Ansel"
    assert keywords_line(Keywords(low_level=("Mara",))) == "Details: Mara"
    assert keywords_line(Keywords()) == ""
