"""The graph screen: what is drawn, search, scopes, filters, the address, and evidence of what is chosen."""

import json

import pytest

from lightrag_engine import LightRAG, Settings, Upload
from lightrag_engine.names import content_id


def data_of(element):
    """Return the data that a component was given."""
    return json.loads(element.proto.json)


def drawing(app):
    return next(data_of(e) for e in app.get("bidi_component") if e.proto.component_name == "lightrag_graph")


def drawn(app):
    """Return the names that are drawn, with their types."""
    data = drawing(app)
    return {n: data["types"][t] for n, t in zip(data["nodes"]["name"], data["nodes"]["type"], strict=True)}


def relations(app):
    data = drawing(app)
    names, edges = data["nodes"]["name"], data["edges"]
    return {frozenset((names[a], names[b])) for a, b in zip(edges["from"], edges["to"], strict=True)}


def passages(app):
    return [data_of(e) for e in app.get("bidi_component") if e.proto.component_name == "lightrag_passage"]


def headings(app):
    return [heading.value for heading in app.subheader]


def captions(app):
    return [caption.value.replace("\\", "") for caption in app.caption]


def button(app, label):
    return next(b for b in app.button if label in b.label)


def address(app, name):
    """Return the values of a parameter in the page's address."""
    values = app.query_params[name]
    return [values] if isinstance(values, str) else list(values)


def section(filled, name, part="Entities"):
    """Open another section of the screen."""
    app = filled("graph")
    app.session_state["section"], app.session_state["part"] = name, part
    return app.run()


def test_all_entities_are_drawn_with_their_types(filled):
    app = filled("graph")
    assert not app.exception
    names = drawn(app)
    assert names["Mara Quill"] == "person"
    assert set(names.values()) <= set(drawing(app)["styles"])
    assert f"All {len(names)} entities" in captions(app)
    assert drawing(app)["alt"]


def test_nothing_chosen_says_how_to_choose(filled):
    assert any("Click a dot" in caption for caption in captions(filled("graph")))


def test_a_chosen_entity_shows_its_evidence(filled):
    app = filled("graph", entity="mara quill")
    assert not app.exception
    assert headings(app) == ["Mara Quill"]
    (table,) = app.dataframe
    assert "Tobias Renn" in set(table.value["entity"])
    marks = [piece["text"] for p in passages(app) for piece in p["segments"] if piece["kind"] == "person"]
    assert "Mara Quill" in marks
    assert any(caption.startswith("In 2 documents, first in ferry.txt") for caption in captions(app))


def test_a_chosen_relation_shows_its_sentences(filled):
    app = filled("graph", edge=["mara quill", "tobias renn"])
    assert not app.exception
    (heading,) = headings(app)
    assert {"Mara Quill", "Tobias Renn"} == set(heading.split(" – "))
    used = [piece["text"] for p in passages(app) for piece in p["segments"] if piece["kind"] == "used"]
    assert any("Mara Quill hired Tobias Renn" in text for text in used)


@pytest.mark.parametrize("address", [{"entity": "gone"}, {"edge": ["gone", "too"]}])
def test_what_is_gone_is_not_shown(filled, address):
    app = filled("graph", **address)
    assert not app.exception
    assert not app.subheader


def test_search_finds_and_chooses(filled):
    app = filled("graph")
    app.text_input(key="find").set_value("tobia").run()
    button(app, "Tobias Renn").click().run()
    assert not app.exception
    assert headings(app) == ["Tobias Renn"]
    assert address(app, "entity") == ["tobias renn"]
    assert drawing(app)["told"]["nodes"] == ["tobias renn"]


def test_a_search_for_a_whole_name_chooses_it(filled):
    app = filled("graph")
    app.text_input(key="find").set_value(" tobias  RENN ").run()
    assert headings(app) == ["Tobias Renn"]
    app.text_input(key="find").set_value("ils").run()
    assert headings(app) == ["Tobias Renn"]


def test_search_results_become_a_view(filled):
    app = filled("graph")
    app.text_input(key="find").set_value("er").run()
    button(app, "Show all in the graph").click().run()
    assert address(app, "scope") == ["search"]
    assert {"Heron", "Brindle Valley Ferry"} <= set(drawn(app))
    assert any("found for “er”" in caption for caption in captions(app))


def test_search_without_a_result_says_so(filled):
    app = filled("graph")
    app.text_input(key="find").set_value("zzzzqqqq").run()
    assert any(caption.startswith("No entity of this name") for caption in captions(app))


def test_types_restrict_the_drawing_and_stand_in_the_address_by_their_plain_names(filled):
    app = filled("graph")
    app.get("pills")[0].set_value(["person", "location"]).run()
    assert address(app, "types") == ["person", "location"]
    assert set(drawn(app).values()) == {"person", "location"}
    assert any("of type person or location" in caption for caption in captions(app))
    app.get("pills")[0].set_value([]).run()
    assert "types" not in app.query_params


