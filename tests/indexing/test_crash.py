"""A crash at any instant loses at most the calls in flight."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import crash_child
import numpy as np
import pytest
from crash_child import BEGUN, COMMIT, EMBEDDED, MODELS, READ, settings_of, wait_for
from doubles import HashEmbedding, ScriptedLanguage
from ollama_double import EmbedDouble, OllamaDouble

from lightrag_engine import DocumentState, LightRAG, Settings
from lightrag_engine.storage.packing import unpacked

CHILD = Path(crash_child.__file__)
CAN_FORK = hasattr(os, "fork")
# A fresh process takes seconds to import the engine: fewer of them are killed.
KILLS = 36 if CAN_FORK else 3
MOST_ROUNDS = 40
KILLED = -signal.SIGKILL if sys.platform != "win32" else 1
TEXTS = [
    "\n\n".join(f"Guest{n} of house {house} met Mara Quill at table {n}." for n in range(12))
    for house in ("Renn", "Vogt", "Pell")
]
CHANGED = TEXTS[0].replace("Mara Quill", "Ilse Vogt", 5)

Request = Mapping[str, Any]
Contents = dict[str, dict[Any, Any]]


class Runner(Protocol):
    """Does a request in a process of its own and returns the exit code."""

    def __call__(self, request: Request) -> int: ...


def run_fresh(request: Request) -> int:
    """Do a request in a fresh process."""
    command = [sys.executable, str(CHILD), json.dumps(dict(request))]
    with subprocess.Popen(command, cwd=CHILD.parent, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        events = process.stdout.fileno()
        if request["kill"] is not None and wait_for(events, *request["kill"][:2]):
            try:
                return process.wait(timeout=request["kill"][2])
            except subprocess.TimeoutExpired:
                process.kill()
        return process.wait(timeout=120)


@pytest.fixture(scope="module")
def run() -> Iterator[Runner]:
    """Do requests in forks of a process that has imported the engine already, where there are forks."""
    if not CAN_FORK:
        yield run_fresh
        return
    with subprocess.Popen(
        [sys.executable, str(CHILD)],
        cwd=CHILD.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # a thread does not survive a fork
    ) as server:

        def ask(request: Request) -> int:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(json.dumps(dict(request)) + "\n")
            server.stdin.flush()
            return int(server.stdout.readline())

        yield ask
        assert server.stdin is not None
        server.stdin.close()


@pytest.fixture(scope="module")
def indexed(run: Runner, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the texts were indexed by a run that was not killed, with its log."""
    folder = tmp_path_factory.mktemp("indexed")
    assert run(request(folder / "data", "index", texts=TEXTS)) == 0
    return folder


def request(folder: Path, job: str, **more: Any) -> Request:
    return {"folder": str(folder), "log": str(folder.parent / "log"), "job": job, "kill": None, **more}


def instant(chance: random.Random) -> tuple[bytes, int, float]:
    """Return when to kill: while it is opened, in or after a commit, while it reads or pays vectors."""
    kind = chance.randrange(4)
    if kind == 0:
        return BEGUN, 1, chance.uniform(0, 0.3)
    if kind == 1:
        return COMMIT, chance.randint(1, 30), chance.choice([0, chance.uniform(0, 0.003)])
    if kind == 2:
        return READ, chance.randint(1, 8), chance.uniform(0, 0.05)
    return EMBEDDED, chance.randint(1, 4), chance.uniform(0, 0.02)


def instant_of_reembedding(chance: random.Random) -> tuple[bytes, int, float]:
    """Return when to kill: while it is opened, in or after a commit, or between two calls."""
    if chance.random() < 0.4:
        return BEGUN, 1, chance.uniform(0, 0.4)
    return COMMIT, chance.randint(1, 8), chance.choice([0, chance.uniform(0, 0.04)])


def killed_again_and_again(
    run: Runner,
    begin: Callable[[int], Request],
    instant: Callable[[random.Random], tuple[bytes, int, float]],
    compare: Callable[[Path, int], None],
    seed: int,
) -> int:
    """Do a job in rounds until enough processes were killed in it, and return their number.

    In a round the job is begun again after each kill, until it comes to its end; then it is compared, and the
    next round starts anew.
    """
    chance, kills = random.Random(seed), 0
    for number in range(MOST_ROUNDS):
        job, here = begin(number), 0
        while (code := run({**job, "kill": _plan(instant(chance))})) == KILLED:
            here += 1
            if kills + here >= KILLS:
                code = run(job)
                break
        assert code == 0
        compare(Path(job["folder"]), here)
        shutil.rmtree(Path(job["folder"]).parent)
        kills += here
        if kills >= KILLS:
            break
    return kills


def _plan(kill: tuple[bytes, int, float]) -> list[object]:
    return [kill[0].decode(), *kill[1:]]


