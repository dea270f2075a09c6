"""Changes a workspace in a process of its own, which is killed at a chosen instant.

    python crash_child.py          serves: a request (JSON) a line in, an exit code a line out
    python crash_child.py REQUEST  does one request, and writes its events to the standard output

Importing the engine takes seconds. Where processes can fork, this one imports it once, opens nothing, and
forks for each request.

A request has a `job`: *index* (texts), *change* (put the text in the place of 0.txt and delete 2.txt), *fill*
(index with vectors of the server at `host`) or *reembed* (with another model of it). Each may be begun again
at any moment. Every answered call of a scripted model is appended to `log`. `kill` is null or [event, count,
seconds]: the process is killed so many seconds after the event has come so often.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import json
import os
import signal
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from doubles import HashEmbedding, ScriptedLanguage

from lightrag_engine import LightRAG, Settings
from lightrag_engine.embedding.base import Role, Vectors
from lightrag_engine.records import Chunk, Extraction

BEGUN, COMMIT, READ, EMBEDDED = b"b", b"c", b"r", b"e"
MODELS = ("ollama:first", "ollama:second")
Note = Callable[[bytes], None]


def settings_of(folder: Path, **more: Any) -> Settings:
    """Return the settings of every job: small chunks, and so many."""
    return Settings(data_dir=folder, chunk_token_size=16, chunk_overlap_token_size=0, **more)


class LoggingLanguage(ScriptedLanguage):
    """Reads slowly, and says what it has answered."""

    def __init__(self, log: Path, note: Note) -> None:
        super().__init__()
        self._log, self._note = log, note

    async def extract(self, chunk: Chunk, title: str) -> Extraction:
        await asyncio.sleep(0.01)
        extraction = await super().extract(chunk, title)
        _append(self._log, f"read {chunk.id}")
        self._note(READ)
        return extraction

    async def summarise(self, name: str, descriptions: Sequence[str], max_tokens: int) -> str:
        summary = await super().summarise(name, descriptions, max_tokens)
        _append(self._log, f"summarised {_digest([name, *descriptions])}")
        return summary


class LoggingEmbedding(HashEmbedding):
    """Embeds slowly, and says what it has answered: the texts of a call in one line."""

    def __init__(self, log: Path, note: Note) -> None:
        super().__init__()
        self._log, self._note = log, note

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        self._note(EMBEDDED)
        await asyncio.sleep(0.01)
        vectors = await super().embed(texts, role)
        _append(self._log, " ".join(["embedded", *(_digest([text]) for text in texts)]))
        self._note(EMBEDDED)
        return vectors


def _digest(texts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def _append(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def run(request: dict[str, Any], note: Note) -> None:
    """Do a job to its end."""
    folder, job = Path(request["folder"]), request["job"]
    if job in ("fill", "reembed"):
        with LightRAG("w", settings_of(folder, ollama_host=request["host"], language_model="builtin")) as rag:
            _reembed(rag) if job == "reembed" else _fill(rag, request["texts"])
        return
    log = Path(request["log"])
    language, embedding = LoggingLanguage(log, note), LoggingEmbedding(log, note)
    with LightRAG("w", settings_of(folder), language=language, embedding=embedding) as rag:
        if job == "index":
            _index(rag, request["texts"])
            return
        rag.submit_text(request["texts"][0], "0.txt", same_name="replace")
        for status in rag.documents():
            if "2.txt" in status.names:
                rag.delete_document(status.id)
        rag.wait_for_documents([status.id for status in rag.documents()])


def _index(rag: LightRAG, texts: Sequence[str]) -> None:
    rag.insert(texts, [f"{n}.txt" for n in range(len(texts))])


def _fill(rag: LightRAG, texts: Sequence[str]) -> None:
    rag.change_settings({"embedding_model": MODELS[0]})
    _index(rag, texts)


def _reembed(rag: LightRAG) -> None:
    if rag.models().embedding.startswith(MODELS[1]):
        return
    rag.reembed(MODELS[1])
    while (state := rag.reembedding()) is not None and state.running:
        time.sleep(0.005)
    assert state is not None
    assert not state.error, state.error


def _tell_commits(note: Note) -> None:
    """Note every commit of the workspace's database just before it is made."""

    def traced(statement: str) -> None:
        if statement == "COMMIT":
            note(COMMIT)

    connect = sqlite3.connect

    def traced_connect(*arguments: Any, **more: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **more)
        connection.set_trace_callback(traced)
        return connection

    sqlite3.connect = traced_connect


def attend(request: dict[str, Any], events: int) -> None:
    """Do a job and write its events to a file descriptor."""

    def note(event: bytes) -> None:
        os.write(events, event)

    _tell_commits(note)
    note(BEGUN)
    run(request, note)


def wait_for(events: int, event: str, count: int) -> bool:
    """Wait until an event came so often; return False when the process ended before."""
    while piece := os.read(events, 1):
        count -= piece == event.encode()
        if not count:
            return True
    return False


def _forked(request: dict[str, Any]) -> int:
    """Do a request in a fork; return its exit code, negative for a signal."""
    events, ours = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.close(events)
            attend(request, ours)
            code = 0
        except BaseException:  # noqa: BLE001 - whatever it is, the fork must not go on as the server
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    os.close(ours)
    try:
        if request["kill"] is not None:
            event, count, seconds = request["kill"]
            if wait_for(events, event, count):
                time.sleep(seconds)
                os.kill(child, signal.SIGKILL)  # never another process: it was not waited for yet
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        os.close(events)


def main() -> None:
    """Do one request, or serve."""
    if sys.argv[1:]:
        attend(json.loads(sys.argv[1]), sys.stdout.fileno())
        return
    # What the engine imports when it is needed, but nothing that starts a thread of its own.
    for name in ("chromadb.api.rust", "tiktoken.load", "tiktoken_ext.openai_public"):
        importlib.import_module(name)
    for line in sys.stdin:
        sys.stdout.write(f"{_forked(json.loads(line))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