def test_a_link_restricts_types_and_documents(filled):
    assert set(drawn(filled("graph", types="person")).values()) == {"person"}
    app = filled("graph", types="starship")
    assert not app.exception
    assert drawing(app)["empty"].startswith("Nothing to show: 0 of")


def test_a_hostile_address_is_ignored_with_a_message(filled):
    app = filled("graph", scope="<script>", shown="99999999", layout="map", focus="x" * 5000)
    assert not app.exception
    assert len(app.warning) == 3
    assert "“scope” in the address was ignored" in app.warning[0].value


def test_the_neighbourhood_of_an_entity_and_back(filled):
    app = filled("graph", entity="heron")
    everything = set(drawn(app))
    button(app, "Only around it").click().run()
    assert address(app, "scope") == ["around"]
    around = set(drawn(app))
    assert {"Heron", "Tobias Renn"} <= around < everything
    app.button(key="undo").click().run()
    assert set(drawn(app)) == everything
    assert "scope" not in app.query_params
    app.button(key="redo").click().run()
    assert set(drawn(app)) == around


def test_expanding_adds_the_neighbours(filled):
    app = filled("graph", scope="around", focus="heron", entity="tobias renn")
    before = set(drawn(app))
    button(app, "Neighbours · ").click().run()
    after = set(drawn(app))
    assert before < after
    assert address(app, "expand") == ["tobias renn"]


def test_expanding_says_how_many_are_left_and_goes_on(open_folder, tmp_path):
    rows = "\n".join(f"Hub,Leaf {n:02}" for n in range(50))
    settings = Settings(data_dir=tmp_path, language_model="builtin", embedding_model="builtin")
    with LightRAG("default", settings) as rag:
        rag.import_graph(Upload("star.csv", f"source,target\n{rows}".encode()))
    app = open_folder(tmp_path, "graph", scope="search", find="hub", entity="hub")
    assert set(drawn(app)) == {"Hub"}
    button(app, "Neighbours · 50").click().run()
    assert len(drawn(app)) == 41
    assert [toast.value for toast in app.toast] == ["10 more are not shown: double-click again to go on."]
    button(app, "Neighbours · 10").click().run()
    assert len(drawn(app)) == 51
    assert button(app, "Neighbours").disabled
    assert address(app, "expand") == ["hub", "hub"]


def test_the_slider_agrees_with_the_address(open_folder, tmp_path):
    rows = "\n".join(f"Hub,Leaf {n:02}" for n in range(70))
    settings = Settings(data_dir=tmp_path, language_model="builtin", embedding_model="builtin")
    with LightRAG("default", settings) as rag:
        rag.import_graph(Upload("star.csv", f"source,target\n{rows}".encode()))
    app = open_folder(tmp_path, "graph", shown="25")
    assert len(drawn(app)) == 25
    assert app.select_slider(key="shown").value == 25


def test_paths_show_their_sentences(filled):
    app = filled("graph", scope="paths", focus=["mara quill", "heron"], paths="1")
    assert not app.exception
    assert frozenset(("Mara Quill", "Tobias Renn")) in relations(app)
    assert any(m.value.startswith("**Path 1** · 2 steps") for m in app.markdown)
    text = ["".join(piece["text"] for piece in p["segments"]) for p in passages(app)]
    assert any("Mara Quill hired Tobias Renn" in sentence for sentence in text)
    assert any(caption == "ferry.txt" for caption in captions(app))


def test_several_chosen_entities_can_be_connected(filled):
    app = filled("graph", entity=["mara quill", "ilse vogt"])
    assert headings(app) == ["2 entities"]
    button(app, "Paths between").click().run()
    assert address(app, "focus") == ["mara quill", "ilse vogt"]
    assert address(app, "scope") == ["paths"]


def test_the_evidence_of_an_answer_by_its_address(filled):
    app = filled("graph", scope="evidence", node="ilse vogt", pair='["tobias renn", "mara quill"]')
    assert set(drawn(app)) == {"Ilse Vogt", "Mara Quill", "Tobias Renn"}
    assert relations(app) == {frozenset(("Mara Quill", "Tobias Renn"))}


def test_an_entity_is_at_the_same_place_in_every_view(filled):
    def places(app):
        nodes = drawing(app)["nodes"]
        return {id_: (x, y) for id_, x, y in zip(nodes["id"], nodes["x"], nodes["y"], strict=True)}

    whole = places(filled("graph"))
    for address in ({"types": "person"}, {"scope": "around", "focus": "ilse vogt"}, {"colour": "community"}):
        assert places(filled("graph", **address)).items() <= whole.items()
    assert places(filled("graph", layout="circle")) != whole


def test_a_choice_makes_no_new_drawing(filled):
    """Every click made and hashed the whole drawing again, though nothing but the details changes."""
    app = filled("graph")
    first = app.session_state["graph_session"].drawn[1]
    app.text_input(key="find").set_value("tobia").run()
    button(app, "Tobias Renn").click().run()
    assert headings(app) == ["Tobias Renn"]
    assert app.session_state["graph_session"].drawn[1] is first
    app.button_group(key="types").set_value(["person"]).run()
    assert set(drawn(app).values()) == {"person"}


