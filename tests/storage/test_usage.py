"""What a workspace takes on disk, by part."""

from __future__ import annotations

from pathlib import Path

from conftest import MakeRag

from lightrag_engine import LightRAG


def on_disk(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_the_parts_add_up_to_what_is_on_disk(rag: LightRAG) -> None:
    names = [f"Guest{n} of house Renn met Captain{n}." for n in range(300)]
    rag.insert(names, [f"{n}.txt" for n in range(len(names))])
    # The log of the database is emptied when nothing is under way: not between the two looks.
    rag._workspace.database.checkpoint()
    use = rag.storage_use()
    folder = rag._workspace.folder
    assert abs(use.total - on_disk(folder)) < 0.1 * on_disk(folder)
    assert use.originals == sum(len(name.encode()) for name in names)
    assert min(use.texts, use.graph, use.vectors, use.other) > 10_000
    assert use.cache == 0


def test_replies_and_files_put_aside_count(rag: LightRAG) -> None:
    before = rag.storage_use()
    rag._workspace.responses.put_many({"r": {"text": "x" * 400}})
    rag._workspace.unclaimed.mkdir()
    (rag._workspace.unclaimed / "doc-ghost").write_bytes(b"12345")
    use = rag.storage_use()
    assert use.cache >= 400
    assert use.originals == before.originals + 5


def test_an_empty_workspace_is_measured(make_rag: MakeRag) -> None:
    use = make_rag("empty").storage_use()
    assert (use.originals, use.cache) == (0, 0)
    assert use.texts < 100
