from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import networkx as nx
import numpy as np
import pytest

from lightrag_engine.errors import SettingsError
from lightrag_engine.exporting import export_graph, plain


@pytest.fixture
def graph() -> nx.Graph[str]:
    graph: nx.Graph[str] = nx.Graph()
    hostile = '<script>alert("&")</script>\x0c\x00'
    graph.add_node(
        "a", name=hostile, type="person", description="马清和 👩‍🚒", source_ids=("c1", "c2"), weight=1
    )
    graph.add_node("b", name="Zoë", type="", description="", source_ids=(), weight=np.float32(1.5))
    graph.add_edge(
        "a",
        "b",
        source_key="b",
        target_key="a",
        keywords=("x", "y"),
        description="said",
        weight=2,
        source_ids=("c1",),
    )
    return graph


def test_graphml_is_read_back_with_the_same_values(graph: nx.Graph[str], tmp_path: Path) -> None:
    (path,) = export_graph(graph, tmp_path / "g.graphml")
    back = nx.read_graphml(path)
    assert dict(back.nodes(data=True)) == dict(plain(graph).nodes(data=True))
    assert back.edges["a", "b"] == plain(graph).edges["a", "b"]
    assert back.edges["a", "b"]["weight"] == 2.0
    assert isinstance(back.edges["a", "b"]["weight"], float)
    assert back.nodes["a"]["source_ids"] == "c1; c2"
    assert back.nodes["a"]["label"] == '<script>alert("&")</script>'


def test_gexf_is_read_back(graph: nx.Graph[str], tmp_path: Path) -> None:
    (path,) = export_graph(graph, tmp_path / "g.gexf")
    back = nx.read_gexf(path)
    assert back.nodes["a"]["description"] == "马清和 👩‍🚒"
    assert back.edges["a", "b"]["weight"] == 2.0
    ET.parse(path)


def test_json_keeps_lists(graph: nx.Graph[str], tmp_path: Path) -> None:
    del graph.nodes["b"]["weight"]
    (path,) = export_graph(graph, tmp_path / "g.json")
    data = json.loads(path.read_text(encoding="utf-8"))
    back = nx.node_link_graph(data, edges="edges")
    assert back.edges["a", "b"]["keywords"] == ["x", "y"]


def test_csv_states_the_direction_and_the_shown_names(graph: nx.Graph[str], tmp_path: Path) -> None:
    graph.nodes["b"]["description"] = "=1+1"
    relations, entities = export_graph(graph, tmp_path / "g.csv")
    with relations.open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["source"] == "Zoë"
    assert row["keywords"] == "x; y"
    with entities.open(encoding="utf-8-sig", newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    assert rows["Zoë"]["degree"] == "1"
    assert rows["Zoë"]["description"] == "'=1+1", "no spreadsheet runs it"


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (["a", "b"], "a; b"),
        ({"k": 1, "马": "清和"}, '{"k": 1, "马": "清和"}'),
        (np.float32(1.5), 1.5),
        (np.int64(3), 3.0),
        (True, 1.0),
    ],
)
def test_an_attribute_of_any_kind_is_written_and_read_back(
    graph: nx.Graph[str], tmp_path: Path, value: object, read: object
) -> None:
    """Lists and mappings ended the writing half-way, with an empty file where the graph had been."""
    graph.nodes["a"]["odd"] = value
    back = nx.read_graphml(*export_graph(graph, tmp_path / "g.graphml"))
    assert back.nodes["a"]["odd"] == read
    assert type(back.nodes["a"]["odd"]) is type(read)


@pytest.mark.parametrize("value", [None, float("nan")])
def test_an_attribute_without_a_value_is_left_out(
    graph: nx.Graph[str], tmp_path: Path, value: object
) -> None:
    graph.nodes["a"]["odd"] = value
    back = nx.read_graphml(*export_graph(graph, tmp_path / "g.graphml"))
    assert "odd" not in back.nodes["a"]


def test_an_unknown_ending_names_the_known_ones(graph: nx.Graph[str], tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        export_graph(graph, tmp_path / "g.docx")
    assert ".graphml" in caught.value.hint


def test_a_failed_write_leaves_the_old_file(graph: nx.Graph[str], tmp_path: Path) -> None:
    graph.nodes["b"]["weight"] = 1.0
    (path,) = export_graph(graph, tmp_path / "g.json")
    before = path.read_bytes()
    graph.nodes["a"]["bad"] = object()
    with pytest.raises(TypeError):
        export_graph(graph, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
