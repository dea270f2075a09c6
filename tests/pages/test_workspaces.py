"""The workspaces page: what is there, and everything that can be done with it."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from lightrag_engine import LightRAG, Settings, Workspaces
from lightrag_engine.storage.workspace import MARKER

TEXT = "Mara Quill founded the Brindle Valley Ferry."
HOSTILE = "<img src=x onerror=alert(1)> **bold** :red[x]"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with a filled workspace, and empty ones that were made after it."""
    settings = Settings(data_dir=tmp_path, language_model="builtin", embedding_model="builtin")
    with LightRAG("press", settings) as rag:
        rag.insert(TEXT, ["ferry.txt"])
    for name in ("default", HOSTILE):
        Workspaces(tmp_path).create(name)
    return tmp_path


def button(app: AppTest, label: str) -> AppTest:
    (found,) = [button for button in app.button if button.label == label]
    return found.click().run()


def names(folder: Path) -> list[str]:
    return sorted(info.name for info in Workspaces(folder).all())


def test_an_empty_workspace_does_not_win_over_a_filled_one_after_a_restart(folder, open_folder):
    """Opening the empty default one changed its files last, and it used to be opened from then on."""
    with LightRAG("default", Settings(data_dir=folder, embedding_model="builtin")):
        pass
    assert open_folder(folder, "overview").selectbox(key="workspace").value == "press"


def test_the_table_tells_documents_and_sizes(folder, open_folder):
    app = open_folder(folder, "workspaces")
    assert not app.exception
    table = app.dataframe[0].value.set_index("name")
    assert set(table.index) == {"press", "default", HOSTILE}
    assert table.documents.to_dict() == {"press": "1", "default": "0", HOSTILE: "0"}
    assert table.state["press"] == "● open"
    assert table["size"]["press"].endswith((" kB", " MB"))
    assert app.subheader[0].value == "press"


def test_a_workspace_is_made_and_opened_and_a_taken_name_is_refused(folder, open_folder):
    app = open_folder(folder, "workspaces")
    app.text_input(key="make_name_0").set_value("PRESS")
    app = button(app, "Create")
    assert "“press” already" in app.error[0].proto.title.replace("\\", "")
    app.text_input(key="make_name_0").set_value("知识库")
    app = button(app, "Create")
    assert not app.exception
    assert app.selectbox(key="workspace").value == "知识库"
    assert "知识库" in names(folder)


@pytest.mark.parametrize(
    ("action", "field"),
    [
        ("Rename …", "New name"),
        ("Duplicate …", "Name of the copy"),
        ("Delete …", "Type its name to confirm"),
    ],
)
def test_every_action_asks_first(folder, open_folder, action, field):
    app = button(open_folder(folder, "workspaces", workspace=HOSTILE), action)
    assert not app.exception
    assert field in [text.label for text in app.text_input]
    assert len(names(folder)) == 3


def test_a_session_follows_a_workspace_that_is_renamed_and_leaves_one_that_is_deleted(folder, open_folder):
    app = open_folder(folder, "overview", workspace=HOSTILE)
    assert app.selectbox(key="workspace").value == HOSTILE
    Workspaces(folder).rename(HOSTILE, "renamed")
    app.run()
    assert not app.exception
    assert app.selectbox(key="workspace").value == "renamed"
    st.cache_resource.clear()  # closes it
    Workspaces(folder).delete("renamed")
    app.run()
    assert not app.exception
    assert app.selectbox(key="workspace").value == "press"
    assert names(folder) == ["default", "press"]


def test_an_archive_is_imported_and_something_else_is_refused(folder, open_folder, tmp_path_factory):
    path = Workspaces(folder).export("press", tmp_path_factory.mktemp("archive") / "press.zip")
    app = open_folder(folder, "workspaces")
    app.file_uploader[0].upload("press.zip", path.read_bytes(), "application/zip")
    app = button(app, "Import")
    assert not app.exception
    assert app.selectbox(key="workspace").value == "press (2)"
    assert Workspaces(folder).get("press (2)").documents == 1
    app.file_uploader[0].upload("x.zip", b"no archive", "application/zip")
    app = button(app, "Import")
    assert "cannot be imported" in app.error[0].proto.title
    assert len(names(folder)) == 4


def test_an_unclean_end_is_told_and_shown(folder, open_folder):
    info = Workspaces(folder).get("press")
    (info.folder / MARKER).touch()
    with contextlib.closing(sqlite3.connect(info.folder / "workspace.db")) as connection, connection:
        connection.execute("UPDATE nodes SET value = json_set(value, '$.weight', 99)")
    app = open_folder(folder, "overview")
    assert any("checked on opening" in toast.value for toast in app.toast)
    app.switch_page("pages/workspaces.py").run()
    assert not app.exception
    assert not app.toast
    assert any("entities that differ" in info.value for info in app.info)
    app = button(app, "Check")
    assert not app.exception
    assert any("as it should be" in line.proto.title for line in app.success)


def test_what_is_selected_stays_selected_when_there_are_other_rows(folder, open_folder):
    """After a workspace was made beside it, what was done next was done to the open one."""
    app = open_folder(folder, "workspaces")
    app.session_state["workspace_chosen"] = ("press", "default")
    Workspaces(folder).create("Beside")
    app.run()
    assert not app.exception
    assert app.subheader[0].value == "default"
