"""Nothing lost, nothing stale, nothing twice: a workspace depends only on the documents in it."""

from __future__ import annotations

import asyncio
import tempfile
import threading
import time
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import pytest
from conftest import MakeRag
from doubles import HashEmbedding, ScriptedLanguage
from holdings import everything
from hypothesis import given, settings
from hypothesis import strategies as st

from lightrag_engine import DocumentState, LightRAG, QueryParam, Settings, Upload
from lightrag_engine.indexing.vector_texts import all_vectors
from lightrag_engine.records import Chunk, EntityRecord, Extraction, RelationRecord

NAMES = ["Mara Quill", "Tobias Renn", "Port Ansel", "PORT ANSEL", "Low Harrow", "Ilse Vogt"]
SENTENCES = st.builds(
    lambda a, verb, b: f"{a} {verb} {b}.",
    st.sampled_from(NAMES),
    st.sampled_from(["met", "left", "built"]),
    st.sampled_from(NAMES),
)
TEXTS = st.lists(SENTENCES, min_size=1, max_size=6).map(" ".join)


def open_rag(folder: str | Path, **options: object) -> LightRAG:
    return LightRAG(
        "w",
        Settings(data_dir=folder, chunk_token_size=24, chunk_overlap_token_size=4, **options),
        language=ScriptedLanguage(),
        embedding=HashEmbedding(),
    )


def indexed(texts: Iterable[str], delete: Iterable[str] = ()) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder, open_rag(folder) as rag:
        for text in texts:
            rag.insert(text)
        for text in delete:
            rag.delete_document(rag.insert(text)[0])
        return everything(rag)


@settings(max_examples=12)
@given(texts=st.lists(TEXTS, min_size=2, max_size=4, unique=True), data=st.data())
def test_the_order_of_arrival_does_not_matter(texts: list[str], data: st.DataObject) -> None:
    assert indexed(data.draw(st.permutations(texts))) == indexed(texts)


@settings(max_examples=12)
@given(texts=st.lists(TEXTS, min_size=1, max_size=3, unique=True), extra=TEXTS)
def test_deleting_equals_never_having_added(texts: list[str], extra: str) -> None:
    if extra not in texts:
        assert indexed(texts, delete=[extra]) == indexed(texts)


def test_adding_together_equals_adding_one_by_one(make_rag: MakeRag) -> None:
    texts = ["Mara Quill met Tobias Renn.", "Tobias Renn left Port Ansel.", "Mara Quill built Port Ansel."]
    together, single = make_rag("together"), make_rag("single")
    together.insert(texts)
    for text in texts:
        single.insert(text)
    assert everything(together) == everything(single)


def test_the_same_content_under_two_names_is_one_document(make_rag: MakeRag) -> None:
    language = ScriptedLanguage()
    rag = make_rag(language=language)
    data = b"Mara Quill met Tobias Renn."
    rag.insert_files([Upload("a.txt", data)])
    (again,) = rag.insert_files([Upload("b.txt", data)])
    assert again.names == ("a.txt", "b.txt")
    assert len(rag.documents()) == 1
    assert len(language.read) == 1


def test_two_different_files_of_one_name_are_both_kept(rag: LightRAG) -> None:
    rag.insert_files([Upload("readme.md", b"Ada Pell leads."), Upload("readme.md", b"Bram Otto leads.")])
    assert {d.name for d in rag.documents()} == {"readme.md", "readme.md (2)"}
    assert {"ada pell", "bram otto"} <= set(rag.graph.nodes)


def test_a_paragraph_that_occurs_many_times_is_indexed_once(make_rag: MakeRag) -> None:
    rag = make_rag(chunk_token_size=8, chunk_overlap_token_size=0)
    (status,) = rag.insert_files([Upload("a.txt", b"Mara Quill met Tobias Renn today. \n\n" * 6)])
    assert status.state == DocumentState.DONE
    assert rag.graph.edges["mara quill", "tobias renn"]["weight"] == 1.0
    rag.delete_document(status.id)
    assert rag.counts().chunks == 0
    assert all(len(store) == 0 for store in rag._workspace.vectors.values())


def test_an_entity_that_comes_back_has_only_its_new_sources(rag: LightRAG) -> None:
    rag.delete_document(rag.insert("Mara Quill met Tobias Renn.")[0])
    rag.insert("Mara Quill retired.")
    (chunk_id,) = rag._workspace.chunks.keys()
    assert rag.graph.nodes["mara quill"]["source_ids"] == (chunk_id,)


