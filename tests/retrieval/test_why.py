"""Sources say why they are there, in every mode, over real storages."""

from __future__ import annotations

import pytest

from lightrag_engine import Keywords, LightRAG, QueryParam
from lightrag_engine.records import Reason
from lightrag_engine.retrieval.retriever import with_names

TEXTS = {
    "Billy Elliot (film).txt": "Billy Elliot is a film. Stephen Warbeck wrote the music.",
    "Stephen Warbeck.txt": "He was born in Southampton. Stephen Warbeck studied in Bristol.",
    "Tides.txt": "The tide at Low Harrow turns at noon.",
}


@pytest.fixture
def films(rag: LightRAG) -> LightRAG:
    rag.insert(list(TEXTS.values()), list(TEXTS))
    return rag


def ask(
    rag: LightRAG, mode: str, question: str = "Who wrote music for Billy Elliot?"
) -> dict[str, list[str]]:
    context = rag.query(question, QueryParam(mode=mode, only_need_context=True)).context
    return {row.document: [str(reason) for reason in row.why] for row in context.source_rows}


def test_mix_leads_from_the_named_document_to_the_one_it_names(films: LightRAG) -> None:
    found = ask(films, "mix")
    assert list(found)[:2] == ["Billy Elliot (film).txt", "Stephen Warbeck.txt"]
    assert found["Billy Elliot (film).txt"][0] == "named: Billy Elliot"
    assert "words" in found["Billy Elliot (film).txt"]
    assert found["Stephen Warbeck.txt"][0] == "path: Billy Elliot → Stephen Warbeck"


def test_a_title_that_its_text_never_writes_finds_it_without_becoming_an_entity(films: LightRAG) -> None:
    assert ask(films, "mix", "What of Tides?")["Tides.txt"][0] == "named: Tides"
    assert films.entity("tides") is None


@pytest.mark.parametrize(
    ("mode", "kind"), [("naive", "meaning"), ("local", "entity: "), ("global", "relation: ")]
)
def test_the_other_modes_say_what_brought_a_passage(films: LightRAG, mode: str, kind: str) -> None:
    found = ask(films, mode)
    assert found
    assert all(reasons and reasons[0].startswith(kind) for reasons in found.values())


def test_what_is_deleted_is_walked_to_no_more(films: LightRAG) -> None:
    ask(films, "mix")
    films.delete_document(next(d.id for d in films.documents() if d.name.startswith("Stephen")))
    assert "Stephen Warbeck.txt" not in ask(films, "mix")


def test_reasons_are_not_part_of_what_a_model_gets(films: LightRAG) -> None:
    context = films.query("Billy Elliot?", QueryParam(only_need_context=True)).context
    assert context.mode == "mix"
    assert list(context.sources.columns) == ["id", "content", "document", "page"]
    assert "named" not in context.to_csv()


def test_names_that_a_question_only_refers_to_are_added() -> None:
    words = Keywords(low_level=("Mara Quill", "ferry"))
    assert with_names("When did she buy the Ferry?", words) == "When did she buy the Ferry?\nMara Quill"


def test_a_reason_is_a_line() -> None:
    assert str(Reason("relation", 1, ("Mara Quill", "Ferry"))) == "relation: Mara Quill – Ferry"
    assert str(Reason("words", 3)) == "words"
