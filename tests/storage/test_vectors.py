"""The contract of the vector role, over real Chroma."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from lightrag_engine.embedding.base import Vectors
from lightrag_engine.storage.base import VectorRecord
from lightrag_engine.storage.chroma import ChromaVectors, open_client


@pytest.fixture
def store(tmp_path: Path) -> ChromaVectors:
    return ChromaVectors(open_client(tmp_path / "chroma"), "things")


def vectors(*rows: list[float]) -> Vectors:
    return np.array(rows, dtype=np.float32)


def record(id_: str, text: str = "text") -> VectorRecord:
    return VectorRecord(id_, text, {"name": id_})


def test_the_nearest_come_first_by_cosine(store: ChromaVectors) -> None:
    # By squared distance "long" would be the farthest; by cosine it is the nearest.
    store.upsert(
        [record("long"), record("near"), record("far")], vectors([9.0, 0.1], [0.8, 0.6], [-1.0, 0.0])
    )
    hits = store.search(vectors([1.0, 0.0])[0], 3)
    assert [hit.id for hit in hits] == ["long", "near", "far"]
    assert hits[1].similarity == pytest.approx(0.8, abs=1e-3)
    assert store.get(["long"])[0][0].metadata == {"name": "long"}


def test_an_upsert_replaces_and_a_repeated_one_changes_nothing(store: ChromaVectors) -> None:
    for _ in range(2):
        store.upsert([record("a")], vectors([1.0, 0.0]))
    store.upsert([record("a")], vectors([0.0, 1.0]))
    assert len(store) == 1
    assert store.search(vectors([0.0, 1.0])[0], 1)[0].similarity == pytest.approx(1.0, abs=1e-3)


def test_an_id_twice_in_one_call_counts_once(store: ChromaVectors) -> None:
    store.upsert([record("a"), record("a")], vectors([1.0, 0.0], [0.0, 1.0]))
    assert store.ids() == {"a"}
    assert store.search(vectors([0.0, 1.0])[0], 1)[0].similarity == pytest.approx(1.0, abs=1e-3)


def test_everything_is_read_page_by_page(store: ChromaVectors, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.everything()[0] == []
    monkeypatch.setattr("lightrag_engine.storage.chroma._PAGE", 2)
    store.upsert([record(id_) for id_ in "cbade"], vectors(*([n + 1.0, 1.0] for n in range(5))))
    about, rows = store.everything()
    assert [one["name"] for one in about] == list("abcde")
    assert rows.shape == (5, 2)
    assert rows[:, 0] / rows[:, 1] == pytest.approx([3.0, 2.0, 1.0, 4.0, 5.0])


def test_deleting_is_idempotent(store: ChromaVectors) -> None:
    store.upsert([record("a"), record("b")], vectors([1.0, 0.0], [0.0, 1.0]))
    store.delete(["a", "never there"])
    store.delete(["a"])
    store.delete([])
    assert store.ids() == {"b"}


def test_a_wrong_number_of_vectors_writes_nothing(store: ChromaVectors) -> None:
    with pytest.raises(ValueError, match="2 records, but 1 vectors"):
        store.upsert([record("a"), record("b")], vectors([1.0, 0.0]))
    assert len(store) == 0


@pytest.mark.parametrize("bad", [[0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]])
def test_a_vector_without_a_direction_is_not_stored(store: ChromaVectors, bad: list[float]) -> None:
    store.upsert([record("a")], vectors([1.0, 0.0]))
    store.upsert([record("a"), record("b")], vectors(bad, [0.0, 1.0]))
    assert store.ids() == {"b"}


def test_an_empty_collection_and_an_empty_question_find_nothing(store: ChromaVectors) -> None:
    assert store.search(vectors([1.0, 0.0])[0], 5) == []
    store.upsert([record("a")], vectors([1.0, 0.0]))
    assert store.search(vectors([0.0, 0.0])[0], 5) == []


def test_empty_metadata_is_stored(store: ChromaVectors) -> None:
    store.upsert([VectorRecord("a", "text", {})], vectors([1.0, 0.0]))
    assert store.ids() == {"a"}


def test_more_than_one_batch(store: ChromaVectors) -> None:
    count = 6000
    rows = np.eye(2, dtype=np.float32)[np.arange(count) % 2]
    store.upsert([record(str(n)) for n in range(count)], rows)
    assert len(store) == count
    store.delete([str(n) for n in range(count)])
    assert len(store) == 0


def test_vectors_survive_reopening(tmp_path: Path) -> None:
    ChromaVectors(open_client(tmp_path), "things").upsert([record("a")], vectors([1.0, 0.0]))
    assert ChromaVectors(open_client(tmp_path), "things").ids() == {"a"}


def test_many_threads_at_once(tmp_path: Path) -> None:
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            store = ChromaVectors(open_client(tmp_path), "things")
            store.upsert([record(f"{number}")], vectors([1.0, float(number)]))
            store.search(vectors([1.0, 0.0])[0], 3)
        except BaseException as error:  # noqa: BLE001 - reported below
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(ChromaVectors(open_client(tmp_path), "things")) == 20


def test_a_stale_vector_can_be_told_although_no_text_is_kept(store: ChromaVectors) -> None:
    store.upsert([record("a", "old"), record("b", "same")], vectors([1.0, 0.0], [0.0, 1.0]))
    store.upsert([record("a", "new")], vectors([1.0, 0.0]))
    assert store.text_hashes() == {
        "a": record("a", "new").text_hash,
        "b": record("b", "same").text_hash,
    }
    assert record("a", "old").text_hash != record("a", "new").text_hash
    assert store._collection.get(include=["documents"])["documents"] == [None, None]


def test_the_hashes_of_more_vectors_than_a_statement_takes_are_read(store: ChromaVectors) -> None:
    """A workspace of 33,000 relations could not be checked after an unclean end, and so not be opened.

    The error was "too many SQL variables".
    """
    rows = np.random.default_rng(1).random((33_000, 2), dtype=np.float32)
    store.upsert([record(f"v{n}", str(n)) for n in range(len(rows))], rows)
    hashes = store.text_hashes()
    assert len(hashes) == len(rows)
    assert hashes["v32999"] == record("v32999", "32999").text_hash
    assert store.ids() == hashes.keys()


def test_only_ids_among_those_given_are_found_exactly_and_as_many_as_are_asked_for(
    store: ChromaVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(300, 2)).astype(np.float32)
    store.upsert([record(f"v{n:03}") for n in range(300)], rows)
    question = np.array([1.0, 0.0], dtype=np.float32)
    cosines = rows[:, 0] / np.linalg.norm(rows, axis=1)
    among = [f"v{n:03}" for n in range(0, 300, 3)]
    best = sorted(among, key=lambda id_: -cosines[int(id_[1:])])
    for batch in (5000, 7):
        monkeypatch.setattr(store, "_batch", batch)
        assert [hit.id for hit in store.search(question, 20, [*among, "gone"])] == best[:20]
    assert len(store.search(question, 400, among)) == 100
    assert store.search(question, 20, []) == store.search(question, 20, ["gone"]) == []


def test_more_may_be_asked_for_than_any_number_of_the_machine(store: ChromaVectors) -> None:
    """A top_k that is no 64-bit number ended the question in an OverflowError."""
    store.upsert([record("a")], vectors([1.0, 0.0]))
    for among in (None, {"a"}):
        assert [hit.id for hit in store.search(vectors([1.0, 0.0])[0], 10**30, among)] == ["a"]