def test_one_document_that_fails_does_not_touch_the_others(make_rag: MakeRag) -> None:
    def explode(chunk: Chunk) -> Extraction:
        raise ZeroDivisionError("bad luck")

    rag = make_rag(language=ScriptedLanguage({"explode": explode}))
    statuses = rag.insert_files(
        [
            Upload("a.txt", b"Mara Quill."),
            Upload("b.txt", b"This will explode."),
            Upload("c.txt", b"Port Ansel."),
        ]
    )
    assert [s.state for s in statuses] == [DocumentState.DONE, DocumentState.FAILED, DocumentState.DONE]
    assert "ZeroDivisionError: bad luck" in statuses[1].error
    assert statuses[1].hint


def test_a_retry_pays_only_for_what_was_not_answered(make_rag: MakeRag) -> None:
    broken = True

    def flaky(chunk: Chunk) -> Extraction:
        if broken:
            raise OSError("server away")
        return Extraction(chunk.id)

    language = ScriptedLanguage({"Third": flaky})
    rag = make_rag(language=language, chunk_token_size=4, chunk_overlap_token_size=0, server_parallel=1)
    (status,) = rag.insert_files([Upload("a.txt", b"First one here.\n\nSecond one here.\n\nThird one here.")])
    assert status.state == DocumentState.PROBLEMS
    broken, before = False, len(language.read)
    rag.retry_document(status.id)
    (status,) = rag.wait_for_documents([status.id])
    assert status.state == DocumentState.DONE
    assert language.read[before:] == ["Third one here."]


def test_what_was_under_way_goes_on_when_the_workspace_is_opened_again(tmp_path: Path) -> None:
    started = threading.Event()

    class Slow(ScriptedLanguage):
        async def extract(self, chunk: Chunk, title: str) -> Extraction:
            if len(self.read) == 1:
                started.set()
                await asyncio.sleep(60)
            return await super().extract(chunk, title)

    options = {"chunk_token_size": 8, "chunk_overlap_token_size": 0, "server_parallel": 1}
    text = "Mara Quill met Tobias Renn.\n\nIlse Vogt left Low Harrow.\n\nPort Ansel is far away."
    slow = Slow()
    with LightRAG(
        "w", Settings(data_dir=tmp_path, **options), language=slow, embedding=HashEmbedding()
    ) as rag:
        rag.submit_text(text, "a.txt")
        assert started.wait(20)
    language = ScriptedLanguage()
    with LightRAG(
        "w", Settings(data_dir=tmp_path, **options), language=language, embedding=HashEmbedding()
    ) as rag:
        rag.insert("Nothing new.")
        resumed = everything(rag)
        assert all(s.state == DocumentState.DONE for s in rag.documents())
        assert not set(slow.read) & set(language.read), "an answered call is not paid twice"
    with (
        tempfile.TemporaryDirectory() as folder,
        LightRAG(
            "w", Settings(data_dir=folder, **options), language=ScriptedLanguage(), embedding=HashEmbedding()
        ) as rag,
    ):
        rag.insert([text, "Nothing new."], ["a.txt"])
        assert resumed == everything(rag)


def test_deleting_a_document_under_way_leaves_no_trace(make_rag: MakeRag) -> None:
    language = ScriptedLanguage()
    rag = make_rag(language=language)
    reading = threading.Event()

    class Gate:
        async def wait(self) -> None:
            reading.set()
            await asyncio.sleep(60)

    language.gate = Gate()  # type: ignore[assignment]
    status = rag.submit_text("Mara Quill met Tobias Renn.")
    assert reading.wait(20)
    rag.delete_document(status.id)
    language.gate = None
    assert rag.documents() == []
    rag.insert("Port Ansel.")
    assert set(rag.graph.nodes) == {"port ansel"}


def test_a_long_description_is_summarised_and_order_still_does_not_matter() -> None:
    texts = [f"Mara Quill met Guest{n} at the very long dinner number {n}." for n in range(12)]

    def build(order: Iterable[str]) -> dict[str, object]:
        with tempfile.TemporaryDirectory() as folder, open_rag(folder, entity_summary_max_tokens=40) as rag:
            rag.insert(list(order))
            assert rag.graph.nodes["mara quill"]["description"].startswith("Mara Quill: ")
            return everything(rag)

    assert build(texts) == build(reversed(texts))


def test_a_renamed_entity_renews_the_vectors_of_its_relations(rag: LightRAG) -> None:
    rag.insert("PORT ANSEL met Tobias Renn.")
    rag.insert(["Port Ansel grew.", "Port Ansel slept."])
    while len(rag._workspace.outbox):
        time.sleep(0.01)
    (relation,) = all_vectors(rag._workspace)["relations"]
    assert "Port Ansel" in relation.text
    assert rag._workspace.vectors["relations"].text_hashes() == {relation.id: relation.text_hash}


