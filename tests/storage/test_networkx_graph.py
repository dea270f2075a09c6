"""The contract of the graph role, over NetworkX and SQLite rows."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

from lightrag_engine.records import Entity, Relation
from lightrag_engine.storage.base import GraphChange
from lightrag_engine.storage.networkx_graph import NetworkXGraph
from lightrag_engine.storage.sqlite import Database


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "g.db")


def entity(key: str, **fields: object) -> Entity:
    values = {"name": key.title(), "type": "person", "description": "d", "weight": 1.0, "source_ids": ("c1",)}
    return Entity(key=key, **{**values, **fields})  # type: ignore[arg-type]


def relation(source: str, target: str, weight: float = 1.0) -> Relation:
    return Relation(source, target, ("knows",), "d", weight, ("c1",))


def test_what_is_applied_can_be_read_now_and_after_reopening(database: Database) -> None:
    ada, bob = entity("ada", spellings=("Ada", "ADA")), entity("bob")
    NetworkXGraph(database).apply(GraphChange((ada, bob), (relation("bob", "ada", 2.5),)))
    for graph in (NetworkXGraph(database), NetworkXGraph(database)):
        assert graph.entity("ada") == ada
        assert graph.relation("ada", "bob") == graph.relation("bob", "ada") == relation("bob", "ada", 2.5)
        assert graph.entity("nobody") is None
        assert graph.relation("ada", "nobody") is None
        assert graph.pairs_at("ada") == {("ada", "bob")}
        assert graph.pairs_at("nobody") == set()
    database.close()


def test_a_removed_entity_takes_its_relations_along(database: Database) -> None:
    graph = NetworkXGraph(database)
    graph.apply(
        GraphChange(
            (entity("ada"), entity("bob"), entity("cy")),
            (relation("ada", "bob"), relation("bob", "cy"), relation("ada", "cy")),
        )
    )
    graph.apply(GraphChange(removed_entities=("bob",), removed_relations=(("cy", "ada"),)))
    for opened in (graph, NetworkXGraph(database)):
        assert set(opened.graph.nodes) == {"ada", "cy"}
        assert opened.graph.number_of_edges() == 0
    database.close()


def test_a_rolled_back_change_never_shows(database: Database) -> None:
    graph = NetworkXGraph(database)

    def change_and_fail() -> None:
        with database.transaction():
            graph.apply(GraphChange((entity("ada"),)))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        change_and_fail()
    assert graph.entity("ada") is None
    assert graph.revision == 0
    database.close()


def test_a_snapshot_is_frozen_and_untouched_by_later_changes(database: Database) -> None:
    graph = NetworkXGraph(database)
    graph.apply(GraphChange((entity("ada"),)))
    before = graph.graph
    assert graph.graph is before, "one copy a revision"
    graph.apply(GraphChange((entity("bob"),)))
    assert set(before.nodes) == {"ada"}
    assert set(graph.graph.nodes) == {"ada", "bob"}
    with pytest.raises(nx.NetworkXError):
        before.add_node("eve")
    database.close()


def test_rows_of_an_older_version_and_infinite_weights_are_read(database: Database) -> None:
    """A row has the fields that there were when it was written."""
    ada, bob = entity("ada", weight=float("inf")), entity("bob", aliases=("b",), edited=("merged",))
    NetworkXGraph(database).apply(GraphChange((ada, bob), (relation("bob", "ada"),)))
    with database.transaction() as connection:
        connection.execute(
            "UPDATE nodes SET value = json_remove(value, '$.left_out', '$.summary_of') WHERE key = 'bob'"
        )
        connection.execute("UPDATE edges SET value = json_remove(value, '$.left_out', '$.edited')")
    graph = NetworkXGraph(database)
    assert (graph.entity("ada"), graph.entity("bob")) == (ada, bob)
    assert graph.relation("ada", "bob") == relation("bob", "ada")
    database.close()
