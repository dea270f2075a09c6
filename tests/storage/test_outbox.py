from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from doubles import HashEmbedding

from lightrag_engine.embedding.base import Vectors
from lightrag_engine.storage.base import VectorRecord
from lightrag_engine.storage.chroma import ChromaVectors, open_client
from lightrag_engine.storage.outbox import Outbox
from lightrag_engine.storage.sqlite import Database


class FailingOnce(ChromaVectors):
    """A vector store whose first write fails, as on a full disk."""

    failed = False

    def upsert(self, records: Sequence[VectorRecord], vectors: Vectors) -> None:
        if not self.failed:
            self.failed = True
            raise OSError("disk full")
        super().upsert(records, vectors)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "o.db")


def records(*ids: str, text: str = "some words") -> list[VectorRecord]:
    return [VectorRecord(id_, f"{text} {id_}", {"id": id_}) for id_ in ids]


async def pay_all(outbox: Outbox, store: ChromaVectors, embedding: HashEmbedding) -> list[VectorRecord]:
    return await outbox.pay({"things": store}, embedding, batch_size=2)


def test_what_is_owed_is_paid_once(database: Database, tmp_path: Path) -> None:
    outbox, store, embedding = Outbox(database), _chroma(tmp_path), HashEmbedding()
    outbox.owe_upserts("things", records("a", "b", "c"))
    assert len(outbox) == 3
    assert asyncio.run(pay_all(outbox, store, embedding)) == []
    assert len(outbox) == 0
    assert store.ids() == {"a", "b", "c"}
    asyncio.run(pay_all(outbox, store, embedding))
    assert len(embedding.embedded) == 3
    database.close()


def test_a_later_operation_on_an_id_replaces_the_earlier_one(database: Database, tmp_path: Path) -> None:
    outbox, store, embedding = Outbox(database), _chroma(tmp_path), HashEmbedding()
    outbox.owe_upserts("things", records("a", text="old"))
    outbox.owe_upserts("things", records("a", text="new"))
    outbox.owe_upserts("things", records("b"))
    outbox.owe_deletes("things", ["b"])
    asyncio.run(pay_all(outbox, store, embedding))
    assert store.ids() == {"a"}
    assert embedding.embedded == ["new a"]
    database.close()


def test_a_failed_write_keeps_the_debt_and_the_vectors(database: Database, tmp_path: Path) -> None:
    outbox, embedding = Outbox(database), HashEmbedding()
    store = FailingOnce(open_client(tmp_path / "chroma"), "things")
    outbox.owe_upserts("things", records("a", "b"))
    with pytest.raises(OSError, match="disk full"):
        asyncio.run(pay_all(outbox, store, embedding))
    assert len(outbox) == 2
    asyncio.run(pay_all(Outbox(database), store, embedding))
    assert store.ids() == {"a", "b"}
    assert len(embedding.embedded) == 2, "no text is embedded twice"
    database.close()


def test_mere_changes_wait_and_what_is_new_does_not(database: Database, tmp_path: Path) -> None:
    """Vectors of hubs were made anew with every few documents, though the old ones were nearly as good."""
    outbox, store, embedding = Outbox(database), _chroma(tmp_path), HashEmbedding()
    stores = {"things": store}
    outbox.owe_upserts("things", records("a", "b", "c"))
    asyncio.run(pay_all(outbox, store, embedding))
    outbox.owe_upserts("things", records("d"))
    outbox.owe_deletes("things", ["b", "c"])
    outbox.owe_upserts("things", records("a", "c", "d", text="changed"), changes=True)
    assert (len(outbox), outbox.urgent) == (4, 3), "new ones that change, and what was to be deleted, are new"
    asyncio.run(outbox.pay(stores, embedding, only_urgent=True))
    assert store.ids() == {"a", "c", "d"}
    assert embedding.embedded[3:] == ["changed c", "changed d"]
    outbox.owe_upserts("things", records("a", text="changed again"), changes=True)
    again = Outbox(database)
    assert (len(again), again.urgent) == (1, 0)
    asyncio.run(again.pay(stores, embedding))
    assert embedding.embedded[5:] == ["changed again a"]
    assert len(again) == 0
    database.close()


def test_texts_without_meaning_are_counted(database: Database, tmp_path: Path) -> None:
    outbox, store = Outbox(database), _chroma(tmp_path)
    outbox.owe_upserts("things", [VectorRecord("a", "...", {}), *records("b")])
    refused = asyncio.run(pay_all(outbox, store, HashEmbedding()))
    assert [record.id for record in refused] == ["a"]
    assert store.ids() == {"b"}
    database.close()


def test_too_few_vectors_are_an_error_not_a_shift(database: Database, tmp_path: Path) -> None:
    class Short(HashEmbedding):
        async def embed(self, texts: Sequence[str], role: object) -> Vectors:  # type: ignore[override]
            return (await super().embed(texts, "passage"))[:-1]

    outbox, store = Outbox(database), _chroma(tmp_path)
    outbox.owe_upserts("things", records("a", "b"))
    with pytest.raises(ValueError, match="gave 1 vectors for 2 texts"):
        asyncio.run(pay_all(outbox, store, Short()))
    assert len(store) == 0
    assert len(outbox) == 2
    database.close()


def _chroma(tmp_path: Path) -> ChromaVectors:
    return ChromaVectors(open_client(tmp_path / "chroma"), "things")
