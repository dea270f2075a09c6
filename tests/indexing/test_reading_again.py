"""Documents read again, deleted, taken over; what is done at once, and what is told of it."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeRag
from courses import SENTENCES, SMALL, TEXT, Stopping, clean, refuse, settled, status_of, stopped
from doubles import HashEmbedding, ScriptedLanguage
from holdings import everything

from lightrag_engine import DocumentState, LightRAG, ModelError, Settings, Upload
from lightrag_engine.errors import ServerAwayError
from lightrag_engine.records import Chunk, Extraction, IndexEvent


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
