"""The orders that the method prescribes, on a graph small enough to work out by hand."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.indexing.vector_texts import entity_vector_id, relation_vector_id
from lightrag_engine.retrieval.found import Found, combine, sort_relations
from lightrag_engine.retrieval.global_ import global_
from lightrag_engine.retrieval.local import local
from lightrag_engine.retrieval.naive import naive
from lightrag_engine.retrieval.order import GraphOrder

EDGES = [
    # source, target, weight, chunks
    ("a", "b", 1.0, ("c1",)),
    ("a", "c", 5.0, ("c2",)),
    ("a", "d", 2.0, ("c1", "c3")),
    ("c", "d", 9.0, ("c3",)),
]
NODES = {"a": ("c3", "c1", "c2"), "b": ("c1",), "c": ("c2", "c3"), "d": ("c1", "c3"), "e": ("c4",)}


@pytest.fixture
def graph() -> nx.Graph[str]:
    graph: nx.Graph[str] = nx.Graph()
    for key, chunks in NODES.items():
        graph.add_node(key, name=key.upper(), type="concept", description="d", source_ids=chunks)
    for source, target, weight, chunks in EDGES:
        graph.add_edge(
            source,
            target,
            source_key=source,
            target_key=target,
            weight=weight,
            source_ids=chunks,
            keywords=("k",),
            description="d",
        )
    return graph


def test_local_keeps_the_order_of_hits_and_sorts_relations_by_rank_then_weight(graph: nx.Graph[str]) -> None:
    found = local(GraphOrder(graph), ["d", "a", "d", "gone"])
    assert found.entities == ("d", "a")
    # Degrees: a 3, b 1, c 2, d 2. Ranks: a-c 5, a-d 5, a-b 4, c-d 4.
    assert found.relations == (("a", "c"), ("a", "d"), ("c", "d"), ("a", "b"))
    assert found.dangling == 1


def test_local_sorts_chunks_by_entity_then_by_neighbours_that_share_them(graph: nx.Graph[str]) -> None:
    # Neighbours of a are b (c1), c (c2 c3), d (c1 c3): c3 is shared by two, c1 by two, c2 by one.
    assert local(GraphOrder(graph), ["a"]).chunks == ("c3", "c1", "c2")
    # Neighbours of d are a (c1 c2 c3) and c (c2 c3): c3 is shared by two, c1 by one; then what a adds.
    assert local(GraphOrder(graph), ["d", "a"]).chunks == ("c3", "c1", "c2")
    assert local(GraphOrder(graph), ["e", "b"]).chunks == ("c4", "c1")


def test_global_sorts_hits_by_rank_and_weight_and_takes_ends_and_chunks_in_that_order(
    graph: nx.Graph[str],
) -> None:
    found = global_(graph, [("b", "a"), ("d", "c"), ("c", "d"), ("c", "a"), ("a", "gone")])
    assert found.relations == (("a", "c"), ("c", "d"), ("a", "b"))
    assert found.entities == ("a", "c", "d", "b")
    assert found.chunks == ("c2", "c3", "c1")
    assert found.dangling == 1


def test_naive_keeps_the_order_of_hits_and_counts_unknown_chunks() -> None:
    assert naive(["c2", "gone", "c1"], {"c1", "c2"}) == Found(chunks=("c2", "c1"), dangling=1)


def test_combining_keeps_each_row_once_the_first_part_first() -> None:
    one = Found(("a", "b"), (("a", "b"),), ("c1",), 1)
    two = Found(("b", "c"), (("b", "c"), ("a", "b")), ("c2", "c1"), 2)
    assert combine(one, two) == Found(("a", "b", "c"), (("a", "b"), ("b", "c")), ("c1", "c2"), 3)
    assert combine() == Found()


@given(hits=st.lists(st.sampled_from([*NODES, "gone"])))
def test_whatever_is_hit_each_row_comes_once_and_exists(hits: list[str]) -> None:
    graph = nx.Graph()
    for key, chunks in NODES.items():
        graph.add_node(key, source_ids=chunks)
    for source, target, weight, _ in EDGES:
        graph.add_edge(source, target, weight=weight)
    found = local(GraphOrder(graph), hits)
    for rows in (found.entities, found.relations, found.chunks):
        assert len(rows) == len(set(rows))
    assert set(found.entities) == set(hits) - {"gone"}
    assert found.relations == sort_relations(graph, found.relations)


@given(
    edges=st.dictionaries(
        st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), st.sampled_from([0.5, 1.0, 2.0])
    ),
    keys=st.lists(st.sampled_from("abcdef"), unique=True),
)
def test_the_order_worked_out_once_is_that_of_sorting_what_was_found(
    edges: dict[tuple[str, str], float], keys: list[str]
) -> None:
    graph = nx.Graph()
    graph.add_nodes_from("fedcba")
    for (source, target), weight in edges.items():
        graph.add_edge(source, target, weight=weight)
    found = {(min(pair), max(pair)) for pair in graph.edges(keys)} if keys else set()
    order = GraphOrder(graph)
    assert {order.entities[entity_vector_id(key)] for key in keys} == set(keys)
    assert {order.relations[relation_vector_id(pair)] for pair in found} == found
    assert order.edges_at(keys) == order.edges_at(keys[::-1]) == sort_relations(graph, found)
