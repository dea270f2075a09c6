"""The map: a place each, and it stays."""

import random

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.graphs.arrangements import circular, hops_from, layered, radial
from lightrag_engine.graphs.places import MapPlaces
from lightrag_engine.graphs.placing import FIELD, place_all
from lightrag_engine.storage.json_kv import JsonKeyValue

graphs = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=60).map(
    lambda edges: nx.relabel_nodes(nx.Graph(edges), str)
)


def spread_out(places) -> bool:
    listed = sorted(places.values())
    return all(
        abs(x - u) >= 0.3 * FIELD or abs(y - v) >= 0.3 * FIELD
        for n, (x, y) in enumerate(listed)
        for u, v in listed[n + 1 :]
    )


def test_the_same_graph_has_the_same_places_whatever_the_order(big):
    small = big.subgraph([f"entity {n}" for n in range(500)])
    turned = nx.Graph()
    nodes = list(small)
    random.Random(1).shuffle(nodes)
    turned.add_nodes_from(nodes)
    turned.add_edges_from((b, a) for a, b in reversed(list(small.edges)))
    assert place_all(small, {}) == place_all(turned, {})


def test_nothing_covers_anything(big):
    places = place_all(big, {})
    assert places.keys() == set(big)
    best = sorted(big, key=big.degree)[-400:]
    assert spread_out({key: places[key] for key in best})


@given(graphs, graphs)
def test_what_has_a_place_keeps_it_when_documents_come(before, new):
    places = place_all(before, {})
    after = nx.compose(before, new)
    added = place_all(after, places)
    assert added.keys() == set(after) - places.keys()
    assert spread_out({**places, **added})


def test_neighbours_are_nearer_than_strangers():
    graph = nx.relabel_nodes(nx.connected_caveman_graph(8, 12), str)
    places = place_all(graph, {})

    def apart(a, b):
        return ((places[a][0] - places[b][0]) ** 2 + (places[a][1] - places[b][1]) ** 2) ** 0.5

    near = [apart(a, b) for a, b in graph.edges]
    chance = random.Random(3)
    anyone = [apart(*chance.sample(sorted(graph), 2)) for _ in range(400)]
    assert sum(near) / len(near) < 0.7 * sum(anyone) / len(anyone)


def test_the_layout_leaves_the_random_numbers_of_others_alone(town):
    random.seed(5)
    expected = random.random()
    random.seed(5)
    place_all(town, {})
    assert random.random() == expected


@pytest.mark.parametrize("names", [[], ["a"], ["a", "b"]])
def test_tiny_graphs_without_relations_have_places(names):
    graph = nx.Graph()
    graph.add_nodes_from(names)
    assert sorted(place_all(graph, {})) == names


def test_places_and_pins_survive_reopening(town, tmp_path):
    kept = MapPlaces(JsonKeyValue(tmp_path, "places"))
    first = dict(kept.of(town))
    assert kept.pin("ada", 5000.04, -3)
    assert not kept.pin("ada", float("nan"), 0)
    assert not kept.pin("ada", 1e12, 0)
    again = MapPlaces(JsonKeyValue(tmp_path, "places"))
    assert again.of(town) == first | {"ada": (5000.0, -3.0)}
    assert again.pinned() == {"ada"}


def test_arranging_anew_keeps_pins_and_unpinning_forgets_them(town, tmp_path):
    kept = MapPlaces(JsonKeyValue(tmp_path, "places"))
    first = dict(kept.of(town))
    kept.pin("ada", 5000, 5000)
    kept.arrange_anew()
    assert kept.of(town)["ada"] == (5000, 5000)
    kept.unpin_all()
    kept.arrange_anew()
    assert kept.of(town) == first
    assert not kept.pinned()


def test_unpinning_one_gives_just_that_back_to_the_map(town, tmp_path):
    kept = MapPlaces(JsonKeyValue(tmp_path, "places"))
    kept.of(town)
    kept.pin("ada", 5000, 5000)
    kept.pin("ben", -5000, 40)
    kept.unpin("ada")
    kept.unpin("nobody")
    assert kept.pinned() == {"ben"}
    again = MapPlaces(JsonKeyValue(tmp_path, "places"))
    places = again.of(town)
    assert places["ada"] != (5000, 5000)
    assert places["ben"] == (-5000, 40)
    assert again.pinned() == {"ben"}


def test_a_deleted_entity_comes_back_to_its_place(town, tmp_path):
    kept = MapPlaces(JsonKeyValue(tmp_path, "places"))
    first = dict(kept.of(town))
    kept.of(town.subgraph(["ada", "ben"]))
    assert kept.of(town) == first


def test_rings_around_the_focus_one_a_hop(town):
    places = radial(town, ["ada"])
    distance = {key: round((x / 1.2) ** 2 + y**2) for key, (x, y) in places.items()}
    assert places["ada"] == (0.0, 0.0)
    assert distance["ben"] < distance["uma"] < distance["stranger"]
    assert len(set(places.values())) == len(town)


def test_columns_from_the_focus_one_a_hop(town):
    places = layered(town, ["ada"])
    assert places["ada"][0] < places["ben"][0] < places["uma"][0] < places["stranger"][0]
    assert places["ben"][0] == places["town"][0]
    assert len(set(places.values())) == len(town)


def test_a_circle_with_types_side_by_side(town):
    order = list(circular(town))
    assert [town.nodes[key]["type"] for key in order] == ["person"] * 8 + ["location", "starship"]


@given(graphs, st.lists(st.integers(0, 40).map(str), max_size=3))
def test_every_arrangement_gives_everything_a_place_of_its_own(graph, focus):
    for places in (radial(graph, focus), layered(graph, focus), circular(graph)):
        assert places.keys() == set(graph)
        assert len(set(places.values())) == len(graph)


def test_hops_count_from_the_nearest_focus(town):
    hops = hops_from(town, ["ada", "uma", "gone"])
    assert (hops["ada"], hops["uma"], hops["xan"]) == (0, 0, 1)
    assert "stranger" not in hops
