"""What of the graph is drawn, where and as what."""

import json
import random
import time

import networkx as nx
import pytest

from ui import graph_layout, graph_view


def entity(graph, name, kind="person", **data):
    graph.add_node(name.casefold(), name=name, type=kind, weight=1.0, **data)


@pytest.fixture
def graph():
    made = nx.Graph()
    for name, kind in (("Mara", "person"), ("Tobias", "person"), ("Ansel", "location"), ("Ferry", "product")):
        entity(made, name, kind)
    made.add_edge("mara", "tobias", keywords=("work", "ships"), weight=2.0)
    made.add_edge("mara", "ansel", keywords=(), weight=1.0)
    entity(made, "Lone", "starship")
    return made


@pytest.fixture(scope="module")
def big():
    made = nx.barabasi_albert_graph(5000, 3, seed=4)
    return nx.relabel_nodes(made, {n: f"entity {n}" for n in made})


def test_the_best_connected_come_first(graph):
    assert graph_view.best_connected(graph, 2) == ["mara", "ansel"]
    assert graph_view.best_connected(graph, 9, ("person",)) == ["mara", "tobias"]


def test_a_chosen_entity_joins_the_view_with_its_neighbours(graph):
    assert graph_view.with_neighbourhood(graph, ["ferry"], "mara") == ["ferry", "mara", "ansel", "tobias"]
    assert graph_view.with_neighbourhood(graph, ["mara"], "mara") == ["mara"]
    assert graph_view.with_neighbourhood(graph, ["mara"], "gone") == ["mara"]
    assert graph_view.with_neighbourhood(graph, ["mara"], None) == ["mara"]


def test_types_are_counted_and_missing_ones_unknown(graph):
    graph.add_node("x", type="")
    assert dict(graph_view.type_counts(graph)) == {
        "person": 2, "location": 1, "product": 1, "starship": 1, "unknown": 1,
    }  # fmt: skip


def test_the_same_graph_has_the_same_places_whatever_the_order(big):
    small = big.subgraph([f"entity {n}" for n in range(200)])
    turned = nx.Graph()
    nodes = list(small)
    random.Random(1).shuffle(nodes)
    turned.add_nodes_from(nodes)
    turned.add_edges_from((b, a) for a, b in reversed(list(small.edges)))
    assert graph_layout.layout(small) == graph_layout.layout(turned)


def test_the_layout_leaves_the_random_numbers_of_others_alone(graph):
    random.seed(5)
    expected = random.random()
    random.seed(5)
    graph_layout.layout(graph)
    assert random.random() == expected


def test_no_two_entities_share_a_place(big):
    keys = graph_view.best_connected(big, 300)
    places = graph_layout.spread(keys, graph_layout.layout(big))
    assert len({(round(x), round(y)) for x, y in places.values()}) == 300


@pytest.mark.parametrize("names", [[], ["a"], ["a", "b"]])
def test_tiny_graphs_without_relations_have_places(names):
    graph = nx.Graph()
    graph.add_nodes_from(names)
    places = graph_layout.layout(graph)
    assert sorted(places) == names
    assert len(set(places.values())) == len(names)


def test_names_are_drawn_as_they_are(graph):
    name = 'Hallam & Sons <Shipwrights> "O\'Neil" </script><img src=x onerror=alert(1)>'
    entity(graph, name)
    node = graph_view.view(graph, [name.casefold()], graph_layout.layout(graph)).nodes[0]
    assert node["label"] == "Hallam & Sons <Shipwrights>…"
    assert node["title"].startswith(name + "\n")


def test_the_view_holds_relations_among_the_shown_only(graph):
    view = graph_view.view(graph, ["mara", "tobias", "lone"], graph_layout.layout(graph))
    assert view.keys == {"mara", "tobias", "lone"}
    assert [json.loads(edge["id"]) for edge in view.edges] == [["mara", "tobias"]]
    assert view.edges[0]["title"] == "Mara – Tobias\nwork, ships"
    assert "physics" not in view.nodes[0]


def test_the_digest_changes_with_what_is_drawn_and_only_then(graph):
    places = graph_layout.layout(graph)
    first = graph_view.view(graph, ["mara", "tobias"], places)
    assert graph_view.view(graph, ["tobias", "mara"], places).digest == first.digest
    graph.nodes["mara"]["type"] = "organization"
    assert graph_view.view(graph, ["mara", "tobias"], places).digest != first.digest


def test_edge_ids_do_not_depend_on_the_order():
    assert graph_view.edge_id("b", 'a"') == graph_view.edge_id('a"', "b")


def test_a_big_graph_is_limited_and_quick(big):
    started = time.perf_counter()
    places = graph_layout.layout(big)
    keys = graph_view.best_connected(big, graph_view.DEFAULT_SHOWN)
    view = graph_view.view(big, keys, places)
    assert time.perf_counter() - started < 20
    assert len(view.nodes) == graph_view.DEFAULT_SHOWN
    assert len(json.dumps([view.nodes, view.edges])) < 500_000
    most = graph_view.view(big, graph_view.best_connected(big, graph_view.MOST_SHOWN), places)
    assert len(json.dumps([most.nodes, most.edges])) < 5_000_000


def test_the_line_tells_what_is_left_out():
    assert graph_view.shown_line(1, 1) == "The only entity"
    assert graph_view.shown_line(10, 40, ("person", "event")) == (
        "10 of 40 entities, the best connected of type person or event"
    )
