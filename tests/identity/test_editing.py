"""What each edit does to the graph, and that it can be taken back."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Sequence

import networkx as nx
import pytest
from conftest import MakeRag
from doubles import ScriptedLanguage

from lightrag_engine import EditError, EditKind, LightRAG, QueryParam, WorkspaceError
from lightrag_engine.editing import EditableWorkspace
from lightrag_engine.errors import ServerAwayError
from lightrag_engine.indexing.reembedding import Reembedding
from lightrag_engine.records import Chunk, Extraction, Keywords, RelationRecord

from .conftest import check, read_out


def test_merging_makes_one_entity_of_all_records(filled: LightRAG) -> None:
    edit = filled.merge_entities(["pierre"], "pierre curie")
    assert (edit.kind, edit.keys, edit.into) == (EditKind.MERGE, ("pierre",), "pierre curie")
    assert edit.text == "Merged “Pierre” into “Pierre Curie”"
    entity = filled.entity("pierre curie")
    assert entity is not None
    assert (entity.name, entity.spellings, entity.weight) == ("Pierre Curie", ("Pierre Curie", "Pierre"), 3.0)
    assert (entity.aliases, entity.edited) == (("pierre",), ("merged",))
    assert set(filled.graph["pierre curie"]) == {"tobias renn", "port ansel"}
    assert filled.graph.edges["pierre curie", "port ansel"]["weight"] == 2.0
    assert "pierre" not in filled.graph
    check(filled)


def test_an_old_key_still_opens_and_finds_the_merged_entity(filled: LightRAG) -> None:
    filled.merge_entities(["pierre"], "pierre curie")
    assert filled.entity("pierre") == filled.entity("pierre curie")
    assert [e.key for e in filled.search_entities("Pierre")] == ["pierre curie"]
    answer = filled.query(
        "Pierre?", QueryParam(mode="local", only_need_context=True, keywords=Keywords(low_level=("Pierre",)))
    )
    assert answer.context.entity_rows[0].entity == "Pierre Curie"


def test_what_comes_later_under_either_name_joins(filled: LightRAG) -> None:
    filled.merge_entities(["pierre"], "pierre curie")
    filled.insert("Pierre met Ilse Vogt. Pierre Curie met Pierre.")
    entity = filled.entity("pierre curie")
    assert entity is not None
    assert entity.weight == 6.0
    assert filled.graph.has_edge("pierre curie", "ilse vogt")
    assert nx.number_of_selfloops(filled.graph) == 0
    check(filled)


def test_a_relation_within_a_merged_entity_is_dropped_everywhere(rag: LightRAG) -> None:
    """A graph with an edge from a node to itself, after its two ends were merged."""
    rag.insert("Pierre met Pierre Curie.")
    rag.merge_entities(["pierre"], "pierre curie")
    asked = QueryParam(mode="local", only_need_context=True, keywords=Keywords(low_level=("Pierre Curie",)))
    assert rag.query("Pierre Curie?", asked).context.relation_rows == ()
    assert list(rag.graph.edges) == []
    assert len(rag._workspace.vectors["relations"]) == 0
    check(rag)


def test_two_names_that_only_a_relation_mentions_stay_when_merged(make_rag: MakeRag) -> None:
    def odd(chunk: Chunk) -> Extraction:
        return Extraction(chunk.id, (), (RelationRecord("IBM", "Big Blue", "is", ("k",), 1, chunk.id),))

    rag = make_rag(language=ScriptedLanguage({"odd": odd}))
    rag.insert("odd")
    rag.merge_entities(["ibm"], "big blue")
    entity = rag.entity("ibm")
    assert entity is not None
    assert (entity.key, entity.description) == ("big blue", "is")
    check(rag)


def test_a_new_name_is_a_new_key_and_the_old_one_an_alias(filled: LightRAG) -> None:
    edit = filled.rename_entity("port ansel", "Port Anselm")
    assert edit.kind == EditKind.RENAME
    entity = filled.entity("port ansel")
    assert entity is not None
    assert (entity.key, entity.name, entity.aliases) == ("port anselm", "Port Anselm", ("port ansel",))
    assert entity.edited == ("name",)
    filled.insert("Port Ansel grew. Port Anselm slept.")
    assert "port ansel" not in filled.graph
    check(filled)


def test_another_spelling_keeps_the_key(filled: LightRAG) -> None:
    filled.rename_entity("port ansel", "PORT ANSEL")
    entity = filled.entity("port ansel")
    assert entity is not None
    assert (entity.name, entity.aliases) == ("PORT ANSEL", ())
    check(filled)


def test_renaming_to_a_name_that_exists_says_that_it_merged(filled: LightRAG) -> None:
    edit = filled.rename_entity("pierre", "Pierre  Curie")
    assert edit.kind == EditKind.MERGE
    assert "merged" in edit.text
    assert filled.entity("pierre") == filled.entity("pierre curie")
    check(filled)


def test_a_name_can_be_given_back_and_forth(filled: LightRAG) -> None:
    """Aliases that lead to each other would go round in a circle."""
    for name in ("Anselm", "Port Ansel", "Anselm", "Port Ansel"):
        filled.rename_entity("port ansel", name)
    entity = filled.entity("anselm")
    assert entity is not None
    assert (entity.key, entity.aliases) == ("port ansel", ("anselm",))
    check(filled)


def test_a_person_s_type_and_description_beat_what_is_read_later(filled: LightRAG) -> None:
    filled.retype_entity("port ansel", "Location")
    filled.describe_entity("port ansel", "A port, as I know.")
    filled.insert("Port Ansel is large.")
    entity = filled.entity("port ansel")
    assert entity is not None
    assert (entity.type, entity.description, entity.edited) == (
        "location",
        "A port, as I know.",
        ("type", "description"),
    )
    check(filled)


def test_a_person_s_description_is_never_summarised(make_rag: MakeRag) -> None:
    language = ScriptedLanguage()
    rag = make_rag(language=language, entity_summary_max_tokens=20)
    rag.insert("Mara Quill met Tobias Renn.")
    rag.describe_entity("mara quill", "very long " * 60)
    assert language.summarised == []
    entity = rag.entity("mara quill")
    assert entity is not None
    assert len(entity.description) > 500


def test_a_merged_description_that_grows_too_long_is_summarised(make_rag: MakeRag) -> None:
    language = ScriptedLanguage()
    rag = make_rag(language=language, entity_summary_max_tokens=30)
    rag.insert(
        ["Pierre met a man of whom nobody knew very much.", "Pierre Curie left the city for the hills."]
    )
    before = read_out(rag)
    assert language.summarised == []
    rag.merge_entities(["pierre"], "pierre curie")
    rag.insert("Pierre Curie was seen again in the autumn of that same year, it is said.")
    assert "Pierre Curie" in language.summarised
    rag.delete_document(rag.documents()[0].id)
    rag.undo()
    assert read_out(rag) == before


def test_an_edit_needs_no_server_and_the_summary_comes_later(make_rag: MakeRag) -> None:
    class Away(ScriptedLanguage):
        away = True

        async def summarise(self, name: str, descriptions: Sequence[str], max_tokens: int) -> str:
            if self.away:
                raise ServerAwayError("away")
            return await super().summarise(name, descriptions, max_tokens)

    language = Away()
    rag = make_rag(language=language, entity_summary_max_tokens=20)
    rag.insert(["Pierre met a man of whom nobody knew much.", "Pierre Curie left the city for the hills."])
    rag.merge_entities(["pierre"], "pierre curie")
    shortened = rag.entity("pierre curie")
    assert shortened is not None
    assert not shortened.description.startswith("Pierre Curie: ")
    language.away = False
    rag.rename_entity("pierre curie", "Pierre C.")
    rag.insert("Nothing of note.")
    written = rag.entity("pierre curie")
    assert written is not None
    assert written.description.startswith("Pierre C.: ")


def test_a_deleted_entity_stays_away_with_its_relations(filled: LightRAG) -> None:
    filled.delete_entity("port ansel")
    assert "port ansel" not in filled.graph
    filled.insert("Port Ansel met Ilse Vogt.")
    assert "port ansel" not in filled.graph
    assert list(filled.graph["ilse vogt"]) == []
    check(filled)
    filled.undo()
    assert filled.graph.has_edge("port ansel", "ilse vogt")
    check(filled)


def test_another_name_given_to_a_deleted_entity_s_name_is_not_deleted(filled: LightRAG) -> None:
    filled.delete_entity("pierre curie")
    filled.rename_entity("pierre", "Pierre Curie")
    entity = filled.entity("pierre curie")
    assert entity is not None
    assert entity.weight == 2.0
    check(filled)


def test_an_entity_and_a_relation_by_hand(filled: LightRAG) -> None:
    filled.add_entity("Low Harrow", "Location", "A village.")
    filled.add_relation("low harrow", "Port Ansel", "They trade.", ["trade"], 3)
    entity = filled.entity("low harrow")
    assert entity is not None
    assert (entity.type, entity.description, entity.edited) == ("location", "A village.", ("added",))
    edge = filled.graph.edges["low harrow", "port ansel"]
    assert (edge["source_key"], edge["weight"], edge["edited"]) == ("low harrow", 3.0, ("added",))
    check(filled)
    filled.delete_relation("port ansel", "low harrow")
    filled.delete_entity("low harrow")
    assert "low harrow" not in filled.graph
    check(filled)
    filled.add_entity("Low Harrow")
    assert list(filled.graph["low harrow"]) == []
    check(filled)


def test_fields_of_a_relation(filled: LightRAG) -> None:
    filled.describe_relation("port ansel", "pierre", "He built it.")
    filled.set_relation_keywords("pierre", "port ansel", ["building", "building", " "])
    filled.set_relation_weight("pierre", "port ansel", 7)
    filled.insert("Pierre saw Port Ansel.")
    edge = filled.graph.edges["pierre", "port ansel"]
    assert (edge["description"], edge["keywords"], edge["weight"]) == ("He built it.", ("building",), 7.0)
    assert edge["edited"] == ("keywords", "description", "weight")
    check(filled)
    filled.merge_entities(["pierre"], "pierre curie")
    assert filled.graph.edges["pierre curie", "port ansel"]["description"] == "He built it."
    check(filled)


def test_a_deleted_relation_takes_those_along_of_whom_nothing_else_speaks(make_rag: MakeRag) -> None:
    def odd(chunk: Chunk) -> Extraction:
        return Extraction(chunk.id, (), (RelationRecord("A", "B", "is", ("k",), 1, chunk.id),))

    rag = make_rag(language=ScriptedLanguage({"odd": odd}))
    rag.insert("odd")
    before = read_out(rag)
    rag.delete_relation("a", "b")
    assert len(rag.graph) == 0
    check(rag)
    rag.undo()
    assert read_out(rag) == before


def test_edits_outlive_their_documents(filled: LightRAG) -> None:
    filled.merge_entities(["pierre"], "pierre curie")
    filled.retype_entity("pierre curie", "person")
    ids = [document.id for document in filled.documents()]
    before = read_out(filled)
    for id_ in ids:
        filled.delete_document(id_)
    assert len(filled.graph) == 0
    filled.insert(["Pierre Curie left Port Ansel.", "Pierre met Tobias Renn. Pierre built Port Ansel."])
    assert read_out(filled)["vectors"]["entities"] == before["vectors"]["entities"]
    entity = filled.entity("pierre")
    assert entity is not None
    assert entity.type == "person"
    check(filled)


def test_an_edit_between_reading_and_taking_back_a_rename_stays(filled: LightRAG) -> None:
    rename = filled.rename_entity("port ansel", "Anselm")
    filled.retype_entity("anselm", "location")
    filled.undo(rename.id)
    entity = filled.entity("port ansel")
    assert entity is not None
    assert (entity.name, entity.type) == ("Port Ansel", "location")
    check(filled)


def test_undo_and_redo_go_one_step_each(filled: LightRAG) -> None:
    states = [read_out(filled)]
    steps: list[Callable[[], object]] = [
        lambda: filled.rename_entity("port ansel", "Anselm"),
        lambda: filled.merge_entities(["pierre"], "pierre curie", "P. Curie"),
        lambda: filled.delete_relation("p. curie", "anselm"),
        lambda: filled.delete_entity("tobias renn"),
    ]
    for step in steps:
        step()
        states.append(read_out(filled))
    for state in states[-2::-1]:
        filled.undo()
        assert read_out(filled) == state
    with pytest.raises(EditError, match="nothing to undo"):
        filled.undo()
    for state in states[1:]:
        filled.redo()
        assert read_out(filled) == state
    with pytest.raises(EditError, match="nothing to redo"):
        filled.redo()
    assert [edit.active for edit in filled.edits()] == [True] * 4


def test_the_log_tells_what_was_changed_and_when_newest_first(filled: LightRAG) -> None:
    filled.retype_entity("port ansel", "location")
    filled.merge_entities(["pierre"], "pierre curie")
    filled.undo()
    merge, retype = filled.edits()
    assert (merge.active, retype.active) == (False, True)
    assert retype.text == "Changed the type of “Port Ansel” from concept to location"
    assert 0 < retype.at <= merge.at
    assert filled.edits("port ansel") == [retype]
    assert filled.edits("pierre") == [merge]


def test_edits_are_there_when_the_workspace_is_opened_again(make_rag: MakeRag) -> None:
    rag = make_rag()
    rag.insert("Pierre met Pierre Curie at Port Ansel.")
    rag.merge_entities(["pierre"], "pierre curie")
    before, edits = read_out(rag), rag.edits()
    rag.close()
    again = make_rag()
    assert (read_out(again), again.edits()) == (before, edits)
    again.undo()
    assert "pierre" in again.graph
    check(again)


BAD: list[tuple[str, Callable[[LightRAG], object]]] = [
    ("There is no entity “Nobody”", lambda rag: rag.rename_entity("Nobody", "X")),
    ("There is no entity “nobody”", lambda rag: rag.merge_entities(["pierre", "nobody"], "pierre curie")),
    ("cannot be merged with itself", lambda rag: rag.merge_entities(["pierre"], "PIERRE")),
    ("cannot be merged with itself", lambda rag: rag.merge_entities([], "pierre")),
    ("name of another entity", lambda rag: rag.merge_entities(["pierre"], "pierre curie", "Port Ansel")),
    ("name is empty", lambda rag: rag.rename_entity("pierre", " “” \x00")),
    ("type is empty", lambda rag: rag.retype_entity("pierre", " ")),
    ("description is empty", lambda rag: rag.describe_entity("pierre", "\u200b")),
    ("no relation between", lambda rag: rag.describe_relation("pierre", "pierre curie", "x")),
    ("is one entity", lambda rag: rag.delete_relation("pierre", "Pierre")),
    ("no keywords", lambda rag: rag.set_relation_keywords("pierre", "port ansel", [" "])),
    ("nan cannot be a weight", lambda rag: rag.set_relation_weight("pierre", "port ansel", float("nan"))),
    ("0 cannot be a weight", lambda rag: rag.set_relation_weight("pierre", "port ansel", 0)),
    ("There is an entity “Pierre” already", lambda rag: rag.add_entity("pierre")),
    ("There is a relation", lambda rag: rag.add_relation("pierre", "port ansel", "x")),
    ("nothing to undo", lambda rag: rag.undo(99)),
]


def test_what_cannot_be_done_is_told_and_changes_nothing(filled: LightRAG) -> None:
    before = read_out(filled)
    for message, attempt in BAD:
        with pytest.raises(EditError, match=message) as caught:
            attempt(filled)
        assert caught.value.hint
    assert read_out(filled) == before
    assert filled.edits() == []


def test_hostile_text_is_kept_as_text(filled: LightRAG) -> None:
    filled.rename_entity("pierre", "<b>{}\ud800\u202e Pierre\x00</b>")
    filled.set_relation_keywords("port ansel", "pierre curie", ["{x}", "{0}"])
    assert "{x}, {0}" in filled.edits()[0].text
    assert not any("\ud800" in name or "\u202e" in name or "\x00" in name for name in filled.graph)
    check(filled)


def test_an_edit_does_not_wait_for_documents_under_way(make_rag: MakeRag) -> None:
    reading = threading.Event()

    class Gate:
        async def wait(self) -> None:
            reading.set()
            await asyncio.sleep(60)

    language = ScriptedLanguage()
    rag = make_rag(language=language)
    rag.insert("Pierre met Pierre Curie.")
    language.gate = Gate()  # type: ignore[assignment]
    status = rag.submit_text("Pierre met Ilse Vogt.")
    assert reading.wait(20)
    rag.merge_entities(["pierre"], "pierre curie")
    assert len(rag.graph) == 1
    rag.delete_document(status.id)
    check(rag)


def test_nothing_is_edited_while_texts_are_embedded_anew(filled: LightRAG) -> None:
    filled._reembedding = Reembedding("other")
    with pytest.raises(WorkspaceError, match="embedded anew"):
        filled.delete_entity("pierre")
    filled._reembedding = None
    assert filled.edits() == []


@pytest.mark.anyio
async def test_every_edit_has_an_async_twin(filled: LightRAG) -> None:
    names = [name for name, member in vars(EditableWorkspace).items() if inspect.isfunction(member)]
    shells = [name for name in names if f"a{name}" in names]
    assert {
        name for name in names if inspect.iscoroutinefunction(getattr(filled, name)) and name[0] != "_"
    } == {f"a{name}" for name in shells}
    await filled.arename_entity("pierre", "Peter")
    assert (await filled.aundo()).text == "Renamed “Pierre” to “Peter”"
    assert (await filled.aredo()).active
    assert "peter" in filled.graph
