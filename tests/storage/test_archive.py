"""Archives from anywhere: whatever is in them, the answer is a clear message and nothing is created."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from doubles import HashEmbedding, ScriptedLanguage
from hypothesis import given, settings
from hypothesis import strategies as st

from lightrag_engine import LightRAG, Settings, WorkspaceError, Workspaces
from lightrag_engine.storage.archive import Limits

DOCUMENTS = Path(__file__).parents[1] / "data" / "documents"
Files = dict[str, bytes]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An archive as it is exported."""
    folder = tmp_path_factory.mktemp("good")
    with LightRAG(
        "press", Settings(data_dir=folder), language=ScriptedLanguage(), embedding=HashEmbedding()
    ) as rag:
        # One with pages: its row is not just its fields.
        rag.insert_files([DOCUMENTS / "pdf_plain.pdf"])
    return Workspaces(folder).export("press", folder / "press.zip").read_bytes()


def unpacked(archive: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        return {name: file.read(name) for name in file.namelist()}


def packed(files: Files, *, hashed: bool = True) -> bytes:
    """Pack files; with the hashes that belong to them in the manifest, as an attacker would."""
    if hashed and "manifest.json" in files:
        manifest = json.loads(files["manifest.json"])
        manifest["files"] = {
            name: hashlib.sha256(data).hexdigest() for name, data in files.items() if name != "manifest.json"
        }
        files = {**files, "manifest.json": json.dumps(manifest).encode()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def refused(folder: Path, data: bytes, limits: Limits | None = None) -> str:
    """Import something that must be refused, and return the message with the hint."""
    folder.mkdir(exist_ok=True)
    with pytest.raises(WorkspaceError) as caught:
        Workspaces(folder).import_archive(io.BytesIO(data), limits=limits)
    assert caught.value.hint
    assert [path.name for path in folder.iterdir()] in ([], [".names.lock"])
    return f"{caught.value} {caught.value.hint}"


def with_database(good: bytes, folder: Path, *statements: str) -> bytes:
    files, path = unpacked(good), folder / "changed.db"
    path.write_bytes(files["workspace.db"])
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
    return packed({**files, "workspace.db": path.read_bytes()})


def test_the_files_of_a_good_one_can_be_packed_by_anyone(good: bytes, tmp_path: Path) -> None:
    assert Workspaces(tmp_path).import_archive(io.BytesIO(packed(unpacked(good)))).documents == 1


@pytest.mark.parametrize(
    "data", [b"", b"no archive", b"PK\x03\x04" + b"x" * 50, packed({"readme.txt": b"hi"})]
)
def test_what_is_no_archive_is_named_so(data: bytes, tmp_path: Path) -> None:
    assert "no workspace archive" in refused(tmp_path / "data", data)


@pytest.mark.parametrize(
    "name",
    [
        "../evil.txt",
        "/etc/evil",
        "files/../../evil",
        "files/..",
        "files/.hidden",
        "files\\..\\evil",
        "C:\\evil",
        "files/a/b",
        "chroma/chroma.sqlite3",
        "name",
        "lock",
        "files/" + "n" * 300,
    ],
)
def test_nothing_is_written_outside_or_where_it_does_not_belong(
    good: bytes, tmp_path: Path, name: str
) -> None:
    message = refused(tmp_path / "data", packed({**unpacked(good), name: b"evil"}))
    assert "does not belong into a workspace" in message
    assert not list(tmp_path.rglob("evil*"))


def test_a_link_is_written_as_a_plain_file_or_not_at_all(good: bytes, tmp_path: Path) -> None:
    files = unpacked(good)
    info = zipfile.ZipInfo("files/doc-link")
    info.external_attr = 0o120777 << 16
    whole = packed({**files, "files/doc-link": b"/etc/passwd"})
    plain = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as source, zipfile.ZipFile(plain, "w") as target:
        for entry in source.infolist():
            target.writestr(info if entry.filename == info.filename else entry, source.read(entry))
    made = Workspaces(tmp_path).import_archive(io.BytesIO(plain.getvalue()))
    written = made.folder / "files" / "doc-link"
    assert not written.is_symlink()
    assert written.read_bytes() == b"/etc/passwd"


def test_bombs_are_refused_before_they_are_unpacked(good: bytes, tmp_path: Path) -> None:
    bomb = packed({**unpacked(good), "files/doc-zeros": bytes(80 * 2**20)})
    assert "unpacked it would take" in refused(tmp_path / "data", bomb)
    assert "unpacked it would take" in refused(tmp_path / "data", good, Limits(size=1000))
    many = packed({**unpacked(good), **{f"files/doc-{n}": b"" for n in range(30)}})
    assert "more than 20" in refused(tmp_path / "data", many, Limits(entries=20))
    assert "manifest is too large" in refused(tmp_path / "data", good, Limits(manifest=10))


def test_a_size_that_lies_is_noticed(good: bytes, tmp_path: Path) -> None:
    data = packed({**unpacked(good), "files/doc-a": b"ab" * 5000})
    size = (10000).to_bytes(4, "little")
    assert data.count(size) >= 2
    assert refused(tmp_path / "data", data.replace(size, (10).to_bytes(4, "little")))


def test_files_must_be_those_of_the_manifest(good: bytes, tmp_path: Path) -> None:
    files = unpacked(good)
    other = {**files, "vectors/chunks.jsonl": files["vectors/chunks.jsonl"].replace(b"e", b"o", 1)}
    assert "is not the file it was" in refused(tmp_path / "data", packed(other, hashed=False))
    more = {**files, "files/doc-1": b"more"}
    assert "not those of its manifest" in refused(tmp_path / "data", packed(more, hashed=False))
    for name in ("workspace.db", "vectors/chunks.npy"):
        fewer = {key: data for key, data in files.items() if key != name}
        assert f"{name} is missing" in refused(tmp_path / "data", packed(fewer))


def test_an_entry_that_is_there_twice_is_refused(good: bytes, tmp_path: Path) -> None:
    buffer = io.BytesIO(good)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("workspace.db", b"another")
    assert "not those of its manifest" in refused(tmp_path / "data", buffer.getvalue())


@pytest.mark.parametrize(
    "change",
    [
        {"format": "something else"},
        {"version": "one"},
        {"files": []},
        {"name": 7},
        {"schema": None},
    ],
)
def test_a_manifest_of_another_kind_is_refused(
    good: bytes, tmp_path: Path, change: dict[str, object]
) -> None:
    files = unpacked(good)
    manifest = {**json.loads(files["manifest.json"]), **change}
    files["manifest.json"] = json.dumps(manifest).encode()
    assert refused(tmp_path / "data", packed(files, hashed=False))


@pytest.mark.parametrize("change", [{"version": 2}, {"schema": 999}])
def test_a_newer_archive_asks_for_a_newer_program(
    good: bytes, tmp_path: Path, change: dict[str, object]
) -> None:
    files = unpacked(good)
    files["manifest.json"] = json.dumps({**json.loads(files["manifest.json"]), **change}).encode()
    assert "Update the program" in refused(tmp_path / "data", packed(files))


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON kv BEGIN DELETE FROM nodes; END",
        "CREATE VIEW v AS SELECT * FROM kv",
        "CREATE TABLE extra (a)",
        "CREATE INDEX i ON kv (value)",
        "DROP TABLE outbox",
        "PRAGMA user_version = 0",
    ],
)
def test_a_database_with_other_tables_is_refused(good: bytes, tmp_path: Path, statement: str) -> None:
    assert "other tables" in refused(tmp_path / "data", with_database(good, tmp_path, statement))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE kv SET value = 'no json' WHERE namespace = 'documents'",
        "UPDATE kv SET value = '{}' WHERE namespace = 'documents'",
        "UPDATE kv SET value = json_set(value, '$.name', json('[1]')) WHERE namespace = 'documents'",
        "UPDATE kv SET value = '[]' WHERE namespace = 'texts'",
        "UPDATE kv SET value = '{\"content\": 7}' WHERE namespace = 'chunks'",
        'UPDATE nodes SET value = \'{"key": "x"}\'',
        "UPDATE nodes SET value = json_set(value, '$.weight', 'heavy')",
        "UPDATE entity_records SET value = '7'",
        "UPDATE placements SET start = 'here'",
        'UPDATE kv SET value = \'{"name": 1, "dimensions": "many"}\' WHERE key = \'embedding\'',
        "INSERT INTO kv VALUES ('about', 'settings', '[]')",
    ],
)
def test_rows_that_are_not_what_they_should_be_are_refused(
    good: bytes, tmp_path: Path, statement: str
) -> None:
    assert "damaged" in refused(tmp_path / "data", with_database(good, tmp_path, statement))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("workspace.db", lambda data: data[:100] + bytes(len(data) - 100)),
        ("workspace.db", lambda data: b"text"),
        ("vectors/chunks.npy", lambda data: data[:-4]),
        ("vectors/chunks.npy", lambda data: b"\x80\x04N."),
        ("vectors/chunks.npy", lambda data: b""),
        ("vectors/chunks.jsonl", lambda data: b"{}\n"),
        ("vectors/chunks.jsonl", lambda data: data * 2),
        ("vectors/chunks.jsonl", lambda data: b""),
        ("vectors/chunks.jsonl", lambda data: b"\xff\n"),
    ],
)
def test_damaged_parts_are_refused(
    good: bytes, tmp_path: Path, name: str, change: Callable[[bytes], bytes]
) -> None:
    files = unpacked(good)
    assert "damaged" in refused(tmp_path / "data", packed({**files, name: change(files[name])}))


