"""Summaries are owed like vectors: asked for beside the commits, once for many, and never forgotten."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from conftest import MakeRag
from doubles import HashEmbedding, ScriptedLanguage
from holdings import everything

from lightrag_engine import DocumentState, LightRAG, ModelError, Settings

TEXTS = [f"Mara Quill met Guest{n} at the very long dinner number {n}." for n in range(9)]


class Gated(ScriptedLanguage):
    """Writes no summary while the gate is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open, self.asked = threading.Event(), threading.Event()
        self.open.set()

    async def summarise(self, name: str, descriptions: Sequence[str], max_tokens: int) -> str:
        self.asked.set()
        while not self.open.is_set():
            await asyncio.sleep(0.005)
        return await super().summarise(name, descriptions, max_tokens)


class Refusing(ScriptedLanguage):
    """Refuses to summarise while it is told to."""

    refuses = True

    async def summarise(self, name: str, descriptions: Sequence[str], max_tokens: int) -> str:
        if self.refuses:
            raise ModelError("No.", hint="Choose another model.")
        return await super().summarise(name, descriptions, max_tokens)


def test_what_many_documents_add_to_is_summarised_once(make_rag: MakeRag) -> None:
    """The model was asked for a summary with every document, and the graph was locked until it answered."""
    language = ScriptedLanguage()
    rag = make_rag(language=language, entity_summary_max_tokens=40)
    rag.insert(TEXTS)
    assert language.summarised == ["Mara Quill"]
    assert rag.graph.nodes["mara quill"]["description"].startswith("Mara Quill: ")


def test_deleting_and_reading_do_not_wait_for_a_summary(make_rag: MakeRag) -> None:
    language = Gated()
    rag = make_rag(language=language, entity_summary_max_tokens=40)
    ids = rag.insert(TEXTS)
    language.open.clear()
    language.asked.clear()
    try:
        deleted = threading.Thread(target=rag.delete_document, args=[ids[3]])
        deleted.start()
        assert language.asked.wait(20)
        description = rag.graph.nodes["mara quill"]["description"]
        assert "Guest3" not in description
        assert description.startswith("Mara Quill met Guest")
        assert "guest3" not in rag.graph
        assert rag.check().sound
        rag.submit_text("Port Ansel.")
        deadline = time.monotonic() + 20
        while "port ansel" not in rag.graph and time.monotonic() < deadline:
            time.sleep(0.01)
        assert "port ansel" in rag.graph
    finally:
        language.open.set()
    deleted.join(20)
    rag.wait_for_documents([document.id for document in rag.documents()])
    other = make_rag("clean", entity_summary_max_tokens=40)
    other.insert([*TEXTS[:3], *TEXTS[4:], "Port Ansel."])
    assert everything(rag) == everything(other)


def test_a_summary_that_was_owed_is_written_when_the_workspace_is_opened_again(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, entity_summary_max_tokens=40)
    language = Gated()
    with LightRAG("w", settings, language=language, embedding=HashEmbedding()) as rag:
        ids = rag.insert(TEXTS)
        language.open.clear()
        rag.rename_entity("mara quill", "M. Quill")
        assert rag.graph.nodes["m. quill"]["summary_of"] == ""
    with LightRAG("w", settings, language=ScriptedLanguage(), embedding=HashEmbedding()) as rag:
        everything(rag)
        assert rag.graph.nodes["m. quill"]["description"].startswith("M. Quill: ")
        assert {document.id for document in rag.documents()} == set(ids)


def test_what_the_model_refuses_is_shortened_without_it_and_asked_again(make_rag: MakeRag) -> None:
    language = Refusing()
    rag = make_rag(language=language, entity_summary_max_tokens=40)
    rag.insert(TEXTS)
    assert {document.state for document in rag.documents()} == {DocumentState.PROBLEMS}
    assert all("gave no summary" in document.warnings[-1] for document in rag.documents())
    assert rag.graph.nodes["mara quill"]["description"].startswith("Mara Quill met Guest")
    assert rag.check().sound
    language.refuses = False
    rag.insert("Port Ansel.")
    assert rag.graph.nodes["mara quill"]["description"].startswith("Mara Quill: ")
    assert rag.check().sound
