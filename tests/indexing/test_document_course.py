"""A document on its way: one bad chunk, pause, resume, cancel, retry."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import MakeRag
from courses import SENTENCES, SMALL, TEXT, Stopping, clean, refuse, settled, status_of, stopped
from doubles import ScriptedLanguage
from holdings import everything

from lightrag_engine import DocumentError, DocumentState, LightRAG, ModelError, Settings, Upload
from lightrag_engine.records import Chunk, Extraction

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
