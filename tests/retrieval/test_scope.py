"""A question restricted to documents or types: nothing from outside ever shows, in any mode."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from conftest import MakeRag
from doubles import HashEmbedding, ScriptedLanguage
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lightrag_engine import MODES, Answer, Keywords, LightRAG, QueryError, QueryParam, Settings, Upload
from lightrag_engine.language.base import CANNOT_ANSWER
from lightrag_engine.names import fold_name
from lightrag_engine.records import Chunk, Extraction

SHARED = "Everyone knows Port Ansel and its Harbour Board."
DOCUMENTS = {
    "ferry.txt": "Mara Quill founded the Ferry. Mara Quill hired Tobias Renn. Mara Quill likes Port Ansel.",
    "steamer.txt": "Tobias Renn built the Heron. Mara Quill owns the Heron. Ilse Vogt painted the Heron.",
    "town.txt": "Port Ansel elected Ilse Vogt. Harbour Board pays Tobias Renn. Mara Quill left Port Ansel.",
    "shared a.txt": SHARED,
    "shared b.txt": SHARED,
}
TYPES = {
    **dict.fromkeys(["mara quill", "tobias renn", "ilse vogt", "everyone"], "person"),
    **dict.fromkeys(["ferry", "heron"], "product"),
    "port ansel": "location",
    "harbour board": "organization",
}
QUESTION = "what about founding by Mara Quill and Tobias Renn in Port Ansel, the Heron, Ilse Vogt there?"
KEYWORDS = Keywords(("founding", "painting"), ("Mara Quill", "Port Ansel", "Heron", "Ilse Vogt"))


class TypedLanguage(ScriptedLanguage):
    """Knows the type of every name, and which kind of relation a sentence states."""

    async def extract(self, chunk: Chunk, title: str) -> Extraction:
        found = await super().extract(chunk, title)
        return replace(
            found,
            entities=tuple(replace(e, entity_type=TYPES[fold_name(e.entity_name)]) for e in found.entities),
            relations=tuple(replace(r, keywords=tuple(r.description.split()[2:3])) for r in found.relations),
        )


def opened(folder: Any, documents: dict[str, str]) -> LightRAG:
    rag = LightRAG("w", Settings(data_dir=folder), language=TypedLanguage(), embedding=HashEmbedding())
    rag.insert_files(
        [Upload(name, (text + "\n" * n).encode()) for n, (name, text) in enumerate(documents.items())]
    )
    return rag


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LightRAG]:
    rag = opened(tmp_path_factory.mktemp("scope"), DOCUMENTS)
    yield rag
    rag.close()


def ids(rag: LightRAG, *names: str) -> tuple[str, ...]:
    return tuple(document.id for name in names for document in rag.documents() if document.name == name)


def ask(rag: LightRAG, mode: str, **fields: Any) -> Answer:
    return rag.query(QUESTION, QueryParam(mode=mode, keywords=KEYWORDS, **fields))


def tables(answer: Answer) -> dict[str, Any]:
    """The three tables, without the numbers and the order of rows."""
    context = answer.context
    return {
        "entities": {r.key: (r.entity, r.type, r.description, r.rank) for r in context.entity_rows},
        "relations": {
            frozenset((r.source_key, r.target_key)): (
                r.keywords,
                r.description,
                r.weight,
                r.rank,
                r.source_ids,
            )
            for r in context.relation_rows
        },
        "sources": {(r.chunk_id, r.document, r.content) for r in context.source_rows},
    }


@given(st.sampled_from(MODES), st.sets(st.sampled_from(sorted(DOCUMENTS)), min_size=1), st.integers(1, 60))
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_from_outside_the_documents_is_in_any_table(
    town: LightRAG, mode: str, names: set[str], top_k: int
) -> None:
    context = ask(town, mode, documents=ids(town, *sorted(names)), top_k=top_k).context
    text = " ".join(DOCUMENTS[name] for name in names)
    assert {row.document for row in context.source_rows} <= names
    chunks = {row.chunk_id for row in context.source_rows}
    for entity in context.entity_rows:
        assert entity.entity in text
        assert all(line in text for line in entity.description.splitlines())
    for relation in context.relation_rows:
        assert relation.source in text
        assert relation.target in text
        assert all(line in text for line in relation.description.splitlines())
        assert all(word in text for word in relation.keywords.split(", "))
        assert top_k < 60 or chunks.issuperset(relation.source_ids)


@given(st.sampled_from(MODES), st.sets(st.sampled_from(sorted(set(TYPES.values()))), min_size=1))
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_of_another_type_is_in_any_table(town: LightRAG, mode: str, types: set[str]) -> None:
    context = ask(town, mode, entity_types=tuple(types)).context
    named = [name for name, kind in TYPES.items() if kind in types]
    assert {row.type for row in context.entity_rows} <= types
    assert {key for row in context.relation_rows for key in (row.source_key, row.target_key)} <= set(named)
    for source in context.source_rows:
        assert any(name in source.content.casefold() for name in named)


@pytest.mark.parametrize("names", [("ferry.txt",), ("steamer.txt", "town.txt"), ("shared b.txt",)])
def test_a_scope_of_documents_is_as_if_there_were_no_others(
    town: LightRAG, tmp_path: Any, names: tuple[str, ...]
) -> None:
    numbered = {name: text + "\n" * n for n, (name, text) in enumerate(DOCUMENTS.items())}
    alone = LightRAG(
        "alone", Settings(data_dir=tmp_path), language=TypedLanguage(), embedding=HashEmbedding()
    )
    with alone:
        alone.insert_files([Upload(name, numbered[name].encode()) for name in names])
        for mode in MODES:
            assert tables(ask(town, mode, documents=ids(town, *names))) == tables(ask(alone, mode)), mode


def test_all_documents_and_all_types_are_no_restriction(town: LightRAG) -> None:
    for mode in MODES:
        whole = tables(ask(town, mode))
        assert tables(ask(town, mode, documents=tuple(d.id for d in town.documents()))) == whole
        assert tables(ask(town, mode, entity_types=tuple(set(TYPES.values())))) == whole


def test_a_scope_still_finds_as_much_as_it_is_asked_for(town: LightRAG) -> None:
    (only,) = ids(town, "steamer.txt")
    assert [row.document for row in ask(town, "naive", documents=[only], top_k=1).context.source_rows] == [
        "steamer.txt"
    ]
    assert len(ask(town, "local", documents=[only], top_k=4).context.entity_rows) == 4


def test_both_restrictions_hold_together(town: LightRAG) -> None:
    param = {"documents": ids(town, "ferry.txt", "town.txt"), "entity_types": ("person",)}
    found = tables(ask(town, "mix", **param))
    assert set(found["entities"]) == {"mara quill", "tobias renn", "ilse vogt"}
    assert set(found["relations"]) == {frozenset(("mara quill", "tobias renn"))}
    # Case and spaces do not matter; and a document is given once however often it is named.
    assert found == tables(ask(town, "mix", documents=param["documents"] * 2, entity_types=[" Person "]))


def test_an_empty_scope_says_so_with_the_answer(town: LightRAG) -> None:
    for mode in MODES:
        answer = ask(town, mode, documents=ids(town, "ferry.txt"), entity_types=["organization"])
        assert answer.context.is_empty
        assert answer.text == CANNOT_ANSWER
        assert any("“ferry.txt”" in note and "organization" in note for note in answer.notes)
    assert not any("restricted" in note for note in ask(town, "mix").notes)


def test_what_is_not_there_is_refused_before_a_model_is_asked(make_rag: MakeRag) -> None:
    class Silent(ScriptedLanguage):
        async def keywords(self, *args: Any, **others: Any) -> Keywords:
            raise AssertionError("asked")

    rag = make_rag(language=Silent())
    rag.insert("Mara Quill founded the Ferry.")
    with pytest.raises(QueryError, match="no document with the id 'doc-gone'") as caught:
        rag.query("Who?", QueryParam(documents=("doc-gone",)))
    assert "deleted" in caught.value.hint
    with pytest.raises(QueryError, match="no entity of the type 'ship'") as caught:
        rag.query("Who?", QueryParam(entity_types=("ship",)))
    assert "concept" in caught.value.hint
    for bad in ("doc-1", [""], [1]):
        for name in ("documents", "entity_types"):
            with pytest.raises(ValueError, match=name):
                QueryParam(**{name: bad})


def test_what_a_person_added_has_a_type_but_no_document(town: LightRAG, tmp_path: Any) -> None:
    with opened(tmp_path, DOCUMENTS) as rag:
        rag.add_entity("Bram Otto", "person", "A pilot.")
        rag.retype_entity("heron", "ship")
        rag.merge_entities(["ilse vogt"], "tobias renn")
        found = tables(ask(rag, "local", entity_types=["person"]))
        assert {"bram otto", "tobias renn"} <= set(found["entities"])
        assert set(tables(ask(rag, "local", entity_types=["ship"]))["entities"]) == {"heron"}
        within = tables(ask(rag, "local", documents=ids(rag, "town.txt")))
        assert "bram otto" not in within["entities"]
        # Merged entities are one here, too, and told of by what this document says of either.
        assert within["entities"]["tobias renn"][2].count("Renn") == 1
        assert "elected Ilse Vogt" in within["entities"]["tobias renn"][2]


def test_a_hub_is_described_by_its_records_in_scope_however_many_there_are(make_rag: MakeRag) -> None:
    rag = make_rag(merge_sample_size=2)
    rag.insert([f"Mara Quill met Guest{n} at noon." for n in range(6)], [f"{n}.txt" for n in range(6)])
    for n in range(6):
        param = QueryParam(mode="local", documents=ids(rag, f"{n}.txt"), keywords=KEYWORDS)
        rows = {r.key: r.description for r in rag.query("who?", param).context.entity_rows}
        assert rows["mara quill"] == f"Mara Quill met Guest{n} at noon."


def test_a_scope_follows_the_documents(make_rag: MakeRag) -> None:
    rag = make_rag()
    first, second = rag.insert(["Mara Quill founded the Ferry.", "Mara Quill built the Heron."])
    param = QueryParam(mode="local", documents=(second,), keywords=KEYWORDS)
    assert {r.key for r in rag.query("who?", param).context.entity_rows} == {"mara quill", "heron"}
    rag.delete_document(first)
    assert {r.key for r in rag.query("who?", param).context.entity_rows} == {"mara quill", "heron"}
    rag.delete_document(second)
    with pytest.raises(QueryError, match="no document"):
        rag.query("who?", param)
