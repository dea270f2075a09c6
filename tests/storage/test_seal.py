from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import MakeRag

from lightrag_engine.storage.seal import SEAL, break_seal, seal
from lightrag_engine.storage.workspace import MARKER

NAMES = ("db", "db-wal", "vectors")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "db").write_bytes(b"pages")
    (tmp_path / "vectors" / "deep").mkdir(parents=True)
    (tmp_path / "vectors" / "deep" / "index").write_bytes(b"index")
    (tmp_path / "other").write_bytes(b"not sealed")
    return tmp_path


def test_a_seal_holds_once_while_the_files_are_as_they_were(folder: Path) -> None:
    assert not break_seal(folder, NAMES), "there is none yet"
    seal(folder, NAMES)
    (folder / "other").write_bytes(b"changed")
    assert break_seal(folder, NAMES)
    assert not (folder / SEAL).exists()
    assert not break_seal(folder, NAMES)


def longer(folder: Path) -> None:
    (folder / "db").write_bytes(b"pages and more")


def touched(folder: Path) -> None:
    stat = (folder / "db").stat()
    os.utime(folder / "db", ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))


def with_a_log(folder: Path) -> None:
    (folder / "db-wal").write_bytes(b"")


def without_an_index(folder: Path) -> None:
    (folder / "vectors" / "deep" / "index").unlink()


def without_vectors(folder: Path) -> None:
    shutil.rmtree(folder / "vectors")


def unreadable(folder: Path) -> None:
    (folder / SEAL).write_bytes(b"\xff{")


@pytest.mark.parametrize(
    "change", [longer, touched, with_a_log, without_an_index, without_vectors, unreadable]
)
def test_any_change_breaks_the_seal(folder: Path, change: Callable[[Path], None]) -> None:
    seal(folder, NAMES)
    change(folder)
    assert not break_seal(folder, NAMES)


def test_only_a_clean_end_leaves_a_seal_and_a_copy_is_looked_at(make_rag: MakeRag, tmp_path: Path) -> None:
    rag = make_rag("press")
    rag.insert("Mara Quill met Tobias Renn.")
    folder = rag._workspace.folder
    assert not (folder / SEAL).exists(), "as long as it is open"
    rag.close()
    sealed = (folder / SEAL).read_bytes()
    again = make_rag("press")
    assert again._workspace.is_sealed
    assert again.query("Mara Quill?").citations
    again.close()
    # A copy of single files has other times.
    shutil.copyfile(folder / "workspace.db", tmp_path / "copy")
    shutil.copyfile(tmp_path / "copy", folder / "workspace.db")
    copied = make_rag("press")
    assert not copied._workspace.is_sealed
    assert copied.opening_check is None, "all vectors are there"
    copied.close()
    (folder / SEAL).write_bytes(sealed)
    (folder / MARKER).touch()
    killed = make_rag("press")
    assert not killed._workspace.is_sealed
    assert killed.opening_check is not None
    assert killed.opening_check.sound
