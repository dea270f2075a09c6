"""A crash at any instant loses at most the chunks in flight."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from doubles import HashEmbedding, ScriptedLanguage

from lightrag_engine import DocumentState, LightRAG, Settings

CHILD = Path(__file__).parent.parent / "crash_child.py"
TEXTS = [
    "\n\n".join(f"Guest{n} of house {house} met Mara Quill at table {n}." for n in range(20))
    for house in ("Renn", "Vogt", "Pell")
]


CHANGED = TEXTS[0].replace("Mara Quill", "Ilse Vogt", 9)


def start(folder: Path, log: Path, action: str, *texts: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(CHILD), str(folder), str(log), action, *texts]
    return subprocess.Popen(command, cwd=CHILD.parent)


def kill_sometimes(folder: Path, log: Path, chance: random.Random, runs: int, *job: str) -> int:
    """Begin a job again and again, kill it at random moments, and let it end at last; return the kills."""
    kills = 0
    for _ in range(runs):
        before = _lines(log)
        child = start(folder, log, *job)
        # Wait until it is at work, then for a random moment of the run.
        deadline = time.monotonic() + 60
        while child.poll() is None and _lines(log) == before and time.monotonic() < deadline:
            time.sleep(0.005)
        try:
            child.wait(timeout=chance.uniform(0, 0.8))
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            kills += 1
    assert start(folder, log, *job).wait(timeout=120) == 0
    return kills


def graph_of(folder: Path) -> dict[str, object]:
    settings = Settings(data_dir=folder, chunk_token_size=16, chunk_overlap_token_size=0)
    with LightRAG("w", settings, language=ScriptedLanguage(), embedding=HashEmbedding()) as rag:
        assert {d.state for d in rag.documents()} == {DocumentState.DONE}
        return {
            "nodes": dict(rag.graph.nodes(data=True)),
            "edges": {(a, b): edge for a, b, edge in rag.graph.edges(data=True)},
            "vectors": {name: store.ids() for name, store in rag._workspace.vectors.items()},
            "owed": len(rag._workspace.outbox),
        }


@pytest.mark.parametrize("seed", range(2))
def test_killed_again_and_again_a_run_ends_as_if_nothing_had_happened(tmp_path: Path, seed: int) -> None:
    clean, killed = tmp_path / "clean", tmp_path / "killed"
    clean_log, log = tmp_path / "clean.log", tmp_path / "killed.log"
    assert start(clean, clean_log, "index", *TEXTS).wait(timeout=120) == 0
    kills = kill_sometimes(killed, log, random.Random(seed), 4, "index", *TEXTS)
    assert kills
    assert graph_of(killed) == graph_of(clean)
    read = log.read_text(encoding="utf-8").split()
    assert set(read) == set(clean_log.read_text(encoding="utf-8").split())
    in_flight = Settings().server_parallel
    assert len(read) - len(set(read)) <= kills * in_flight, "only the chunks in flight are read again"


def test_killed_while_documents_are_replaced_and_deleted_it_ends_with_the_last_state(tmp_path: Path) -> None:
    clean, killed, log = tmp_path / "clean", tmp_path / "killed", tmp_path / "log"
    assert start(clean, log, "index", CHANGED, TEXTS[1]).wait(timeout=120) == 0
    assert start(killed, log, "index", *TEXTS).wait(timeout=120) == 0
    assert kill_sometimes(killed, log, random.Random(7), 3, "change", CHANGED)
    assert graph_of(killed) == graph_of(clean)
    settings = Settings(data_dir=killed)
    with LightRAG("w", settings, language=ScriptedLanguage(), embedding=HashEmbedding()) as rag:
        assert sorted(status.name for status in rag.documents()) == ["0.txt", "1.txt"]
        files = {path.name for path in rag._workspace.files.iterdir()}
        assert files >= {status.id for status in rag.documents()}


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0
