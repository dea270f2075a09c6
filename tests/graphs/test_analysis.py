"""Paths, communities and centralities, checked against NetworkX where it has them."""

import networkx as nx
import pytest
from graphs.conftest import add, relate
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.graphs import analysis
from lightrag_engine.graphs.communities import communities, links_between
from lightrag_engine.graphs.indexed import indexed
from lightrag_engine.graphs.paths import common_neighbours, shortest_paths

graphs = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=30).map(
    lambda edges: nx.relabel_nodes(nx.Graph((a, b) for a, b in edges if a != b), str)
)


@given(graphs, st.integers(1, 5))
def test_paths_are_real_simple_and_shortest_first(graph, count):
    graph.add_nodes_from(["0", "1"])
    found = shortest_paths(indexed(graph), "0", "1", count)
    if not nx.has_path(graph, "0", "1"):
        assert found == []
        return
    assert len(found[0]) == nx.shortest_path_length(graph, "0", "1")
    assert [len(path) for path in found] == sorted(len(path) for path in found)
    assert len({path.keys for path in found}) == len(found) <= count
    for path in found:
        assert nx.is_simple_path(graph, list(path.keys))
        assert len(path.pairs) == len(path)


def test_a_path_past_a_rare_entity_comes_before_one_past_a_hub(town):
    add(town, "Club", "organization")
    relate(town, "ada", "club")
    relate(town, "xan", "club")
    first, second = shortest_paths(indexed(town), "ada", "xan", 2)
    assert (first.keys, second.keys) == (("ada", "club", "xan"), ("ada", "town", "xan"))


def test_no_path_to_oneself_or_to_what_is_gone(town):
    for ends in (("ada", "ada"), ("ada", "gone"), ("ada", "stranger")):
        assert shortest_paths(indexed(town), *ends, 3) == []


def test_common_neighbours_rarest_first(town):
    assert common_neighbours(town, ["ada", "ben"]) == ["cia", "dov", "town"]
    assert common_neighbours(town, ["ada", "xan", "gone"]) == ["town"]
    assert common_neighbours(town, ["ada"]) == []


def test_two_families_are_two_communities(town):
    found = communities(town, indexed(town))
    assert found.of("ada") == found.of("dov")
    assert found.of("uma") == found.of("xan")
    assert found.of("ada") != found.of("uma")
    assert found.of("gone") is None
    assert found.groups[0].keywords[0] == "family"
    assert [len(group.members) for group in found.groups] == [5, 4, 1]
    assert found.modularity > 0.3
    numbers = sorted((found.number["ada"], found.number["uma"]))
    assert found.between[tuple(numbers)] == len(links_between(town, found, *numbers)) == 5
    assert communities(town, indexed(town)) == found


def test_an_empty_graph_has_no_communities_and_numbers_of_zero():
    empty = indexed(nx.Graph())
    found = communities(nx.Graph(), empty)
    assert found.groups == ()
    numbers = analysis.summary(nx.Graph(), empty, found)
    assert (numbers.entities, numbers.density, numbers.largest_component) == (0, 0.0, 0)
    table = analysis.centrality_table(nx.Graph(), empty, found, {})
    assert table.dtypes["degree"] == "int64"
    assert analysis.surprising_relations(nx.Graph(), found).empty
    assert analysis.types_by_document(nx.Graph(), {}, {}).empty


def test_centralities_equal_those_of_networkx(town):
    by_number = indexed(town)
    expected = nx.pagerank(town, weight="weight", tol=1e-10)
    assert analysis.pagerank(by_number) == pytest.approx(expected, abs=1e-6)
    assert analysis.betweenness(by_number) == pytest.approx(nx.betweenness_centrality(town))


def test_sampled_betweenness_finds_the_same_entities(big):
    by_number = indexed(big)
    assert analysis.betweenness_is_sampled(by_number)
    sampled = analysis.betweenness(by_number)
    exact = dict(zip(by_number.keys, by_number.graph.betweenness(directed=False), strict=True))
    best = sorted(exact, key=exact.get)[-10:]
    found = sorted(sampled, key=sampled.get)[-10:]
    assert len(set(best) & set(found)) >= 7


def test_the_centrality_table(town):
    by_number = indexed(town)
    found = communities(town, by_number)
    table = analysis.centrality_table(town, by_number, found, analysis.pagerank(by_number))
    assert table["key"][0] == "town"
    assert table["degree"].is_monotonic_decreasing
    row = table.set_index("key").loc["dov"]
    assert (row["degree"], row["weight"], row["component"]) == (5, 10.5, 1)
    assert table.set_index("key").loc["stranger", "component"] == 2


def test_the_summary_of_a_graph(town):
    by_number = indexed(town)
    numbers = analysis.summary(town, by_number, communities(town, by_number))
    assert (numbers.entities, numbers.relations, numbers.components, numbers.isolated) == (10, 21, 2, 1)
    assert numbers.density == pytest.approx(nx.density(town))
    assert numbers.communities == 2, "one entity alone is no community"


def test_the_one_friendship_between_the_families_is_the_surprise(town):
    found = communities(town, indexed(town))
    table = analysis.surprising_relations(town, found)
    assert set(table.loc[0, ["low_key", "high_key"]]) == {"dov", "uma"}
    assert table["surprise"].is_monotonic_decreasing


def test_types_over_documents(town):
    documents = {"ada": ["d1", "d2"], "town": ["d1"], "ben": ["gone"]}
    table = analysis.types_by_document(town, documents, {"d1": "one.txt", "d2": "two.txt"})
    assert table.to_numpy().tolist() == [
        ["one.txt", "location", 1],
        ["one.txt", "person", 1],
        ["two.txt", "person", 1],
    ]
