from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.errors import SettingsError
from lightrag_engine.exporting import export_graph, graph_file, plain
from lightrag_engine.names import xml_text


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


GEXF = "{http://www.gexf.net/1.2draft}"
# Attributes of GEXF 1.2 elements that the schema knows, of those without times and without drawing.
KNOWN = {
    "gexf": {"version"},
    "graph": {"defaultedgetype", "idtype", "mode"},
    "attributes": {"class", "mode"},
    "attribute": {"id", "title", "type"},
    "node": {"id", "label"},
    "edge": {"id", "source", "target", "type", "label", "weight"},
    "attvalue": {"for", "value"},
    "meta": {"lastmodifieddate"},
}


def assert_valid_gexf(text: str) -> None:
    """Check what the schema of GEXF 1.2 asks for of a graph without times."""
    root = ET.fromstring(text)
    assert root.tag == f"{GEXF}gexf"
    for element in root.iter():
        names = {name for name in element.attrib if not name.startswith("{")}
        assert names <= KNOWN.get(element.tag.removeprefix(GEXF), set()), element.tag
    nodes = [node.attrib["id"] for node in root.iter(f"{GEXF}node")]
    assert len(nodes) == len(set(nodes))
    edges = list(root.iter(f"{GEXF}edge"))
    assert len({edge.attrib["id"] for edge in edges}) == len(edges)
    assert {edge.attrib[end] for edge in edges for end in ("source", "target")} <= set(nodes)
    for edge in edges:
        float(edge.attrib["weight"])
    for kind in ("node", "edge"):
        declared = {
            attribute.attrib["id"]: attribute.attrib["type"]
            for group in root.iter(f"{GEXF}attributes")
            if group.attrib["class"] == kind
            for attribute in group
        }
        assert set(declared.values()) <= {"string", "double"}
        for element in root.iter(f"{GEXF}{kind}"):
            values = list(element.iter(f"{GEXF}attvalue"))
            assert len({value.attrib["for"] for value in values}) == len(values)
            for value in values:
                if declared[value.attrib["for"]] == "double":
                    float(value.attrib["value"])


@given(
    st.lists(st.text(st.characters(), max_size=12), min_size=2, max_size=6, unique_by=xml_text),
    st.one_of(st.none(), st.integers(1, 9), st.floats(0.1, 9), st.just(np.float32(1.5))),
)
def test_gexf_and_graphml_of_any_text_are_valid_and_read_back_the_same(names: list[str], weight: Any) -> None:
    """A control character, None, a list or NumPy's numbers made files that could not be read back."""
    graph: nx.Graph[str] = nx.Graph()
    for n, name in enumerate(names):
        graph.add_node(
            f"key {n}", name=name, type="x", description=name, weight=weight, source_ids=tuple(names)
        )
    for n, name in enumerate(names[1:], start=1):
        graph.add_edge("key 0", f"key {n}", weight=2, keywords=(name,), description=name)
    expected = plain(graph)
    for kind in ("gexf", "graphml"):
        text = graph_file(graph, kind)
        if kind == "gexf":
            assert_valid_gexf(text.decode())
        back = (nx.read_gexf if kind == "gexf" else nx.read_graphml)(io.BytesIO(text))
        assert dict(back.nodes(data=True)) == dict(expected.nodes(data=True))
        read = {frozenset(ends[:2]): ends[2] for ends in back.edges(data=True)}
        for a, b, edge in expected.edges(data=True):
            assert {name: read[frozenset((a, b))][name] for name in edge} == edge


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


def test_a_place_that_cannot_be_written_is_named(graph: nx.Graph[str], tmp_path: Path) -> None:
    """A folder of the name, or a file in the place of the folder, was an error of the system."""
    (tmp_path / "g.csv").mkdir()
    (tmp_path / "file").touch()
    for path in (tmp_path / "g.csv", tmp_path / "file" / "g.csv"):
        with pytest.raises(SettingsError, match=r"g\.csv.*could not be written") as raised:
            export_graph(graph, path)
        assert "another place" in raised.value.hint
    assert {path.name for path in tmp_path.iterdir()} == {"g.csv", "file"}
