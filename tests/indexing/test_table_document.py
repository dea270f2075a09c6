"""A graph imported from tables is a document like any other: merged, found, deleted, resumed."""

from pathlib import Path

import pytest

from lightrag_engine import DocumentError, DocumentState, Upload

TABLES = Path(__file__).parents[1] / "data" / "graph_tables"
EDGES = b"source,target,keywords,description\nMara Quill,Tobias Renn,hires,Mara Quill hired Tobias Renn.\n"


def carol(rag):
    return rag.import_graph(TABLES / "relationships.csv", TABLES / "entities.csv", "carol")


def test_the_rows_of_a_real_graph_become_entities_relations_and_passages(rag):
    status = carol(rag)
    assert (status.state, status.name, status.warnings) == (DocumentState.DONE, "carol.graph", ())
    assert rag.graph.number_of_edges() == 40
    assert status.chunks == rag.counts().chunks == 40 + 39
    dickens = rag.entity("charles dickens")
    assert dickens.type == "person"
    edge = rag.graph.edges["charles dickens", "christmas carol"]
    assert edge["weight"] == 20.0
    assert rag.entity("united states").type == "location"
    (passage,) = rag.passages(edge["source_ids"])
    assert passage.content == (
        'CHARLES DICKENS – A CHRISTMAS CAROL: Charles Dickens is the author of "A Christmas Carol."'
    )
    assert rag._models.language.read == []


def test_it_merges_with_what_documents_say_and_is_deleted_without_a_trace(make_rag):
    rag = make_rag()
    rag.insert("Mara Quill met Ilse Vogt.", ["a.txt"])
    before = dict(rag.graph.nodes(data=True)), sorted(rag.graph.edges(data=True))
    status = rag.import_graph(Upload("edges.csv", EDGES))
    assert set(rag.graph) == {"mara quill", "ilse vogt", "tobias renn"}
    rag.delete_document(status.id)
    assert (dict(rag.graph.nodes(data=True)), sorted(rag.graph.edges(data=True))) == before
    assert {row[0] for row in rag._workspace.database.read("SELECT extraction_id FROM relation_records")} == {
        row[0] for row in rag._workspace.database.read("SELECT extraction_id FROM placements")
    }


def test_the_same_tables_twice_are_one_document(rag):
    assert carol(rag).id == carol(rag).id
    assert len(rag.documents()) == 1


def test_an_interrupted_import_goes_on_when_the_workspace_is_opened(make_rag):
    rag = make_rag()
    status = carol(rag)
    rag._statuses.change(status.id, state=DocumentState.EXTRACTING)
    edges = rag.graph.number_of_edges()
    rag.close()
    again = make_rag()
    again._loop.run(again._statuses.wait_for([status.id]))
    assert again.graph.number_of_edges() == edges
    assert next(d for d in again.documents()).state == DocumentState.DONE
    assert again._models.language.read == []


def test_a_table_without_its_columns_is_refused_and_nothing_is_added(rag):
    with pytest.raises(DocumentError, match=r"things\.csv has no column with a source"):
        rag.import_graph(Upload("things.csv", b"a,b\n1,2\n"))
    assert rag.documents() == []