@settings(max_examples=25)
@given(data=st.data())
def test_a_flipped_or_cut_archive_is_refused_or_imports_what_it_held(
    good: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("flipped")
    place = data.draw(st.integers(0, len(good) - 1))
    changed = bytearray(good)
    changed[place] ^= data.draw(st.integers(1, 255))
    if data.draw(st.booleans()):
        changed = changed[:place]
    hints = []
    try:
        made = Workspaces(folder).import_archive(io.BytesIO(bytes(changed)))
    except WorkspaceError as error:
        hints.append(error.hint)
    if hints:
        assert hints[0]
        assert [path.name for path in folder.iterdir()] == [".names.lock"]
    else:
        assert made.documents == 1


def test_an_archive_with_a_password_or_an_unknown_packing_is_refused(good: bytes, tmp_path: Path) -> None:
    for place, value in ((8, 1), (10, 99)):
        changed = bytearray(good)
        entry = changed.find(b"PK\x01\x02")
        while entry >= 0:  # the entries of the directory at the end
            changed[entry + place] |= value
            entry = changed.find(b"PK\x01\x02", entry + 4)
        assert refused(tmp_path / "data", bytes(changed))


def test_what_an_archive_says_of_servers_is_not_believed(good: bytes, tmp_path: Path) -> None:
    """Else opening an imported workspace would hand its documents, and a key, to whoever made the file."""
    evil = json.dumps(
        {"openai_base_url": "http://evil.invalid/v1", "ollama_host": "evil.invalid", "top_k": 5}
    )
    data = with_database(good, tmp_path, f"INSERT INTO kv VALUES ('about', 'settings', '{evil}')")
    made = Workspaces(tmp_path).import_archive(io.BytesIO(data), "tried")
    with LightRAG(
        made.name, Settings(data_dir=tmp_path), language=ScriptedLanguage(), embedding=HashEmbedding()
    ) as rag:
        assert rag.saved_settings() == {"top_k": 5}
