"""Duplicates, edits by hand and their history, beside the graph."""

import json

import pytest

from lightrag_engine import LightRAG, Settings, Upload
from lightrag_engine.names import content_id

RELATIONS = b"""source,target,keywords,description
Pierre Curie,Radium,discovery,Pierre Curie discovered radium.
Pierre Curie,Paris,home,Pierre Curie lived in Paris.
Pierre,Paris,home,Pierre had a laboratory in Paris.
Pierre,Radium,discovery,Pierre weighed radium.
Polonium,Radium,discovery,Polonium was found before radium.
"""
ENTITIES = b"""name,type,description
Pierre Curie,person,A physicist.
Pierre,person,Physicist in Paris.
Paris,location,A city.
"""


@pytest.fixture
def curies(tmp_path):
    settings = Settings(data_dir=tmp_path, language_model="builtin", embedding_model="builtin")
    with LightRAG("default", settings) as rag:
        rag.import_graph(Upload("curies.csv", RELATIONS), Upload("names.csv", ENTITIES))
    return tmp_path


def button(app, label):
    return next(b for b in app.button if b.label == label)


def texts(app):
    return [m.value.replace("\\", "") for m in (*app.markdown, *app.caption)]


def drawn(app):
    found = next(e for e in app.get("bidi_component") if e.proto.component_name == "lightrag_graph")
    data = json.loads(found.proto.json)
    return {"nodes": data["nodes"], "edges": data["edges"]}


def names(app):
    return set(drawn(app)["nodes"]["name"])


def pairs(app):
    return next(frame for frame in app.dataframe if "pair" in frame.value).value["pair"].tolist()


def test_a_suggested_pair_is_merged_under_the_name_that_is_chosen_and_taken_apart_again(curies, open_folder):
    app = open_folder(curies, "graph", beside="Duplicates")
    assert not app.exception
    assert pairs(app) == ["Pierre = Pierre Curie"]
    assert "**1 possible duplicate**" in texts(app)
    shown = "\n".join(e.proto.json for e in app.get("bidi_component"))
    assert "A physicist." in shown
    assert "Physicist in Paris." in shown
    assert any(text.startswith("Score ") and "shared neighbours" in text for text in texts(app))
    app.radio[0].set_value("pierre")
    button(app, "Merge").click().run()
    assert not app.exception
    assert names(app) == {"Pierre", "Paris", "Radium", "Polonium"}
    assert "**No possible duplicates**" in texts(app)
    button(app, "Undo").click().run()
    assert pairs(app) == ["Pierre = Pierre Curie"]
    button(app, "Redo").click().run()
    assert names(app) == {"Pierre", "Paris", "Radium", "Polonium"}


def test_a_dismissed_pair_is_suggested_again_only_when_that_is_taken_back(curies, open_folder):
    app = open_folder(curies, "graph", beside="Duplicates")
    button(app, "Not the same").click().run()
    assert not app.exception
    assert "**No possible duplicates**" in texts(app)
    button(app, "Undo").click().run()
    assert pairs(app) == ["Pierre = Pierre Curie"]


@pytest.mark.parametrize("page", ["overview", "documents"])
def test_other_pages_say_how_many_pairs_there_are_and_lead_there(curies, open_folder, page):
    app = open_folder(curies, page)
    links = [link.proto for link in app.get("page_link") if "possible duplicate" in link.proto.label]
    assert [link.label for link in links] == ["1 possible duplicate to look at"]
    assert "beside=Duplicates" in links[0].query_string


def test_an_entity_and_a_relation_are_added_by_hand_and_the_history_says_so(curies, open_folder):
    app = open_folder(curies, "graph", beside="Edits")
    assert any(text.startswith("Nothing was edited yet.") for text in texts(app))
    app.session_state["add_entity"] = True
    app.run()
    next(field for field in app.text_input if field.label == "Name").set_value("Marie Curie")
    next(area for area in app.text_area if area.label == "Description").set_value("A chemist.")
    button(app, "Add").click().run()
    assert not app.exception
    assert "Marie Curie" in names(app)
    assert [heading.value for heading in app.subheader] == ["Marie Curie"]

    app.session_state["beside"] = "Edits"
    app.run()
    app.session_state[content_id("add_relation", "marie curie")] = True
    app.run()
    ends = {box.label: box for box in app.selectbox if box.label in ("From", "To")}
    assert ends["From"].value == "marie curie"
    ends["To"].set_value("radium")
    button(app, "Add").click().run()
    assert any("description" in error.value.lower() or "Write" in error.value for error in app.error)
    next(area for area in app.text_area if area.label == "Description").set_value("She discovered it.")
    next(field for field in app.text_input if field.label == "About").set_value("discovery, chemistry")
    button(app, "Add").click().run()
    assert not app.exception
    assert [heading.value for heading in app.subheader] == ["Marie Curie – Radium"]

    app.session_state["beside"] = "Edits"
    app.run()
    said = texts(app)
    assert "Added “Marie Curie”" in said
    assert "Added the relation “Marie Curie” – “Radium”" in said
    assert "She discovered it. · about discovery, chemistry" in said
    # Each is taken back by itself; the list keeps it, and it can be made to count again.
    before = drawn(app)
    next(b for b in app.button if b.key == "undo_edit_2").click().run()
    assert not app.exception
    assert len(drawn(app)["edges"]["from"]) == len(before["edges"]["from"]) - 1
    assert ":gray[Added the relation “Marie Curie” – “Radium” (taken back)]" in texts(app)
    next(b for b in app.button if b.key == "redo_edit_2").click().run()
    assert drawn(app) == before
