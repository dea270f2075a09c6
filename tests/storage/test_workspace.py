from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from doubles import HashEmbedding

from lightrag_engine.errors import WorkspaceError
from lightrag_engine.storage.naming import folder_name
from lightrag_engine.storage.workspace import MARKER, Workspace
from lightrag_engine.workspaces import Workspaces

NAMES = [
    "知识库",
    "my base",
    "ab",
    "_x",
    "x..y",
    "1.2.3.4",
    "Ärger",
    "n" * 300,
    "A",
    "../evil",
    "<img src=x>",
]


def test_every_name_gets_a_folder_of_its_own(tmp_path: Path) -> None:
    for name in NAMES:
        workspace = Workspace(tmp_path, name)
        workspace.about.put_many({"me": {"name": name}})
        workspace.close()
    assert len({folder_name(name) for name in NAMES}) == len(NAMES)
    assert {info.name for info in Workspaces(tmp_path).all()} == set(NAMES)
    assert all(path.parent == tmp_path for path in (info.folder for info in Workspaces(tmp_path).all()))
    for name in NAMES:
        workspace = Workspace(tmp_path, name)
        assert workspace.about.get("me") == {"name": name}
        workspace.close()


def test_equal_looking_names_are_one_workspace() -> None:
    assert folder_name("Zoe\u0308  base ") == folder_name("Zoë base")


def test_an_empty_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="needs a name"):
        Workspace(tmp_path, "  ")


def test_a_workspace_open_in_another_process_is_refused(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib; from lightrag_engine.storage.workspace import Workspace;"
        "opened = Workspace(pathlib.Path(sys.argv[1]), 'shared'); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline().strip() == "open"
        with pytest.raises(WorkspaceError, match="open already"):
            Workspace(tmp_path, "shared")
        other.stdin.close()
        other.wait(timeout=20)
    Workspace(tmp_path, "shared").close()


def test_vectors_of_two_models_are_never_mixed(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "w")
    workspace.bind_embedding(HashEmbedding("first", 8))
    workspace.bind_embedding(HashEmbedding("second", 16))  # still empty: nothing to mix
    workspace.documents.put_many({"d": {}})
    workspace.bind_embedding(HashEmbedding("second", 16))
    for other in (HashEmbedding("first", 8), HashEmbedding("third", 16), HashEmbedding("second", 8)):
        with pytest.raises(WorkspaceError, match="built with the embedding model second"):
            workspace.bind_embedding(other)
    workspace.close()


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(WorkspaceError, match="cannot be written"):
        Workspace(tmp_path / "file" / "data", "w")


def test_a_folder_in_which_nothing_can_be_made_is_named_and_released(tmp_path: Path) -> None:
    """The database could be written and the mark beside it not: the system's own error came through."""
    Workspace(tmp_path, "w").close()
    marker = tmp_path / folder_name("w") / MARKER
    marker.symlink_to(tmp_path / "gone" / "nowhere")  # cannot be made, not even by root
    with pytest.raises(WorkspaceError, match="cannot be written") as caught:
        Workspace(tmp_path, "w")
    assert "permissions" in caught.value.hint
    marker.unlink()
    Workspace(tmp_path, "w").close()


def test_a_mark_that_cannot_be_removed_keeps_no_workspace_from_closing(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "w")
    marker = workspace.folder / MARKER
    marker.unlink()
    marker.mkdir()
    workspace.close()
    again = Workspace(tmp_path, "w")
    assert again.ended_uncleanly
    again.close()


def test_no_data_folder_means_no_workspaces(tmp_path: Path) -> None:
    assert Workspaces(tmp_path / "missing").all() == []