def test_self_loops_and_nameless_records_never_reach_the_graph(make_rag: MakeRag) -> None:
    def odd(chunk: Chunk) -> Extraction:
        return Extraction(
            chunk.id,
            (
                EntityRecord('""', "person", "d", chunk.id),
                EntityRecord("Mara Quill", "person", "d", chunk.id),
            ),
            (
                RelationRecord("Mara Quill", "the MARA  quill", "same", (), 9, chunk.id),
                RelationRecord("Mara Quill", " ", "none", (), 9, chunk.id),
            ),
        )

    rag = make_rag(language=ScriptedLanguage({"odd": odd}))
    rag.insert("odd")
    assert set(rag.graph.nodes) == {"mara quill"}
    assert rag.graph.number_of_edges() == 0


@pytest.mark.parametrize("form", ["Zoe\u0308 A\u030angstro\u0308m", "Zoë Ångström", "Ｚｏë Ångström"])
def test_spellings_that_look_the_same_are_one_node(rag: LightRAG, form: str) -> None:
    rag.insert(["Zoë Ångström left.", f"{form} came."])
    assert len(rag.graph) == 1


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_question_in_another_unicode_form_finds_the_entity(
    rag: LightRAG, form: Literal["NFC", "NFD"]
) -> None:
    """What was typed on one system was not found by what was typed on another."""
    rag.insert(["Zoë left.", "Ilse Vogt sailed. Tobias Renn stayed."])
    question = unicodedata.normalize(form, "What about Zoë?")
    answer = rag.query(question, QueryParam(mode="local", top_k=1))
    assert [row.key for row in answer.context.entity_rows] == ["zoë"]


def test_a_question_in_wide_letters_finds_what_is_written_in_plain_ones(rag: LightRAG) -> None:
    """What an East Asian keyboard typed wide was no name, and answered with "I cannot answer this"."""
    rag.insert(["Auditoria Norte left.", "Ilse Vogt sailed. Tobias Renn stayed."])
    wide = "".join(chr(ord(c) + 0xFEE0) if c != " " else c for c in "Auditoria Norte")
    answer = rag.query(f"What about {wide}\uff1f", QueryParam(mode="local", top_k=1))
    assert [row.key for row in answer.context.entity_rows] == ["auditoria norte"]


@settings(max_examples=12)
@given(texts=st.lists(TEXTS, min_size=3, max_size=5, unique=True), data=st.data(), size=st.integers(1, 3))
def test_a_sample_of_the_records_depends_on_the_documents_alone(
    texts: list[str], data: st.DataObject, size: int
) -> None:
    def build(ordered: Iterable[str], delete: Iterable[str] = ()) -> dict[str, object]:
        with tempfile.TemporaryDirectory() as folder, open_rag(folder, merge_sample_size=size) as rag:
            rag.insert(list(ordered))
            for text in delete:
                rag.delete_document(rag.insert(text)[0])
            return everything(rag)

    *kept, extra = texts
    assert build([*data.draw(st.permutations(kept))], delete=[extra]) == build(kept)


def test_of_a_hub_a_sample_is_merged_and_the_weight_counts_all(make_rag: MakeRag) -> None:
    rag = make_rag(merge_sample_size=3)
    rag.insert([f"Mara Quill met Tobias Renn on day {n}." for n in range(8)])
    mara, edge = rag.entity("mara quill"), rag.graph.edges["mara quill", "tobias renn"]
    assert mara is not None
    assert (mara.weight, mara.left_out, len(mara.source_ids)) == (8.0, 5, 3)
    assert len(mara.description.splitlines()) == 3
    assert (edge["weight"], edge["left_out"], len(edge["source_ids"])) == (8.0, 5, 3)
    chunks = [rag.document_chunks(status.id)[0].id for status in rag.documents()]
    assert all("mara quill" in {e.key for e in rag.entities_of_chunk(id_)} for id_ in chunks)


def test_a_summary_is_written_once_for_what_stays_the_same(make_rag: MakeRag) -> None:
    language = ScriptedLanguage()
    rag = make_rag(language=language, merge_sample_size=2, entity_summary_max_tokens=20)
    ids = rag.insert([f"Mara Quill waited for a very long time on day number {n}." for n in range(6)])
    mara = rag.entity("mara quill")
    assert mara is not None
    language.summarised.clear()
    outside = [id_ for id_ in ids if rag.document_chunks(id_)[0].id not in mara.source_ids]
    rag.delete_document(outside[0])
    after = rag.entity("mara quill")
    assert after is not None
    assert (after.weight, after.description) == (5.0, mara.description)
    assert language.summarised == []
    rag.delete_document(next(id_ for id_ in ids if id_ not in outside))
    assert language.summarised == ["Mara Quill"]
