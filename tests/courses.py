"""A text, and a workspace in which it is on its way, for tests of the course of documents."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from conftest import MakeRag
from doubles import ScriptedLanguage
from holdings import everything

from lightrag_engine import LightRAG
from lightrag_engine.records import Chunk, Extraction

# One sentence a chunk.
SMALL: dict[str, Any] = {"chunk_token_size": 12, "chunk_overlap_token_size": 0}
SENTENCES = [f"Guest{n} of house Renn met Mara Quill." for n in range(10)]
TEXT = "\n\n".join(SENTENCES)


class Stopping(ScriptedLanguage):
    """Reads a few chunks and then waits, until it is told to go on."""

    def __init__(self, after: int = 3) -> None:
        super().__init__()
        self.after = after
        self.reached = threading.Event()

    async def extract(self, chunk: Chunk, title: str) -> Extraction:
        while len(self.read) >= self.after:
            self.reached.set()
            await asyncio.sleep(0.01)
        return await super().extract(chunk, title)


def refuse(error: Callable[[], Exception]) -> Callable[[Chunk], Extraction]:
    def script(chunk: Chunk) -> Extraction:
        raise error()

    return script


def status_of(rag: LightRAG, document_id: str) -> Any:
    return next(status for status in rag.documents() if status.id == document_id)


def settled(rag: LightRAG) -> None:
    rag.wait_for_documents([status.id for status in rag.documents()])


def clean(make_rag: MakeRag, *texts: str) -> dict[str, object]:
    rag = make_rag("clean", **SMALL)
    rag.insert(list(texts), [f"{n}.txt" for n in range(len(texts))])
    return everything(rag)


@contextmanager
def stopped(make_rag: MakeRag, **options: Any) -> Iterator[tuple[LightRAG, Stopping, str]]:
    """Open a workspace in which a document is under way, some of its chunks read."""
    language = Stopping()
    rag = make_rag(language=language, server_parallel=1, **SMALL, **options)
    status = rag.submit_text(TEXT, "0.txt")
    assert language.reached.wait(20)
    yield rag, language, status.id
