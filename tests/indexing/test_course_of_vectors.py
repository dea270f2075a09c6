"""A document whose vectors are being made: pause, resume, cancel."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from conftest import MakeRag
from courses import SMALL, settled, status_of
from doubles import HashEmbedding, ScriptedLanguage
from holdings import everything

from lightrag_engine import DocumentError, DocumentState, LightRAG
from lightrag_engine.embedding.base import Role, Vectors
from lightrag_engine.indexing import vectors
from lightrag_engine.records import Chunk, Extraction


class SlowEmbedding(HashEmbedding):
    """Waits before the batch with a given number, until told to go on."""

    def __init__(self, waits_before: int) -> None:
        super().__init__()
        self.waits_before = waits_before
        self.batches = 0
        self.reached, self.go_on = threading.Event(), threading.Event()

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if role == "passage":
            self.batches += 1
            if self.batches == self.waits_before:
                self.reached.set()
                while not self.go_on.is_set():
                    await asyncio.sleep(0.01)
        return await super().embed(texts, role)


LONG = "\n\n".join(f"Visitor{n} of house Renn met Guest{n} and Captain{n}." for n in range(60))


@contextmanager
def embedded_in_part(make_rag: MakeRag) -> Iterator[tuple[LightRAG, SlowEmbedding, str]]:
    """Open a workspace in which a document is merged and a part of its vectors is made."""
    embedding = SlowEmbedding(waits_before=2)
    rag = make_rag(embedding=embedding, **SMALL)
    status = rag.submit_text(LONG, "long.txt")
    assert embedding.reached.wait(20)
    assert status_of(rag, status.id).state == DocumentState.EMBEDDING
    yield rag, embedding, status.id
    embedding.go_on.set()


def test_embedding_is_paused_and_goes_on_without_a_text_embedded_twice(make_rag: MakeRag) -> None:
    """A document whose vectors were made could not be stopped, however many there were."""
    with embedded_in_part(make_rag) as (rag, embedding, id_):
        rag.pause_document(id_)
        embedding.go_on.set()
        # The batch under way is finished, no other one begun; other documents are not held up.
        rag.insert("Ilse Vogt sailed.", ["other.txt"])
        assert status_of(rag, id_).state == DocumentState.PAUSED
        assert "Ilse Vogt sailed." in embedding.embedded
        owed = len(rag._workspace.outbox)
        assert owed > 64
        assert rag.check().problems == ()
        rag.close()
    again = make_rag(embedding=embedding, **SMALL)
    assert status_of(again, id_).state == DocumentState.PAUSED
    assert len(again._workspace.outbox) == owed
    again.resume_document(id_)
    settled(again)
    assert status_of(again, id_).state == DocumentState.DONE
    assert len(embedding.embedded) == len(set(embedding.embedded))
    reference = make_rag("clean", **SMALL)
    reference.insert([LONG, "Ilse Vogt sailed."], ["long.txt", "other.txt"])
    assert everything(again) == everything(reference)


@pytest.mark.parametrize("paused", [False, True])
def test_a_new_document_is_cancelled_while_it_is_embedded(make_rag: MakeRag, paused: bool) -> None:
    with embedded_in_part(make_rag) as (rag, embedding, id_):
        if paused:
            rag.pause_document(id_)
        embedding.go_on.set()
        rag.cancel_document(id_)
        assert rag.documents() == []
        settled(rag)
        assert len(rag._workspace.outbox) == 0
        assert everything(rag) == everything(make_rag("clean"))


def test_what_took_the_place_of_another_version_is_not_cancelled_any_more(make_rag: MakeRag) -> None:
    embedding = SlowEmbedding(waits_before=2)
    rag = make_rag(embedding=embedding, **SMALL)
    rag.insert("Mara Quill.", ["long.txt"])
    status = rag.submit_text(LONG, "long.txt", same_name="replace")
    assert embedding.reached.wait(20)
    with pytest.raises(DocumentError, match="in the place of what was there before"):
        rag.cancel_document(status.id)
    rag.pause_document(status.id)
    embedding.go_on.set()
    rag.resume_document(status.id)
    settled(rag)
    assert status_of(rag, status.id).state == DocumentState.DONE


class Holding(ScriptedLanguage):
    """Does not come to an end with one guest, until told to go on."""

    holds = True

    async def extract(self, chunk: Chunk, title: str) -> Extraction:
        while self.holds and "Guest2" in chunk.content:
            await asyncio.sleep(0.01)
        return await super().extract(chunk, title)


GUESTS = [f"Guest{n} met Mara Quill." for n in range(3)]
NAMES = [f"{n}.txt" for n in range(3)]


def add_to_a_hub(rag: LightRAG) -> None:
    """Index two documents that share an entity, the second one while a third is being read."""
    rag.insert(GUESTS[0], NAMES[:1])
    assert len(rag._workspace.outbox) == 0
    third = rag.submit_text(GUESTS[2], NAMES[2]).id
    second = rag.submit_text(GUESTS[1], NAMES[1]).id
    deadline = time.monotonic() + 60
    while status_of(rag, second).state != DocumentState.DONE:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert status_of(rag, third).state == DocumentState.EXTRACTING


def test_a_document_is_done_while_changes_of_older_vectors_wait(
    make_rag: MakeRag, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one more document says of a hub is embedded when no more come, and survives a stop before."""
    monkeypatch.setattr(vectors, "_ENOUGH", 0)
    language = Holding()
    rag = make_rag(language=language, **SMALL)
    add_to_a_hub(rag)
    outbox = rag._workspace.outbox
    assert (len(outbox), outbox.urgent) == (1, 0)
    assert GUESTS[1] in rag.graph.nodes["mara quill"]["description"]
    assert rag.check().problems == ()
    rag.close()
    language.holds = False
    again = make_rag(language=language, **SMALL)
    settled(again)
    assert len(again._workspace.outbox) == 0
    reference = make_rag("clean", **SMALL)
    reference.insert(GUESTS, NAMES)
    assert everything(again) == everything(reference)


