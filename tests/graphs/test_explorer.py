"""The graph of a real workspace, looked at."""

import pytest

from lightrag_engine.errors import WorkspaceError
from lightrag_engine.graphs import GraphViewState, Layout, Scope

FERRY = "Mara Quill met Tobias Renn. Tobias Renn met Ilse Vogt."
STEAMER = "Ilse Vogt met Ada Pell. Ada Pell met Mara Quill."


def test_places_stay_when_documents_come_and_go_and_after_reopening(make_rag):
    rag = make_rag()
    rag.insert(FERRY)
    first = dict(rag.explorer.map_places())
    rag.explorer.pin("ilse vogt", 700.0, 80.0)
    (new,) = rag.insert(STEAMER)
    later = dict(rag.explorer.map_places())
    assert {key: later[key] for key in first} == first | {"ilse vogt": (700.0, 80.0)}
    rag.delete_document(new)
    rag.close()
    again = make_rag()
    assert {key: again.explorer.map_places()[key] for key in first} == {key: later[key] for key in first}
    assert again.explorer.pinned() == {"ilse vogt"}


def test_an_entity_is_at_the_same_place_in_every_view(rag):
    rag.insert([FERRY, STEAMER])
    explorer = rag.explorer
    whole = explorer.places(explorer.view(GraphViewState()), Layout.MAP)
    around = explorer.view(GraphViewState(scope=Scope.AROUND, focus=("ada pell",)))
    assert explorer.places(around, Layout.MAP) == {key: whole[key] for key in around.keys}
    for layout in Layout:
        assert explorer.places(around, layout).keys() == set(around.keys)


def test_what_cannot_be_pinned_is_refused(rag):
    rag.insert(FERRY)
    assert not rag.explorer.pin("gone", 1, 1)
    assert not rag.explorer.pin("mara quill", float("inf"), 1)


def test_a_view_follows_the_graph(rag):
    rag.insert(FERRY)
    assert rag.explorer.view(GraphViewState()).line == "All 3 entities"
    rag.insert(STEAMER)
    assert rag.explorer.view(GraphViewState()).line == "All 4 entities"
    assert rag.explorer.summary().entities == 4


def test_documents_of_an_entity_in_the_order_of_their_arrival(rag):
    (ferry,) = rag.insert(FERRY, ["ferry.txt"])
    (steamer,) = rag.insert(STEAMER, ["steamer.txt"])
    assert rag.explorer.documents_of()["ilse vogt"] == (ferry, steamer)
    assert rag.explorer.documents_of()["tobias renn"] == (ferry,)
    view = rag.explorer.view(GraphViewState(scope=Scope.DOCUMENTS, documents=(steamer,)))
    assert set(view.keys) == {"ilse vogt", "ada pell", "mara quill"}
    table = rag.explorer.types_by_document()
    assert table.groupby("document")["entities"].sum().to_dict() == {"ferry.txt": 3, "steamer.txt": 3}
    rag.merge_entities(["tobias renn"], "ada pell")
    assert rag.explorer.documents_of()["ada pell"] == (ferry, steamer)


def test_the_shown_graph_holds_what_is_shown(rag):
    rag.insert([FERRY, STEAMER])
    view = rag.explorer.view(GraphViewState(scope=Scope.PATHS, focus=("mara quill", "ilse vogt"), paths=1))
    drawn = rag.explorer.shown_graph(view)
    assert set(drawn) == set(view.keys)
    assert drawn.number_of_edges() == len(view.pairs) == 2


def test_views_are_saved_by_name(make_rag):
    rag = make_rag()
    state = GraphViewState(scope=Scope.AROUND, focus=("mara quill",), types=("person",), chosen=("x",))
    assert rag.explorer.saved.save("  around\nMara ", state) == "around Mara"
    rag.close()
    saved = make_rag().explorer.saved
    assert saved.names() == ["around Mara"]
    assert saved.load("around Mara") == state
    assert saved.load("gone") is None
    for name in (" ", "x" * 100):
        with pytest.raises(WorkspaceError, match="name"):
            saved.save(name, state)
    saved.delete("around Mara")
    assert saved.names() == []
