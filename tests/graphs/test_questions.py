"""Questions that the graph suggests."""

from __future__ import annotations

import random

import networkx as nx
import pytest
from conftest import MakeRag
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.graphs.communities import communities
from lightrag_engine.graphs.indexed import indexed
from lightrag_engine.graphs.questions import suggested_questions
from lightrag_engine.language.builtin.evidence import is_overview

Edge = tuple[str, str, float]


def graph_of(types: dict[str, str], edges: list[Edge]) -> nx.Graph[str]:
    graph: nx.Graph[str] = nx.Graph()
    for name, kind in types.items():
        graph.add_node(name.casefold(), name=name, type=kind, weight=1.0)
    for a, b, weight in edges:
        graph.add_edge(a.casefold(), b.casefold(), weight=weight, keywords=())
    return graph


def asked(graph: nx.Graph[str], count: int = 4) -> tuple[str, ...]:
    return suggested_questions(graph, communities(graph, indexed(graph)), count)


TOWN = {
    "Mara Quill": "person",
    "Ferry": "product",
    "Tobias Renn": "person",
    "Port Ansel": "location",
    "Ilse Vogt": "person",
    "Art School": "organization",
    "Old Mill": "location",
}
EDGES: list[Edge] = [
    ("Mara Quill", "Ferry", 2),
    ("Mara Quill", "Tobias Renn", 7),
    ("Mara Quill", "Port Ansel", 1),
    ("Ferry", "Tobias Renn", 1),
    ("Ilse Vogt", "Art School", 3),
    ("Ilse Vogt", "Old Mill", 1),
    ("Art School", "Old Mill", 1),
]


def test_one_of_each_kind_is_asked() -> None:
    assert asked(graph_of(TOWN, EDGES)) == (
        "Who is Mara Quill?",
        "How are Mara Quill and Tobias Renn related?",
        "What do the documents say about Art School and Ilse Vogt?",
        "What are the documents about?",
    )
    assert len(asked(graph_of(TOWN, EDGES), count=2)) == 2


def test_a_chinese_workspace_is_asked_in_chinese() -> None:
    types = {"诸葛亮": "person", "刘备": "person", "蜀汉": "organization"}
    edges: list[Edge] = [("诸葛亮", "刘备", 3), ("诸葛亮", "蜀汉", 1)]
    assert asked(graph_of(types, edges)) == (
        "诸葛亮是谁？",
        "诸葛亮和刘备有什么关系？",
        "这些文档的主题是什么？",
    )


def test_where_most_names_are_english_the_chinese_ones_are_not_asked_about() -> None:
    types = {**TOWN, "诸葛亮": "person", "刘备": "person", "蜀汉": "organization"}
    best: list[Edge] = [("诸葛亮", "刘备", 9), ("诸葛亮", "蜀汉", 9), ("刘备", "蜀汉", 9)]
    assert asked(graph_of(types, [*EDGES, *best])) == asked(graph_of(TOWN, EDGES))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("1921", "date"),
        ("Monday", "date"),
        ("30 %", "quantity"),
        ("Thing", "unknown"),
        ("the", "concept"),
        ("It", "concept"),
        ("film", "concept"),
        ("§ 4.2.1 (b)", "concept"),
        ("x", "concept"),
        ("http://a.b/c?d=1&e=2&f=3", "concept"),
        ("Very " * 20 + "long", "work"),
    ],
)
def test_junk_is_never_asked_about_however_well_connected(name: str, kind: str) -> None:
    edges = [*EDGES, *((name, other, 99.0) for other in TOWN)]
    graph = graph_of({**TOWN, name: kind}, edges)
    questions = asked(graph)
    assert questions[0] == "Who is Mara Quill?"
    assert not any(f" {name} " in f" {q.replace('the documents', '').rstrip('?')} " for q in questions)
    assert asked(graph_of({name: kind}, [])) == ()


def test_names_of_which_one_is_part_of_the_other_are_no_relation() -> None:
    types = {"Mara Quill": "person", "Quill": "person", "Heron Works": "organization"}
    edges: list[Edge] = [("Mara Quill", "Quill", 9), ("Mara Quill", "Heron Works", 1)]
    assert "How are Mara Quill and Heron Works related?" in asked(graph_of(types, edges))


@given(st.randoms(use_true_random=False))
def test_the_same_graph_gives_the_same_questions(chance: random.Random) -> None:
    names, edges = list(TOWN), list(EDGES)
    chance.shuffle(names)
    chance.shuffle(edges)
    turned = [(b, a, w) if chance.random() < 0.5 else (a, b, w) for a, b, w in edges]
    graph = nx.Graph()
    made = graph_of({name: TOWN[name] for name in names}, turned)
    # As the engine gives it: nodes and edges in the order of their keys.
    graph.add_nodes_from(sorted(made.nodes(data=True)))
    graph.add_edges_from(sorted((min(a, b), max(a, b), data) for a, b, data in made.edges(data=True)))
    assert asked(graph) == asked(graph_of(TOWN, EDGES))


def test_a_workspace_suggests_questions_that_it_can_answer(make_rag: MakeRag) -> None:
    rag = make_rag()
    assert rag.suggested_questions() == ()
    rag.insert("Mara Quill founded the Brindle Valley Ferry. Tobias Renn met Mara Quill.")
    questions = rag.suggested_questions()
    assert questions[0] == "What is Mara Quill?"  # the scripted language knows no persons
    assert all(rag.query(question).citations for question in questions)


def test_the_question_about_everything_is_understood_by_the_built_in_language() -> None:
    assert is_overview(asked(graph_of(TOWN, EDGES))[-1])
    assert is_overview(asked(graph_of({"诸葛亮": "person"}, []))[-1])
