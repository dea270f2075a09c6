"""The graph screen: what is drawn, search, types, and the evidence of what is chosen."""

import json

import pytest

from ui.graph_view import edge_id


def data_of(element):
    """Return the data that a component was given."""
    return json.loads(element.proto.json)


def drawing(app):
    return next(data_of(e) for e in app.get("bidi_component") if e.proto.component_name == "lightrag_graph")


def passages(app):
    return [data_of(e) for e in app.get("bidi_component") if e.proto.component_name == "lightrag_passage"]


def choose(app, selected):
    app.session_state["graph_chosen"] = selected
    return app.run()


def test_all_entities_are_drawn_with_their_types(filled):
    app = filled("graph")
    assert not app.exception
    data = drawing(app)
    labels = {node["label"]: node["group"] for node in data["nodes"]}
    assert labels["Mara Quill"] == "person"
    assert set(labels.values()) <= set(data["styles"])
    assert any(caption.value == f"All {len(labels)} entities" for caption in app.caption)
    assert data["alt"]


def test_nothing_chosen_says_how_to_choose(filled):
    app = filled("graph")
    assert any("Click a dot" in caption.value for caption in app.caption)


def test_a_chosen_entity_shows_its_evidence(filled):
    app = choose(filled("graph"), {"node": "mara quill"})
    assert not app.exception
    assert [heading.value for heading in app.subheader] == ["Mara Quill"]
    (relations,) = app.dataframe
    assert "Tobias Renn" in set(relations.value["entity"])
    marks = [piece["text"] for p in passages(app) for piece in p["segments"] if piece["kind"] == "person"]
    assert "Mara Quill" in marks
    assert any("ferry.txt" in caption.value.replace("\\", "") for caption in app.caption)


def test_a_click_changes_nothing_that_is_drawn(filled):
    app = filled("graph")
    before = drawing(app)["digest"]
    choose(app, {"node": "mara quill"})
    assert drawing(app)["digest"] == before
    assert drawing(app)["selected"] == {"node": "mara quill"}


def test_a_chosen_relation_shows_its_sentences(filled):
    app = choose(filled("graph"), {"edge": edge_id("mara quill", "tobias renn")})
    assert not app.exception
    (heading,) = app.subheader
    assert {"Mara Quill", "Tobias Renn"} == set(heading.value.split(" – "))
    used = [piece["text"] for p in passages(app) for piece in p["segments"] if piece["kind"] == "used"]
    assert any("Mara Quill hired Tobias Renn" in text for text in used)


@pytest.mark.parametrize("selected", [{"node": "gone"}, {"edge": edge_id("gone", "too")}])
def test_what_is_gone_is_not_shown(filled, selected):
    app = choose(filled("graph"), selected)
    assert not app.exception
    assert not app.subheader


def test_search_finds_and_chooses(filled):
    app = filled("graph")
    app.text_input(key="find").set_value("tobia").run()
    next(button for button in app.button if button.label == "Tobias Renn").click().run()
    assert not app.exception
    assert [heading.value for heading in app.subheader] == ["Tobias Renn"]
    assert drawing(app)["selected"] == {"node": "tobias renn"}


def test_a_search_for_a_whole_name_chooses_it(filled):
    app = filled("graph")
    app.text_input(key="find").set_value(" tobias  RENN ").run()
    assert [heading.value for heading in app.subheader] == ["Tobias Renn"]
    app.text_input(key="find").set_value("ils").run()
    assert [heading.value for heading in app.subheader] == ["Tobias Renn"]


def test_types_are_in_the_address_by_their_plain_names(filled):
    app = filled("graph")
    app.get("pills")[0].set_value(["person", "location"]).run()
    assert app.query_params["types"] == ["person", "location"]
    app.get("pills")[0].set_value([]).run()
    assert "types" not in app.query_params


def test_a_link_restricts_the_types(filled):
    app = filled("graph", types="person")
    assert {node["group"] for node in drawing(app)["nodes"]} == {"person"}
    assert not filled("graph", types="starship").exception


def test_search_without_a_result_says_so(filled):
    app = filled("graph")
    app.text_input(key="find").set_value("zzzzqqqq").run()
    assert any(caption.value.startswith("No entity of this name") for caption in app.caption)


def test_types_restrict_the_drawing(filled):
    app = filled("graph")
    app.get("pills")[0].set_value(["person"]).run()
    assert {node["group"] for node in drawing(app)["nodes"]} == {"person"}
    assert any("the best connected of type person" in caption.value for caption in app.caption)


def test_a_link_opens_an_entity(filled):
    app = filled("graph", entity="ilse vogt")
    assert [heading.value for heading in app.subheader] == ["Ilse Vogt"]


def test_chinese_entities_are_drawn_and_marked(filled):
    app = choose(filled("graph"), {"node": "云渡坊"})
    assert [heading.value for heading in app.subheader] == ["云渡坊"]
    assert any(piece["text"] == "云渡坊" and piece["kind"] for p in passages(app) for piece in p["segments"])
