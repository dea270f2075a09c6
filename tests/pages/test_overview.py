"""The first screen: empty it leads to documents, filled it tells what is there."""

import os
import shutil

import pytest

from lightrag_engine import LightRAG, Settings
from lightrag_engine.storage.naming import folder_name


def test_first_run_offers_the_samples(empty):
    app = empty("overview")
    assert not app.exception
    primary = [button for button in app.button if button.proto.type == "primary"]
    assert [button.label for button in primary] == ["Load the sample documents"]


def test_loading_the_samples_leads_to_their_progress(empty):
    app = empty("overview")
    next(button for button in app.button if button.label == "Load the sample documents").click().run()
    assert not app.exception
    assert app.title[0].value == "Documents"
    assert len(app.dataframe[0].value) >= 3


def test_counts_types_and_models(filled):
    app = filled("overview")
    assert not app.exception
    shown = {metric.label: metric.value for metric in app.metric}
    assert shown["Documents"] == "3"
    assert int(shown["Entities"]) > 5
    assert len(app.get("vega_lite_chart")) == 2
    assert all(chart.proto.alt for chart in app.get("vega_lite_chart"))
    assert any("Built-in" in text.value for text in app.markdown)


def test_the_size_of_a_chunk_is_the_one_that_is_set(open_folder, filled_folder, tmp_path, monkeypatch):
    monkeypatch.setenv("LIGHTRAG_CHUNK_TOKEN_SIZE", "700")
    # A folder of its own: the app has the other one open with other settings.
    shutil.copytree(filled_folder, tmp_path / "data")
    overview = open_folder(tmp_path / "data", "overview")
    (chunks,) = [metric for metric in overview.metric if metric.label == "Chunks"]
    assert "now of up to 700 tokens" in chunks.help


def test_the_sidebar_says_which_models_and_why(filled):
    app = filled("overview")
    captions = [caption.value for caption in app.sidebar.caption]
    assert any("Built-in" in caption and "answers" in caption for caption in captions)
    assert any("embeddings" in caption for caption in captions)


def test_a_new_workspace_is_empty_and_chosen(empty):
    app = empty("overview")
    app.text_input(key="new_workspace").set_value("知识库 & <b>")
    next(button for button in app.button if button.label == "Create workspace").click().run()
    assert not app.exception
    assert app.session_state["workspace"] == "知识库 & <b>"
    assert "知识库 & <b>" in app.selectbox(key="workspace").options
    assert any(button.label == "Load the sample documents" for button in app.button)


def test_the_workspace_is_in_the_address(empty):
    first = empty("overview")
    first.text_input(key="new_workspace").set_value("press")
    next(button for button in first.button if button.label == "Create workspace").click().run()
    assert empty("overview", workspace="press").selectbox(key="workspace").value == "press"


def test_a_plain_address_opens_the_workspace_last_used(tmp_path, open_folder):
    for name in ("press", "archive"):
        with LightRAG(name, Settings(data_dir=tmp_path, embedding_model="builtin")):
            pass
    os.utime(tmp_path / folder_name("press") / "workspace.db", (4e9, 4e9))
    first = open_folder(tmp_path, "overview")
    assert first.selectbox(key="workspace").value == "press"
    first.selectbox(key="workspace").set_value("archive").run()
    assert open_folder(tmp_path, "overview").selectbox(key="workspace").value == "archive"
    assert open_folder(tmp_path, "overview", workspace="press").selectbox(key="workspace").value == "press"


def test_without_any_other_workspace_it_is_the_default_one(empty):
    assert empty("overview").selectbox(key="workspace").value == "default"


@pytest.mark.parametrize("page", ["overview", "documents", "graph", "chat", "compare"])
def test_every_page_teaches_when_empty(empty, page):
    app = empty(page)
    assert not app.exception
    assert any(button.label == "Load the sample documents" for button in app.button)


def test_a_folder_that_cannot_be_used_is_explained(tmp_path, open_folder):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    app = open_folder(blocked, "overview")
    assert not app.exception
    assert len(app.error) == 1
    assert str(blocked) in app.error[0].proto.title.replace("\\", "")