def contents(rag: LightRAG) -> Contents:
    """Return everything that must be the same: graph, vectors, documents, texts."""
    workspace = rag._workspace
    assert {d.state for d in rag.documents()} == {DocumentState.DONE}
    assert rag.check().sound
    assert len(workspace.outbox) == 0
    for (value,) in workspace.database.read("SELECT value FROM kv"):
        json.loads(unpacked(value))
    vectors: dict[Any, Any] = {}
    for role, store in workspace.vectors.items():
        ids = sorted(store.ids())
        records, rows = store.get(ids)
        for record, row in zip(records, rows, strict=True):
            vectors[role, record.id] = (record.text_hash, record.metadata, np.round(row, 5).tolist())
    names = {d.id: (d.names, d.chunks, d.entities, d.relations, d.tokens) for d in rag.documents()}
    assert all(workspace.originals.has(id_) for id_ in names)
    return {
        "nodes": dict(rag.graph.nodes(data=True)),
        "edges": {frozenset((a, b)): edge for a, b, edge in rag.graph.edges(data=True)},
        "vectors": vectors,
        "documents": names,
        "texts": workspace.texts.get_many(list(workspace.texts.keys())),
        "chunks": workspace.chunks.get_many(list(workspace.chunks.keys())),
    }


def contents_of(folder: Path) -> Contents:
    language, embedding = ScriptedLanguage(), HashEmbedding()
    with LightRAG("w", settings_of(folder), language=language, embedding=embedding) as rag:
        found = contents(rag)
    assert (language.read, language.summarised, embedding.embedded) == ([], [], [])
    return found


def assert_same(found: Contents, wanted: Contents) -> None:
    """Compare part by part: a failure shows the entries that differ, not everything there is."""
    assert found.keys() == wanted.keys()
    for part, entries in wanted.items():
        keys = {*entries, *found[part]}
        different = {key: (found[part].get(key), entries.get(key)) for key in keys}
        assert {key: both for key, both in different.items() if both[0] != both[1]} == {}, part


def repeats(log: Path) -> dict[str, int]:
    """Return how many answered calls asked for what had been answered before."""
    seen: set[str] = set()
    again = {"read": 0, "summarised": 0, "embedded": 0}
    for line in log.read_text(encoding="utf-8").splitlines():
        kind, *asked = line.split()
        again[kind] += not seen.isdisjoint(asked)
        seen.update(asked)
    return again


def compare_with(clean: Path, log: Path) -> Callable[[Path, int], None]:
    wanted, usual = contents_of(clean), repeats(log)

    def compare(folder: Path, kills: int) -> None:
        assert_same(contents_of(folder), wanted)
        again, in_flight = repeats(folder.parent / "log"), Settings().server_parallel
        assert again["read"] - usual["read"] <= kills * in_flight, "only chunks in flight are read again"
        assert again["embedded"] - usual["embedded"] <= kills, "only the call in flight is made again"
        assert again["summarised"] - usual["summarised"] <= kills

    return compare


def test_killed_while_texts_are_indexed_it_ends_as_if_nothing_had_happened(
    run: Runner, indexed: Path, tmp_path: Path
) -> None:
    def begin(number: int) -> Request:
        return request(tmp_path / str(number) / "data", "index", texts=TEXTS)

    compare = compare_with(indexed / "data", indexed / "log")
    assert killed_again_and_again(run, begin, instant, compare, 1) >= KILLS


def test_killed_while_texts_are_replaced_and_deleted_it_ends_with_the_last_state(
    run: Runner, indexed: Path, tmp_path: Path
) -> None:
    def begin(number: int) -> Request:
        folder = tmp_path / str(number) / "data"
        shutil.copytree(indexed / "data", folder)
        return request(folder, "change", texts=[CHANGED])

    job = begin(-1)
    assert run(job) == 0
    compare = compare_with(tmp_path / "-1" / "data", tmp_path / "-1" / "log")
    assert killed_again_and_again(run, begin, instant, compare, 2) >= KILLS


def test_killed_while_texts_are_embedded_anew_all_vectors_are_of_the_new_model(
    run: Runner, tmp_path: Path
) -> None:
    models = [
        EmbedDouble("first", dimensions=32, delay=0.02),
        EmbedDouble("second", dimensions=48, delay=0.02),
    ]
    with OllamaDouble(models) as server:
        filled = tmp_path / "filled" / "data"
        assert run(request(filled, "fill", texts=TEXTS, host=server.address)) == 0

        def begin(number: int) -> Request:
            folder = tmp_path / str(number) / "data"
            shutil.copytree(filled, folder)
            server.requests.clear()
            return request(folder, "reembed", host=server.address)

        def calls() -> list[tuple[str, ...]]:
            bodies = server.bodies("/api/embed")
            return [tuple(b["input"]) for b in bodies if b["model"].startswith("second")]

        def found(folder: Path) -> Contents:
            before = len(calls())
            settings = settings_of(folder, ollama_host=server.address, language_model="builtin")
            with LightRAG("w", settings) as rag:
                assert rag.models().embedding.startswith(MODELS[1])
                assert rag.reembedding() is None
                assert len(rag._workspace._chroma.list_collections()) == 3
                everything = contents(rag)
            assert len(calls()) == before
            return everything

        job = begin(-1)
        assert run(job) == 0
        once = len(calls())
        wanted = found(Path(job["folder"]))

        def compare(folder: Path, kills: int) -> None:
            assert_same(found(folder), wanted)
            assert len(calls()) <= once + kills, "only the call in flight is made again"

        assert killed_again_and_again(run, begin, instant_of_reembedding, compare, 3) >= KILLS
