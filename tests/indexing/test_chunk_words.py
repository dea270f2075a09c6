"""The words of chunks follow the documents."""

from __future__ import annotations

from lightrag_engine import LightRAG
from lightrag_engine.indexing.chunk_words import index_missing_words
from lightrag_engine.storage.packing import unpacked


def found(rag: LightRAG, *terms: str) -> set[str]:
    rows = rag.passages(rag._workspace.words.search(terms, 9))
    return {row.document for row in rows}


def everything(rag: LightRAG) -> list[tuple[str, ...]]:
    rows = rag._workspace.database.read("SELECT chunk_id, title, content FROM word_lists ORDER BY chunk_id")
    return [(id_, title, unpacked(content)) for id_, title, content in rows]


def test_a_chunk_is_found_by_its_words_and_its_title_until_it_is_deleted(rag: LightRAG) -> None:
    kept, gone = rag.insert(["Mara Quill sails.", "Tobias Renn rows."], ["Brindle.txt", "Steamer.txt"])
    assert found(rag, "sail") == {"Brindle.txt"}
    assert found(rag, "steam") == {"Steamer.txt"}
    rag.delete_document(gone)
    assert found(rag, "row", "steam") == set()
    rag.delete_document(kept)
    assert everything(rag) == []


def test_deleting_one_of_two_documents_of_a_text_equals_never_having_added_it(rag: LightRAG) -> None:
    """The same chunk in two documents is found by both titles, and by one when the other is gone."""
    text = "Port Ansel is far from Low Harrow."
    rag.insert([f"{text}\n"], ["Ansel.txt"])
    before = everything(rag)
    (other,) = rag.insert([f"{text} "], ["Harbour.txt"])
    rag.delete_document(other)
    assert everything(rag) == before


def test_a_workspace_from_before_there_were_words_gets_them(rag: LightRAG) -> None:
    rag.insert(["Mara Quill sails.", "Tobias Renn rows."], ["a.txt", "b.txt"])
    before = everything(rag)
    rag._workspace.words.delete_many(rag._workspace.words.ids())
    assert index_missing_words(rag._workspace) == 2
    assert everything(rag) == before
    assert index_missing_words(rag._workspace) == 0
