"""Whatever is done in whatever order, a workspace is what it would be with only its last documents."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from pathlib import Path
from typing import Any

from doubles import HashEmbedding, ScriptedLanguage
from holdings import everything
from hypothesis import given, settings
from hypothesis import strategies as st

from lightrag_engine import DocumentError, DocumentState, LightRAG, Settings
from lightrag_engine.records import Chunk, Extraction

# Few sentences and names, so that texts share chunks and one text comes under two names.
SENTENCES = [
    "Mara Quill met Tobias Renn.",
    "MARA QUILL left Port Ansel.",
    "Ilse Vogt built Low Harrow.",
    "Tobias Renn left Low Harrow.",
]
TEXTS = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=3).map("\n\n".join)
NAMES = st.sampled_from(["a.txt", "b.txt"])
STEPS = st.one_of(
    st.tuples(st.just("put"), NAMES, TEXTS),
    st.tuples(st.just("cancel"), NAMES, TEXTS),
    st.tuples(st.just("reopen"), NAMES, TEXTS),
    st.tuples(st.just("delete"), NAMES, st.just("")),
)


class Held(ScriptedLanguage):
    """Waits before each chunk while it is held."""

    def __init__(self) -> None:
        super().__init__()
        self.held, self.reached = False, threading.Event()

    async def extract(self, chunk: Chunk, title: str) -> Extraction:
        while self.held:
            self.reached.set()
            await asyncio.sleep(0.002)
        return await super().extract(chunk, title)


def opened(folder: str | Path, language: ScriptedLanguage) -> LightRAG:
    settings = Settings(data_dir=folder, chunk_token_size=12, chunk_overlap_token_size=0)
    return LightRAG("w", settings, language=language, embedding=HashEmbedding())


def play(rag: LightRAG, folder: str, steps: list[tuple[str, str, str]]) -> tuple[LightRAG, dict[str, str]]:
    """Do the steps; return the workspace with the text that each name should have."""
    wanted: dict[str, str] = {}
    for action, name, text in steps:
        if action == "put":
            rag.insert(text, [name], same_name="replace")
            wanted[name] = text
        elif action == "delete" and name in wanted:
            (id_,) = (s.id for s in rag.documents() if name in s.names and s.state == DocumentState.DONE)
            rag.delete_document(id_)
            wanted = {other: kept for other, kept in wanted.items() if kept != wanted[name]}
        elif action in ("cancel", "reopen"):
            language = Held()
            rag.close()
            language.held = True
            rag = opened(folder, language)
            status = rag.submit_text(text, name, same_name="replace")
            if action == "reopen":
                rag.close()
                rag = opened(folder, ScriptedLanguage())
                rag.wait_for_documents([status.id])
                wanted[name] = text
                continue
            try:
                rag.cancel_document(status.id)
            except DocumentError:
                # Nothing was to be read, so it was merged before it could be cancelled.
                wanted[name] = text
            language.held = False
            rag.wait_for_documents([status.id for status in rag.documents()])
    return rag, wanted


def without_ids(held: dict[str, Any]) -> dict[str, Any]:
    """Leave out the ids of extractions: they hold the title, which may come from the name of the file."""
    return {**held, "extractions": sorted(row[1:] for row in held["extractions"])}


@settings(max_examples=8)
@given(steps=st.lists(STEPS, min_size=2, max_size=7))
def test_a_sequence_of_changes_equals_its_last_state(steps: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        rag, wanted = play(opened(folder, ScriptedLanguage()), folder, steps)
        with rag:
            found = everything(rag)
        with opened(other, ScriptedLanguage()) as clean:
            texts = sorted(set(wanted.values()))
            clean.insert(texts, [f"{n}.txt" for n, _ in enumerate(texts)])
            assert without_ids(found) == without_ids(everything(clean))