def test_changes_are_paid_when_many_are_owed_though_documents_keep_coming(
    make_rag: MakeRag, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_ENOUGH", 0)
    monkeypatch.setattr(vectors, "_MANY_CHANGES", 1)
    rag = make_rag(language=Holding(), **SMALL)
    add_to_a_hub(rag)
    assert len(rag._workspace.outbox) == 0


def test_changes_are_paid_when_they_have_waited_though_documents_keep_coming(
    make_rag: MakeRag, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_ENOUGH", 0)
    monkeypatch.setattr(vectors, "_CHANGES_PATIENCE", 0.5)
    rag = make_rag(language=Holding(), **SMALL)
    add_to_a_hub(rag)
    deadline = time.monotonic() + 60
    while len(rag._workspace.outbox):
        assert time.monotonic() < deadline
        time.sleep(0.01)


class Deaf(HashEmbedding):
    """Makes nothing of a text that names two guests."""

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        rows = await super().embed(texts, role)
        rows[["Guest0" in text and "Guest1" in text for text in texts]] = 0.0
        return rows


def test_a_document_that_was_done_tells_of_changes_that_could_not_be_embedded(
    make_rag: MakeRag, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_ENOUGH", 0)
    language = Holding()
    rag = make_rag(language=language, embedding=Deaf(), **SMALL)
    add_to_a_hub(rag)
    language.holds = False
    deadline = time.monotonic() + 60
    second, first = (next(s.id for s in rag.documents() if s.name == name) for name in ("1.txt", "0.txt"))
    while status_of(rag, second).state == DocumentState.DONE:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert status_of(rag, first).state == DocumentState.DONE
    assert status_of(rag, second).state == DocumentState.PROBLEMS
    assert status_of(rag, second).warnings == ("1 texts could not be embedded and are not found by meaning.",)
