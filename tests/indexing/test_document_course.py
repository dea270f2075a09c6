"""A document on its way: one bad chunk, pause, resume, cancel, retry, reading again, deleting."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeRag
from doubles import HashEmbedding, ScriptedLanguage
from holdings import everything

from lightrag_engine import DocumentError, DocumentState, LightRAG, ModelError, Settings, Upload
from lightrag_engine.embedding.base import Role, Vectors
from lightrag_engine.errors import ServerAwayError
from lightrag_engine.records import Chunk, Extraction, IndexEvent

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


# One bad chunk


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (lambda: ZeroDivisionError("bad luck"), "ZeroDivisionError: bad luck"),
        (lambda: ModelError("The model refused.", hint="Take another."), "The model refused"),
    ],
)
def test_a_chunk_that_cannot_be_read_is_left_out_and_named(
    make_rag: MakeRag, error: Callable[[], Exception], reason: str
) -> None:
    """One bad reply used to fail the whole document."""
    language = ScriptedLanguage({"Guest4": refuse(error)})
    rag = make_rag(language=language, **SMALL)
    (status,) = rag.insert_files([Upload("a.txt", TEXT.encode())])
    assert status.state == DocumentState.PROBLEMS
    assert status.failed_chunks == 1
    assert f"1 of 10 chunks could not be read, number 5: {reason}" in " ".join(
        warning.replace("An unexpected error stopped the reading: ", "") for warning in status.warnings
    )
    assert {f"guest{n}" for n in range(10) if n != 4} <= set(rag.graph.nodes)
    assert sum("Guest4" in text for text in language.read) == Settings().chunk_retries + 1
    (failed,) = rag.document_report(status.id).failed
    assert (failed.number, failed.chunk_id) == (5, rag.document_chunks(status.id)[4].id)


def test_the_page_of_a_failed_chunk_is_told(rag: LightRAG) -> None:
    from lightrag_engine.indexing.work import failed_sentences
    from lightrag_engine.records import FailedChunk

    chunks = [FailedChunk(n, f"chunk-{n}", n, n + 1, "No answer.") for n in (3, 9)]
    (sentence,) = failed_sentences(chunks, 40)
    assert sentence.startswith(
        "2 of 40 chunks could not be read, number 3 (page 3–4), 9 (page 9–10): No answer."
    )


def test_an_error_that_passes_costs_nothing(make_rag: MakeRag) -> None:
    tries: list[str] = []

    def once(chunk: Chunk) -> Extraction:
        tries.append(chunk.id)
        if len(tries) == 1:
            raise ModelError("Too busy.")
        return Extraction(chunk.id)

    rag = make_rag(language=ScriptedLanguage({"Guest4": once}), **SMALL)
    (status,) = rag.insert_files([Upload("a.txt", TEXT.encode())])
    assert (status.state, len(tries)) == (DocumentState.DONE, 2)


def test_a_retry_reads_only_what_failed_whatever_the_model_is_now(make_rag: MakeRag, tmp_path: Path) -> None:
    broken = {"Guest2": refuse(lambda: OSError("no")), "Guest7": refuse(lambda: OSError("no"))}
    rag = make_rag(language=ScriptedLanguage(broken), **SMALL)
    (status,) = rag.insert_files([Upload("0.txt", TEXT.encode())])
    assert status.failed_chunks == 2
    rag.close()
    better = ScriptedLanguage()
    better.fingerprint = "scripted-2"
    rag = make_rag(language=better, chunk_token_size=20, chunk_overlap_token_size=0)
    rag.retry_document(status.id)
    settled(rag)
    assert sorted(better.read) == [SENTENCES[2], SENTENCES[7]]
    assert status_of(rag, status.id).state == DocumentState.DONE
    report = rag.document_report(status.id)
    assert (report.chunks_read, report.failed) == (10, ())
    found = everything(rag)
    wanted = clean(make_rag, TEXT)
    assert {k: found[k] for k in ("graph", "chunks", "vectors")} == {
        k: wanted[k] for k in ("graph", "chunks", "vectors")
    }


def test_only_when_all_chunks_fail_for_one_reason_the_document_fails(make_rag: MakeRag) -> None:
    gone = ScriptedLanguage(
        {"Guest": refuse(lambda: ModelError("The model is gone.", hint="Pull it again."))}
    )
    rag = make_rag(language=gone, **SMALL)
    (status,) = rag.insert_files([Upload("0.txt", TEXT.encode())])
    assert (status.state, status.error, status.hint) == (
        DocumentState.FAILED,
        "The model is gone.",
        "Pull it again.",
    )
    assert rag.counts().chunks == 0
    assert len(gone.read) < 20, "a model that is gone is not asked three times for each chunk"
    gone._extractions.clear()
    rag.retry_document(status.id)
    settled(rag)
    assert everything(rag) == clean(make_rag, TEXT)


def test_chunks_that_fail_for_different_reasons_leave_a_document_to_search(make_rag: MakeRag) -> None:
    language = ScriptedLanguage(
        {"first": refuse(lambda: OSError("disk")), "second": refuse(lambda: ModelError("no"))}
    )
    rag = make_rag(language=language, **SMALL)
    (status,) = rag.insert_files(
        [
            Upload(
                "a.txt",
                b"The first one is long enough, so long that it has a chunk.\n\nThe second one is as long.",
            )
        ]
    )
    assert (status.state, status.failed_chunks) == (DocumentState.PROBLEMS, 2)
    assert rag.counts().chunks == 2


# Pause, resume, cancel


def test_a_paused_document_stays_paused_and_goes_on_where_it_was(make_rag: MakeRag) -> None:
    with stopped(make_rag) as (rag, language, id_):
        rag.pause_document(id_)
        assert status_of(rag, id_).state == DocumentState.PAUSED
        rag.close()
        again = ScriptedLanguage()
        rag = make_rag(language=again, **SMALL)
        assert status_of(rag, id_).state == DocumentState.PAUSED
        rag.insert("Others are read meanwhile.", ["1.txt"])
        assert status_of(rag, id_).state == DocumentState.PAUSED
        rag.resume_document(id_)
        settled(rag)
        assert not set(again.read) & set(language.read)
    assert everything(rag) == clean(make_rag, TEXT, "Others are read meanwhile.")


def test_a_paused_queue_rests_also_after_opening_it_again(make_rag: MakeRag) -> None:
    with stopped(make_rag) as (rag, _, id_):
        rag.pause_queue()
        assert status_of(rag, id_).state == DocumentState.QUEUED
        other = rag.submit_text("Port Ansel.", "1.txt")
        with pytest.raises(DocumentError, match="queue is paused"):
            rag.insert("Low Harrow.", ["2.txt"])
        rag.close()
        again = ScriptedLanguage()
        rag = make_rag(language=again, **SMALL)
        assert rag.queue_paused
        rag.delete_document(other.id)
        assert again.read == []
        assert status_of(rag, id_).state == DocumentState.QUEUED
        rag.resume_queue()
        settled(rag)
    assert not rag.queue_paused
    assert {status.state for status in rag.documents()} == {DocumentState.DONE}


def test_what_is_deleted_in_a_paused_queue_leaves_the_vectors(make_rag: MakeRag) -> None:
    rag = make_rag()
    (id_,) = rag.insert("Mara Quill met Tobias Renn.")
    rag.pause_queue()
    rag.delete_document(id_)
    assert all(len(store) == 0 for store in rag._workspace.vectors.values())


def test_a_cancelled_document_leaves_no_trace_and_can_be_added_again(make_rag: MakeRag) -> None:
    """A cancelled document used to stay in "processing" for ever, or block the others."""
    with stopped(make_rag) as (rag, language, id_):
        rag.cancel_document(id_)
        assert rag.documents() == []
        workspace = rag._workspace
        assert rag.counts().chunks == rag.counts().entities == 0
        assert not workspace.database.read("SELECT * FROM entity_records")
        assert not list(workspace.extractions._heads.keys())
        assert not list(workspace.work.keys())
        assert not list(workspace.files.iterdir())
        language.after = 100
        rag.insert("Others go on.", ["1.txt"])
        rag.insert(TEXT, ["0.txt"])
    assert everything(rag) == clean(make_rag, TEXT, "Others go on.")


def test_a_document_that_was_listed_before_stays_listed_when_it_is_cancelled(make_rag: MakeRag) -> None:
    language = ScriptedLanguage({"Guest": refuse(lambda: ModelError("The model refused."))})
    rag = make_rag(language=language, **SMALL)
    (failed,) = rag.insert_files([Upload("0.txt", TEXT.encode())])
    assert failed.state == DocumentState.FAILED
    for _ in range(2):
        rag.pause_queue()
        rag.retry_document(failed.id)
        rag.cancel_document(failed.id)
        assert status_of(rag, failed.id).state == DocumentState.CANCELLED
        assert rag.document_file(failed.id) == ("0.txt", TEXT.encode())
        rag.resume_queue()
    language._extractions.clear()
    rag.retry_document(failed.id)
    settled(rag)
    assert everything(rag) == clean(make_rag, TEXT)


def test_who_waits_for_a_document_is_told_that_it_was_cancelled(make_rag: MakeRag) -> None:
    language = Stopping()
    rag = make_rag(language=language, server_parallel=1, **SMALL)

    def cancel() -> None:
        assert language.reached.wait(20)
        rag.cancel_document(rag.documents()[0].id)

    beside = threading.Thread(target=cancel)
    beside.start()
    with pytest.raises(DocumentError, match=r"0\.txt is cancelled") as caught:
        rag.insert(TEXT, ["0.txt"])
    beside.join()
    assert "add it again" in caught.value.hint
    assert rag.documents() == []


# Stopped while its vectors are made


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


def test_what_is_done_cannot_be_paused_or_cancelled(rag: LightRAG) -> None:
    (id_,) = rag.insert("Mara Quill.", ["a.txt"])
    for action in (rag.pause_document, rag.cancel_document):
        with pytest.raises(DocumentError, match=r"a\.txt cannot be"):
            action(id_)
    assert status_of(rag, id_).state == DocumentState.DONE


@pytest.mark.parametrize(
    "name",
    [
        "delete_document", "retry_document", "reindex", "pause_document", "resume_document",
        "cancel_document", "document_file", "document_report",
    ],
)  # fmt: skip
def test_a_document_that_is_not_there_is_said(rag: LightRAG, name: str) -> None:
    with pytest.raises(DocumentError, match="There is no document doc-0"):
        getattr(rag, name)("doc-0")


def test_rows_that_an_older_version_wrote_can_be_read(make_rag: MakeRag) -> None:
    """It kept a line on the reading with the document, and notes in the report."""
    rag = make_rag()
    (id_,) = rag.insert("Mara Quill.", ["a.txt"])
    for store, more in (
        (rag._workspace.documents, {"report": "1 chunk read"}),
        (rag._workspace.reports, {"notes": []}),
    ):
        row = store.get(id_)
        assert row is not None
        kept = {name: value for name, value in row.items() if name not in ("repairs", "failed_chunks")}
        store.put_many({id_: {**kept, **more}})
    rag.close()
    again = make_rag()
    assert [status.state for status in again.documents()] == [DocumentState.DONE]
    assert again.document_report(id_).chunks_read == 1


# Reading again


def test_a_document_is_read_again_with_the_present_settings(make_rag: MakeRag) -> None:
    rag = make_rag()
    rag.insert(TEXT, ["0.txt"])
    assert rag.counts().chunks == 1
    rag.close()
    rag = make_rag(**SMALL)
    rag.reindex(rag.documents()[0].id)
    settled(rag)
    assert everything(rag) == clean(make_rag, TEXT)


def test_reading_again_changes_nothing_until_it_is_done(make_rag: MakeRag) -> None:
    rag = make_rag(**SMALL)
    (id_,) = rag.insert(TEXT, ["0.txt"])
    before, status = everything(rag), status_of(rag, id_)
    rag.close()
    slow = Stopping()
    slow.fingerprint = "scripted-2"
    rag = make_rag(language=slow, server_parallel=1, **SMALL)
    rag.reindex(id_)
    assert slow.reached.wait(20)
    assert status_of(rag, id_).state == DocumentState.EXTRACTING
    assert len(rag.document_chunks(id_)) == 10
    rag.cancel_document(id_)
    restored = status_of(rag, id_)
    assert (restored.state, restored.seconds) == (DocumentState.DONE, status.seconds)
    assert everything(rag) == before


def test_when_reading_again_fails_what_was_there_stays(make_rag: MakeRag) -> None:
    rag = make_rag(**SMALL)
    (id_,) = rag.insert(TEXT, ["0.txt"])
    before = everything(rag)
    rag.close()
    gone = ScriptedLanguage({"Guest": refuse(lambda: ModelError("The model is gone.", hint="Pull it."))})
    gone.fingerprint = "scripted-2"
    rag = make_rag(language=gone, **SMALL)
    rag.reindex(id_)
    settled(rag)
    status = status_of(rag, id_)
    assert status.state == DocumentState.PROBLEMS
    assert "stays as it was: The model is gone." in status.error
    assert everything(rag)["graph"] == before["graph"]


def test_the_original_file_is_kept_and_goes_with_the_document(rag: LightRAG) -> None:
    data = "Mara Quill – 雲嶺".encode("utf-16")
    (status,) = rag.insert_files([Upload("../notes.txt", data)])
    assert rag.document_file(status.id) == ("notes.txt", data)
    rag.delete_document(status.id)
    assert list(rag._workspace.files.iterdir()) == []


# Deleting


class AwayForSummaries(ScriptedLanguage):
    """Reads, but its server is away when a summary is needed, from a moment on."""

    away = False

    async def summarise(self, name: str, descriptions: Any, max_tokens: int) -> str:
        if self.away:
            raise ServerAwayError("The server is away.", hint="Start it.")
        return await super().summarise(name, descriptions, max_tokens)


def test_deleting_works_while_the_server_is_away_and_is_made_good_later(make_rag: MakeRag) -> None:
    texts = [f"Mara Quill met Guest{n} at the very long dinner number {n}." for n in range(9)]
    language = AwayForSummaries()
    rag = make_rag(language=language, entity_summary_max_tokens=40)
    ids = rag.insert(texts)
    language.away = True
    note = rag.delete_document(ids[3])
    assert "1 long description was shortened without it" in note
    description = rag.graph.nodes["mara quill"]["description"]
    assert not description.startswith("Mara Quill: ")
    assert "Guest3" not in description
    language.away = False
    rag.insert("Port Ansel.")
    found = everything(rag)
    other = make_rag("clean", entity_summary_max_tokens=40)
    other.insert([*texts[:3], *texts[4:], "Port Ansel."])
    assert found == everything(other)


def test_a_chunk_whose_reading_was_deleted_meanwhile_is_read_again(make_rag: MakeRag) -> None:
    """Deleting a document took the records of chunks with it that another one, under way, had found known."""
    language = Stopping(after=100)
    rag = make_rag(language=language, server_parallel=1, **SMALL)
    shared = "\n\n".join(SENTENCES[:3])
    # The same title, so that the chunks are read alike.
    (first,) = rag.insert(f"Annual report\n\n{shared}", ["a.txt"])
    language.after = len(language.read)
    second = rag.submit_text(f"Annual report\n\n{shared}\n\n{SENTENCES[5]}", "b.txt")
    assert language.reached.wait(20)
    rag.delete_document(first)
    language.after = 100
    settled(rag)
    found = everything(rag)
    other = make_rag("clean", **SMALL)
    other.insert(f"Annual report\n\n{shared}\n\n{SENTENCES[5]}", ["b.txt"])
    assert found == everything(other)
    assert second.id == other.documents()[0].id


# Several at once, times and events


def test_documents_are_read_at_once_and_calls_are_bounded_over_all(make_rag: MakeRag) -> None:
    class Counting(ScriptedLanguage):
        now = most = 0

        async def extract(self, chunk: Chunk, title: str) -> Extraction:
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0.005)
            self.now -= 1
            return await super().extract(chunk, title)

    language, at_once = Counting(), []
    rag = make_rag(language=language, documents_in_flight=3, server_parallel=2, **SMALL)

    def watch(event: IndexEvent) -> None:
        states = [status.state for status in rag.documents()]
        at_once.append(sum(state.working and state != DocumentState.EMBEDDING for state in states))

    texts = [TEXT.replace("Renn", house).encode() for house in ("Renn", "Vogt", "Pell", "Otto")]
    rag.insert_files([Upload(f"{n}.txt", text) for n, text in enumerate(texts)], on_event=watch)
    assert language.most == 2
    assert max(at_once) == 3


def test_two_documents_under_way_with_the_same_chunk_pay_for_it_once(make_rag: MakeRag) -> None:
    language = ScriptedLanguage()
    rag = make_rag(language=language, documents_in_flight=2, **SMALL)
    same = "\n\n".join(SENTENCES[:4])
    rag.insert([f"Annual report\n\n{same}", f"Annual report\n\n{same}\n\nEnd."], ["a.txt", "b.txt"])
    assert len(language.read) == len(set(language.read))


def test_the_report_adds_up(make_rag: MakeRag) -> None:
    rag = make_rag(**SMALL)
    (id_,) = rag.insert(TEXT, ["0.txt"])
    report, status = rag.document_report(id_), status_of(rag, id_)
    assert (report.language_model, report.chunks_read, report.chunks_reused) == ("scripted", 10, 0)
    stages = (
        report.read_seconds, report.chunk_seconds, report.extract_seconds, report.merge_seconds,
        report.embed_seconds,
    )  # fmt: skip
    assert min(stages) > 0
    assert sum(stages) == pytest.approx(status.seconds)


def test_waiting_and_rest_do_not_count_as_work(make_rag: MakeRag, tmp_path: Path) -> None:
    with stopped(make_rag) as (rag, language, id_):
        rag.pause_document(id_)
        worked = status_of(rag, id_).seconds
        time.sleep(0.3)
        language.after = 0
        rag.resume_document(id_)
        language.reached.clear()
        assert language.reached.wait(20)
        assert status_of(rag, id_).seconds - worked < 0.3


def test_the_model_is_asked_again_when_a_person_wants_it(make_rag: MakeRag) -> None:
    """Under the same model a document could not be read again: what it had said was taken as it was."""
    language = ScriptedLanguage()
    rag = make_rag(language=language, **SMALL)
    (id_,) = rag.insert(TEXT, ["0.txt"])
    before, read = everything(rag), len(language.read)
    rag.reindex(id_)
    settled(rag)
    assert len(language.read) == read
    rag.reindex(id_, ask_again=True)
    settled(rag)
    assert sorted(language.read[read:]) == sorted(language.read[:read])
    report = rag.document_report(id_)
    assert (report.chunks_read, report.chunks_reused) == (read, 0)
    held = ("graph", "chunks", "vectors", "texts")
    assert [everything(rag)[name] for name in held] == [before[name] for name in held]
    assert len(rag._workspace.extractions._heads) == read, "the old readings are gone"
    assert rag.check().problems == ()


def test_asking_again_can_be_cancelled_and_goes_on_after_a_pause(make_rag: MakeRag) -> None:
    language = Stopping(after=100)
    rag = make_rag(language=language, server_parallel=1, **SMALL)
    (id_,) = rag.insert(TEXT, ["0.txt"])
    before, read = everything(rag), len(language.read)
    for course in (rag.cancel_document, rag.pause_document):
        language.after = len(language.read) + 3
        language.reached.clear()
        rag.reindex(id_, ask_again=True)
        assert language.reached.wait(20)
        course(id_)
        held = everything(rag)
        # What was read before a pause is kept, without effect so far.
        but = {} if course == rag.cancel_document else {"extractions": before["extractions"]}
        assert held | but == before
    language.after = 1000
    began = len(language.read)
    rag.resume_document(id_)
    settled(rag)
    assert len(language.read) - began == read - 3, "what was answered before the pause is kept"


def test_every_step_is_told(make_rag: MakeRag) -> None:
    states: list[DocumentState] = []
    make_rag(**SMALL).insert_files(
        [Upload("a.txt", TEXT.encode())], on_event=lambda event: states.append(event.status.state)
    )
    assert list(dict.fromkeys(states)) == [
        DocumentState.QUEUED,
        DocumentState.READING,
        DocumentState.CHUNKING,
        DocumentState.EXTRACTING,
        DocumentState.MERGING,
        DocumentState.EMBEDDING,
        DocumentState.DONE,
    ]


def test_a_file_that_an_earlier_version_had_not_read_is_taken_over(tmp_path: Path) -> None:
    def opened() -> LightRAG:
        return LightRAG(
            "w", Settings(data_dir=tmp_path), language=ScriptedLanguage(), embedding=HashEmbedding()
        )

    with opened() as rag:
        rag.pause_queue()
        status = rag.submit_text("Mara Quill.", "a.txt")
        folder = rag._workspace.folder
    (folder / "files").rename(folder / "inbox")
    with opened() as rag:
        rag.resume_queue()
        (done,) = rag.wait_for_documents([status.id])
        assert done.state == DocumentState.DONE
    assert not (folder / "inbox").exists()
