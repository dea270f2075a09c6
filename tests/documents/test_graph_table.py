"""Graphs that come as CSV tables."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.documents.graph_table import (
    GraphTable,
    TableEntity,
    TableRelation,
    from_bytes,
    is_graph_table,
    read_graph_table,
)
from lightrag_engine.errors import DocumentError
from lightrag_engine.exporting import graph_file


@pytest.fixture
def town():
    made = nx.Graph()
    for name in ("=Ada", "Ben", "Cia"):
        made.add_node(
            name.strip("=").casefold(),
            name=name,
            type="person",
            description="",
            weight=1.0,
            source_ids=("c",),
        )
    rest = {"description": "", "weight": 2.0, "source_ids": ("c",)}
    made.add_edge("ada", "ben", keywords=("friendship",), **rest)
    made.add_edge("ben", "cia", keywords=("work", "trade"), **rest)
    return made


def csv(*lines: str) -> bytes:
    return "\n".join(lines).encode()


def test_columns_are_found_by_their_names():
    table = read_graph_table(
        csv(
            "Weight;To;From;Relation;Description",
            "2,5;Port Ansel;Mara Quill;lives in, works in;She lives there.",
        ),
        csv("Description;Entity;Type", "A founder.;Mara Quill;PERSON"),
    )
    assert table.entities == (TableEntity("Mara Quill", "person", "A founder."),)
    assert table.relations == (
        TableRelation("Mara Quill", "Port Ansel", ("lives in", "works in"), "She lives there.", 2.5),
    )
    assert table.lines() == [
        "Mara Quill (person): A founder.",
        "Mara Quill – Port Ansel (lives in, works in): She lives there.",
    ]


def test_tables_of_gephi_name_entities_by_id():
    table = read_graph_table(
        csv("Source,Target,Type,Id,Label,Weight", "1,2,Undirected,0,friend of,3"),
        csv("Id,Label,Category", "1,Ada,per", "2,,geo"),
    )
    assert table.entities == (TableEntity("Ada", "per", ""), TableEntity("2", "geo", ""))
    assert table.relations == (TableRelation("Ada", "2", ("friend of",), "", 3.0),)


def test_our_own_export_comes_back(town):
    table = read_graph_table(graph_file(town, "relations.csv"), graph_file(town, "entities.csv"))
    assert {e.name: e.type for e in table.entities} == {
        data["name"]: data["type"] for _, data in town.nodes(data=True)
    }
    assert len(table.relations) == town.number_of_edges()
    assert {r.keywords for r in table.relations} == {("friendship",), ("work", "trade")}


def test_what_cannot_be_used_is_left_out_and_said():
    table = read_graph_table(
        csv("source,target,weight", "a,,1", "a,A,1", "a,b,much", "a,c,nan", "a,d,-1", "a,e,1"),
        csv("name,type", "''''', person", "f,"),
    )
    assert [(r.target, r.weight) for r in table.relations] == [("b", 1), ("c", 1), ("d", 1), ("e", 1)]
    assert [e.type for e in table.entities] == ["unknown"]
    assert [warning.split(" of ")[0] for warning in table.warnings] == ["1 row", "1 row", "1 row", "3 rows"]


@pytest.mark.parametrize(
    ("relations", "said"),
    [
        (b"", "has no rows"),
        (b"source,target\n", "has no rows"),
        (b"a,b\n1,2\n", "no column with a source"),
        (b"source,b\n1,2\n", "no column with a target"),
        (b"%PDF-1.7 ...", "is a PDF|has no rows"),
        (b"PK\x03\x04 ....", "not a CSV table"),
    ],
)
def test_bad_tables_are_refused_with_what_to_do(relations, said):
    with pytest.raises(DocumentError, match=said) as caught:
        read_graph_table(relations, relations_name="edges.csv")
    assert "edges.csv" in str(caught.value)
    assert caught.value.hint


def test_hostile_cells_stay_text_of_one_line():
    table = read_graph_table(
        csv("source,target,description", '"<img src=x onerror=alert(1)>","b\x01","two\nlines\x00"')
    )
    (line,) = table.lines()
    assert line == "<img src=x onerror=alert(1)> – b: two lines"


texts = st.text(max_size=30).map(lambda text: " ".join(text.split()))
rows = st.builds(TableRelation, texts, texts, st.lists(texts, max_size=2).map(tuple), texts, st.floats(0, 9))


@given(st.lists(st.builds(TableEntity, texts, texts, texts), max_size=3), st.lists(rows, max_size=3))
def test_a_table_survives_being_kept(entities, relations):
    table = GraphTable(tuple(entities), tuple(relations), ("a warning",))
    data = table.to_bytes()
    assert is_graph_table(data)
    assert from_bytes(data, "x").to_bytes() == data


def test_a_damaged_kept_table_is_refused():
    data = GraphTable((), (TableRelation("a", "b", (), "", 1.0),)).to_bytes()
    for damaged in (data[:-3], data.replace(b'"relations"', b'"relation"'), data.replace(b"1.0", b'"x"')):
        with pytest.raises(DocumentError, match="damaged"):
            from_bytes(damaged, "x.graph")