def test_an_entity_is_pinned_without_a_mouse(open_folder, tmp_path):
    """Dragging was the only way to keep an entity where it stands."""
    settings = Settings(data_dir=tmp_path, language_model="builtin", embedding_model="builtin")
    with LightRAG("default", settings) as rag:
        rag.import_graph(Upload("ferry.csv", b"source,target\nMara Quill,Heron\n"))
    app = open_folder(tmp_path, "graph", entity="heron")
    before = drawing(app)["nodes"]["x"]
    button(app, "Pin").click().run()
    assert not app.exception
    assert "1 entity put in place by hand." in captions(app)
    assert drawing(app)["nodes"]["x"] == before
    button(app, "Unpin").click().run()
    assert not app.exception
    assert "1 entity put in place by hand." not in captions(app)
    assert button(app, "Pin")
    app = open_folder(tmp_path, "graph", entity="heron", layout="circle")
    assert not any(b.label == "Pin" for b in app.button), "only the map keeps places"


def test_views_are_saved_and_opened(filled):
    app = filled("graph", types="person")
    app.text_input(key="view_name").set_value("People :red[x]")
    button(app, "Save view").click().run()
    assert not app.exception
    other = filled("graph")
    next(b for b in other.button if b.label == "People \\:red\\[x\\]").click().run()
    assert set(drawn(other).values()) == {"person"}
    next(b for b in other.button if (b.help or "").startswith("Delete the view")).click().run()
    assert not [b for b in other.button if b.label.startswith("People")]


def test_communities_are_listed(filled):
    app = section(filled, "Communities")
    assert not app.exception
    (table,) = app.dataframe
    assert (table.value["entities"] > 1).all()
    assert "Mara Quill" in " ".join(table.value["members"])


def test_the_overview_draws_communities(filled):
    app = filled("graph", scope="communities")
    assert not app.exception
    assert set(drawing(app)["types"]) == {f"community {n + 1}" for n in range(len(drawing(app)["types"]))}


@pytest.mark.parametrize("part", ["Entities", "Surprising relations", "Types by document"])
def test_the_analysis_has_numbers_tables_and_charts(filled, part):
    app = section(filled, "Analysis", part)
    assert not app.exception
    assert len(app.metric) == 5
    if part == "Entities":
        (table,) = app.dataframe
        assert table.value["degree"].is_monotonic_decreasing


def test_chinese_entities_are_drawn_and_marked(filled):
    app = filled("graph", entity="云渡坊")
    assert headings(app) == ["云渡坊"]
    assert any(piece["text"] == "云渡坊" and piece["kind"] for p in passages(app) for piece in p["segments"])


def test_an_empty_workspace_says_what_the_graph_is(empty):
    app = empty("graph")
    assert not app.exception
    assert not app.get("bidi_component")


def test_entities_are_edited_merged_and_put_back(open_folder, tmp_path):
    settings = Settings(data_dir=tmp_path, language_model="builtin", embedding_model="builtin")
    with LightRAG("default", settings) as rag:
        rag.import_graph(Upload("ferry.csv", b"source,target\nMara Quill,Heron\nM. Quill,Hamburg\n"))
    app = open_folder(tmp_path, "graph", entity="mara quill")
    app.session_state[content_id("edit", "mara quill")] = True
    app.run()
    assert not app.exception
    next(field for field in app.text_input if field.label == "Name").set_value("Mara Quill-Renn")
    next(b for b in app.button if b.label == "Save").click().run()
    assert not app.exception
    assert headings(app) == ["Mara Quill-Renn"]
    assert any("Mara Quill" in caption for caption in captions(app) if caption.startswith("Also written"))
    app.session_state[content_id("edit", "mara quill-renn")] = True
    app.run()
    next(b for b in app.button if b.label == "Undo").click().run()
    assert not app.exception
    assert "Mara Quill" in drawn(app)
    assert headings(app) == ["Mara Quill"], "the selection does not stay at a name that is gone"
    assert [toast.value for toast in app.toast] == ["Undone\\: Renamed “Mara Quill” to “Mara Quill-Renn”"]

    # What was deleted has no panel of its own any more.
    app.session_state[content_id("edit", "mara quill")] = True
    app.run()
    next(b for b in app.button if b.label == "Delete this entity").click().run()
    assert "Mara Quill" not in drawn(app)
    next(b for b in app.button if b.label == "Undo").click().run()
    assert not app.exception
    assert headings(app) == ["Mara Quill"]

    app = open_folder(tmp_path, "graph", entity=["mara quill", "m. quill"])
    app.session_state[content_id("merge", "mara quill", "m. quill")] = True
    app.run()
    next(b for b in app.button if b.label == "Merge").click().run()
    assert not app.exception
    assert headings(app) == ["Mara Quill"]
    assert set(drawn(app)) == {"Mara Quill", "Heron", "Hamburg"}
