"""The public API, with real storages and scripted models."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from conftest import MakeRag
from doubles import HashEmbedding, ScriptedLanguage
from fpdf import FPDF

import lightrag_engine
from lightrag_engine import (
    MODES,
    DocumentError,
    DocumentState,
    Keywords,
    LightRAG,
    Message,
    QueryError,
    QueryParam,
    Settings,
    SettingsError,
    Upload,
)
from lightrag_engine.answering import find_citations
from lightrag_engine.language.base import CANNOT_ANSWER
from lightrag_engine.records import Chunk, EntityRecord, Extraction, RelationRecord
from lightrag_engine.retrieval.tables import cited_pages
from lightrag_engine.streaming import AnswerStream
from lightrag_engine.tokens import count

TEXT = (
    "Mara Quill founded the Brindle Valley Ferry. Tobias Renn met Mara Quill. "
    "Port Ansel is far from Low Harrow."
)


@pytest.fixture
def filled(rag: LightRAG) -> LightRAG:
    rag.insert(TEXT, ["ferry.txt"])
    return rag


def test_the_public_names_are_these() -> None:
    assert set(lightrag_engine.__all__) == {
        "MODES",
        "Answer",
        "AnswerStream",
        "CheckReport",
        "Comparison",
        "Counts",
        "DocumentError",
        "DocumentReport",
        "DocumentState",
        "DocumentStatus",
        "Duplicate",
        "Edit",
        "EditError",
        "EditKind",
        "Keywords",
        "LightRAG",
        "LightRAGError",
        "Message",
        "ModelChoice",
        "ModelError",
        "NameConflict",
        "Problem",
        "ProblemKind",
        "QueryError",
        "QueryParam",
        "Question",
        "Settings",
        "SettingsError",
        "Upload",
        "Variant",
        "WorkspaceError",
        "WorkspaceInfo",
        "Workspaces",
    }


def test_insert_returns_ids_of_documents_that_can_be_read_back(filled: LightRAG) -> None:
    (status,) = filled.documents()
    assert (status.name, status.state, status.chunks) == ("ferry.txt", DocumentState.DONE, 1)
    assert filled.document_text(status.id) == TEXT
    (chunk,) = filled.document_chunks(status.id)
    assert TEXT[chunk.start : chunk.end] == chunk.content == TEXT
    assert filled.insert([TEXT, "Ada Pell."]) == [status.id, filled.documents()[0].id]
    assert filled.counts().documents == 2


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_answers_with_its_tables(filled: LightRAG, mode: str) -> None:
    answer = filled.query("who founded things with Mara Quill?", QueryParam(mode=mode))
    assert str(answer) == answer.text
    assert answer.text.endswith("[1]")
    assert [c.number for c in answer.citations] == [1]
    assert answer.citations[0].document == "ferry.txt"
    assert (len(answer.context.entities) > 0) == (mode != "naive")
    assert (len(answer.context.relations) > 0) == (mode != "naive")
    assert len(answer.context.sources) == 1
    assert set(answer.timings) == {"keywords", "retrieval", "first_text", "answer"}
    assert answer.prompt_tokens <= QueryParam().max_token_for_prompt


def test_an_unknown_mode_is_refused_with_the_valid_ones() -> None:
    with pytest.raises(ValueError, match="naive, local, global, hybrid, mix"):
        QueryParam(mode="bypass")
    with pytest.raises(ValueError, match="top_k must be a whole number of at least 1"):
        QueryParam(top_k=0)


def test_naive_mode_needs_no_keywords(make_rag: MakeRag) -> None:
    class NoKeywords(ScriptedLanguage):
        async def keywords(self, question: str, history: object = ()) -> Keywords:
            raise AssertionError("not needed")

    rag = make_rag(language=NoKeywords())
    rag.insert(TEXT)
    assert rag.query("ferry", QueryParam(mode="naive")).citations


@pytest.mark.parametrize("mode", MODES)
def test_nothing_found_is_the_fixed_reply_without_a_call(make_rag: MakeRag, mode: str) -> None:
    language = ScriptedLanguage()
    answer = make_rag(language=language).query("Who is Mara Quill and whatever?", QueryParam(mode=mode))
    assert answer.text == CANNOT_ANSWER
    assert language.answered == []
    assert answer.citations == ()


@pytest.mark.parametrize(("mode", "question"), [("local", "who founded that?"), ("global", "Mara Quill?")])
def test_without_keywords_of_its_level_a_mode_cannot_answer(
    filled: LightRAG, mode: str, question: str
) -> None:
    answer = filled.query(question, QueryParam(mode=mode))
    assert answer.text == CANNOT_ANSWER
    assert answer.notes


def test_given_keywords_are_used_instead_of_found_ones(filled: LightRAG) -> None:
    param = QueryParam(mode="local", keywords=Keywords(low_level=("Port Ansel",)), top_k=1)
    answer = filled.query("whatever?", param)
    assert list(answer.context.entities["entity"]) == ["Port Ansel"]
    assert answer.keywords.low_level == ("Port Ansel",)


def test_context_and_prompt_alone_call_no_model(make_rag: MakeRag) -> None:
    language = ScriptedLanguage()
    rag = make_rag(language=language)
    rag.insert(TEXT)
    question = "Mara Quill and {context} or {question} {0}?"
    context = rag.query(question, QueryParam(only_need_context=True))
    prompt = rag.query(question, QueryParam(only_need_prompt=True, response_type="Bullet Points"))
    assert context.text == context.context.to_csv()
    assert context.text in prompt.text
    assert question in prompt.text, "braces of a question reach the model unchanged"
    assert "Bullet Points" in prompt.text
    assert language.answered == []


def test_a_question_is_never_cut_and_one_without_room_is_refused(filled: LightRAG) -> None:
    long = "Mara Quill " + "why " * 4000
    answer = filled.query(long, QueryParam(only_need_prompt=True))
    assert long.strip() in answer.text
    assert count(answer.text) <= 6000
    with pytest.raises(QueryError, match="no room for the documents") as caught:
        filled.query("why " * 30_000)
    assert "Shorten" in caught.value.hint
    with pytest.raises(QueryError, match="empty"):
        filled.query("  \n")


def test_many_rows_stay_within_the_prompt(make_rag: MakeRag) -> None:
    rag = make_rag(chunk_token_size=60, chunk_overlap_token_size=0)
    rag.insert("\n\n".join(f"Guest{n} met Mara Quill at the long table of number {n}." for n in range(150)))
    answer = rag.query(
        "What about Mara Quill there?", QueryParam(mode="mix", top_k=200, only_need_prompt=True)
    )
    assert count(answer.text) == answer.prompt_tokens <= 6000
    context = answer.context
    assert context.found_relations > len(context.relations)
    assert context.to_csv() in answer.text, "the tables shown are the tables sent"


def test_a_conversation_stands_in_the_prompt_and_its_oldest_turns_give_way(filled: LightRAG) -> None:
    history = (Message("user", "old " * 3000), Message("assistant", "Tobias answered"))
    answer = filled.query("Mara Quill?", QueryParam(conversation_history=history, only_need_prompt=True))
    assert "Tobias answered" in answer.text
    assert "old old" not in answer.text


def test_a_stream_knows_its_context_before_its_text_and_keeps_what_came(filled: LightRAG) -> None:
    stream = filled.stream("Mara Quill and others?")
    prepared = stream.prepare()
    assert stream.context is prepared.context
    assert stream.keywords.low_level == ("Mara Quill",)
    pieces = iter(stream)
    first = next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    assert stream.answer.text == first
    assert "".join(filled.stream("Mara Quill and others?")).endswith("[1]")


def test_a_query_that_asks_for_a_stream_gets_one(filled: LightRAG) -> None:
    whole = filled.query("Mara Quill and others?")
    stream = filled.query("Mara Quill and others?", QueryParam(stream=True))
    assert isinstance(stream, AnswerStream)
    pieces = list(stream)
    assert len(pieces) > 1
    assert "".join(pieces) == whole.text == stream.answer.text

    async def read() -> list[str]:
        stream = await filled.aquery("Mara Quill and others?", QueryParam(stream=True))
        assert isinstance(stream, AnswerStream)
        return [piece async for piece in stream]

    assert asyncio.run(read()) == pieces


def test_the_asynchronous_twins_work_in_a_loop_of_their_own(make_rag: MakeRag) -> None:
    rag = make_rag()

    async def story() -> str:
        (id_,) = await rag.ainsert(TEXT)
        answer = await rag.aquery("Mara Quill?")
        streamed = "".join([piece async for piece in rag.astream("Mara Quill?")])
        assert streamed == answer.text
        await rag.ainsert_files([Upload("b.txt", b"Ada Pell.")])
        await rag.adelete_document(id_)
        return streamed

    assert "[1]" in asyncio.run(story())
    assert [d.name for d in rag.documents()] == ["b.txt"]


def test_dangling_hits_are_skipped_and_counted(filled: LightRAG) -> None:
    workspace = filled._workspace
    (chunk_id,) = workspace.chunks.keys()
    workspace.chunks.delete_many([chunk_id])
    for mode in MODES:
        answer = filled.query("with Mara Quill there?", QueryParam(mode=mode))
        assert any("skipped" in note for note in answer.notes), mode
        assert len(answer.context.sources) == 0


def test_entities_without_relations_still_answer(make_rag: MakeRag) -> None:
    def alone(chunk: Chunk) -> Extraction:
        return Extraction(chunk.id, (EntityRecord("Mara Quill", "person", "Founder", chunk.id),))

    rag = make_rag(language=ScriptedLanguage({"": alone}))
    rag.insert("Mara Quill lives.")
    question = "What about Mara Quill there?"
    assert rag.query(question, QueryParam(mode="hybrid")).citations
    answer = rag.query(question, QueryParam(mode="global"))
    assert answer.text == CANNOT_ANSWER
    assert any("no relations" in note for note in answer.notes)


def test_an_answer_after_a_change_is_computed_from_the_new_documents(filled: LightRAG) -> None:
    question = "Who is Ilse Vogt?"
    before = filled.query(question, QueryParam(mode="local"))
    (id_,) = filled.insert("Ilse Vogt is chief engineer.")
    after = filled.query(question, QueryParam(mode="local", top_k=1))
    assert "Ilse Vogt" in after.text
    assert before.text != after.text
    filled.delete_document(id_)
    assert "Ilse Vogt" not in filled.query(question, QueryParam(mode="local", top_k=1)).text


def test_entities_are_found_by_any_spelling_and_passages_know_their_place(filled: LightRAG) -> None:
    assert [e.name for e in filled.search_entities("mara")] == ["Mara Quill"]
    assert [e.name for e in filled.search_entities("  the BRINDLE valley ferry")] == ["Brindle Valley Ferry"]
    assert filled.search_entities("renn")[0].key == "tobias renn"
    assert filled.search_entities("") == filled.search_entities("nobody") == []
    (passage,) = filled.passages(filled.graph.nodes["mara quill"]["source_ids"])
    assert (passage.document, passage.content, passage.page) == ("ferry.txt", TEXT, "")


def test_text_that_cannot_be_used_is_refused_and_the_rest_indexed(rag: LightRAG) -> None:
    with pytest.raises(DocumentError):
        rag.insert(["  ", TEXT])
    assert {d.state for d in rag.documents()} == {DocumentState.FAILED, DocumentState.DONE}


def test_a_file_that_is_not_there_is_reported_the_others_are_indexed(rag: LightRAG, tmp_path: Path) -> None:
    good = tmp_path / "good.txt"
    good.write_text(TEXT, encoding="utf-8")
    statuses = rag.insert_files([tmp_path / "missing.txt", good])
    assert [s.state for s in statuses] == [DocumentState.FAILED, DocumentState.DONE]
    assert "missing.txt cannot be opened" in statuses[0].error


def test_events_tell_every_step_in_order(rag: LightRAG) -> None:
    seen: list[DocumentState] = []
    rag.insert_files([Upload("a.txt", TEXT.encode())], on_event=lambda e: seen.append(e.status.state))
    steps = list(dict.fromkeys(seen))
    assert steps == ["queued", "reading", "chunking", "extracting", "merging", "embedding", "done"]


def test_hostile_text_is_stored_and_deleted(rag: LightRAG) -> None:
    rag.insert(
        "Ferry \udc9a log of Mara Quill \x00 and <|endoftext|> {tuple_delimiter}", ["bad\udc9a name.txt"]
    )
    rag.insert(TEXT)
    for status in rag.documents():
        str(status).encode()
        rag.delete_document(status.id)
    assert rag.counts().entities == 0


def test_another_embedding_model_is_refused_and_nothing_changed(make_rag: MakeRag, tmp_path: Path) -> None:
    rag = make_rag("w")
    rag.insert(TEXT)
    rag.close()
    with pytest.raises(lightrag_engine.WorkspaceError, match="hash"):
        make_rag("w", embedding=HashEmbedding("other", 16))
    assert make_rag("w").query("Mara Quill?").citations


def test_models_of_ones_own_are_named(rag: LightRAG) -> None:
    assert (rag.models().language, rag.models().embedding) == ("scripted", "hash")


def test_a_model_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="language_model cannot be 'nonsense'"):
        LightRAG("w", Settings(data_dir=tmp_path, language_model="nonsense"))


def test_a_citation_names_the_page_of_its_sentence_not_of_the_whole_chunk(rag: LightRAG) -> None:
    pdf = FPDF()
    for number in range(1, 4):
        pdf.add_page()
        pdf.set_font("Helvetica", size=12)
        pdf.multi_cell(0, 8, f"Guest{number} met Mara Quill on a day in the year {1900 + number}.")
    rag.insert_files([Upload("three.pdf", bytes(pdf.output()))])
    (source,) = rag.query("Mara Quill?").context.source_rows
    assert source.page == "1-3"
    sentence = "Guest2 met Mara Quill on a day in the year 1902."
    (citation,), _ = find_citations(f"{sentence} [1]", (source,))
    assert citation.sentences == (sentence,)
    assert cited_pages(rag._workspace, citation) == "2"


@pytest.mark.parametrize("name", ['Mara "Quickhand" Quill', 'unit R-7/"B"', "O'Neil", "AT&T", "C++", ".NET"])
def test_a_name_with_marks_is_found_and_shown_the_same_everywhere(make_rag: MakeRag, name: str) -> None:
    def tricky(chunk: Chunk) -> Extraction:
        return Extraction(chunk.id, (EntityRecord(f'"{name}"', "person", f"{name} is here.", chunk.id),))

    rag = make_rag(language=ScriptedLanguage({"": tricky}))
    rag.insert(f"{name} is here.")
    param = QueryParam(mode="local", keywords=Keywords(low_level=(name,)))
    answer = rag.query("who is that?", param)
    assert list(answer.context.entities["entity"]) == [name]
    assert rag.search_entities(name)[0].name == name
    assert [node["name"] for _, node in rag.graph.nodes(data=True)] == [name]
    assert name in answer.text


def test_an_end_that_only_a_relation_names_has_a_vector(make_rag: MakeRag) -> None:
    def trained(chunk: Chunk) -> Extraction:
        relation = RelationRecord(
            "Mara Quill", "Ilse Vogt", "Quill trained Vogt", ("training",), 5.0, chunk.id
        )
        return Extraction(chunk.id, (), (relation,))

    rag = make_rag(language=ScriptedLanguage({"": trained}))
    rag.insert("Quill trained Vogt.")
    param = QueryParam(mode="local", keywords=Keywords(low_level=("Ilse Vogt",)), top_k=1)
    assert list(rag.query("who?", param).context.entities["entity"]) == ["Ilse Vogt"]


def test_a_model_with_a_short_context_shrinks_the_prompt(make_rag: MakeRag) -> None:
    language = ScriptedLanguage()
    language.max_prompt_tokens = 900
    rag = make_rag(language=language, chunk_token_size=60, chunk_overlap_token_size=0)
    rag.insert("\n\n".join(f"Guest{n} met Mara Quill at the long table of number {n}." for n in range(60)))
    answer = rag.query("What about Mara Quill there?", QueryParam(mode="mix", only_need_prompt=True))
    assert count(answer.text) == answer.prompt_tokens <= 900
    assert len(answer.context.sources) > 0
