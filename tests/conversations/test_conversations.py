"""Conversations are kept as they were, found again, renamed, cut and deleted."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from conftest import MakeRag
from doubles import ScriptedLanguage
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lightrag_engine import (
    MODES,
    Answer,
    Keywords,
    LightRAG,
    Message,
    ModelError,
    QueryError,
    QueryParam,
    WorkspaceError,
    Workspaces,
)
from lightrag_engine.conversations import LONGEST_NAME, Turn, history_of, turn_of
from lightrag_engine.conversations.store import ConversationStore
from lightrag_engine.errors import MissingModelError
from lightrag_engine.records import Citation, EntityRow, Reason, RelationRow, SourceText
from lightrag_engine.retrieval.context import Context
from lightrag_engine.storage.sqlite import Database

TEXT = "Mara Quill founded the Brindle Valley Ferry. Tobias Renn met Mara Quill in Port Ansel."
QUESTION = "Who founded the Brindle Valley Ferry?"


def ask(rag: LightRAG, question: str = QUESTION, **fields: object) -> Turn:
    stream = rag.stream(question, rag.query_param(**fields))
    for _ in stream:
        pass
    return turn_of(stream)


@pytest.fixture
def filled(make_rag: MakeRag) -> LightRAG:
    rag = make_rag()
    rag.insert(TEXT, ["ferry.txt"])
    return rag


numbers = st.integers(0, 10**6)
seconds = st.floats(0, 1e6)
texts = st.text(max_size=40)
many_texts = st.lists(texts, max_size=3).map(tuple)
keywords = st.builds(Keywords, many_texts, many_texts, texts, texts)
reasons = st.builds(Reason, st.sampled_from(["named", "path", "words"]), numbers, many_texts)
contexts = st.builds(
    Context,
    st.sampled_from(MODES),
    st.lists(st.builds(EntityRow, numbers, texts, texts, texts, numbers, texts), max_size=2).map(tuple),
    st.lists(
        st.builds(
            RelationRow, numbers, texts, texts, texts, texts, seconds, numbers, many_texts, texts, texts
        ),
        max_size=2,
    ).map(tuple),
    st.lists(
        st.builds(
            SourceText, numbers, texts, texts, texts, texts, texts, st.lists(reasons, max_size=2).map(tuple)
        ),
        max_size=2,
    ).map(tuple),
    numbers,
    numbers,
    numbers,
    many_texts,
)
citations = st.builds(Citation, numbers, texts, texts, texts, texts, texts, many_texts)
answers = st.builds(
    Answer,
    texts,
    texts,
    st.sampled_from(MODES),
    texts,
    keywords,
    contexts,
    st.lists(citations, max_size=2).map(tuple),
    st.dictionaries(texts, seconds, max_size=3),
    numbers,
    numbers,
    many_texts,
    texts,
    st.sampled_from(["answer", "context", "prompt"]),
    texts,
)
params = st.builds(
    QueryParam,
    mode=st.sampled_from(MODES),
    only_need_context=st.booleans(),
    response_type=texts,
    top_k=st.integers(1, 500),
    max_token_for_text_unit=st.integers(1, 10**5),
    history_turns=st.integers(0, 9),
    conversation_history=st.lists(st.builds(Message, texts, texts), max_size=2).map(tuple),
    keywords=st.none() | keywords,
)
turns = st.builds(Turn, texts, params, st.none() | answers, st.booleans(), texts, texts, texts, seconds)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConversationStore]:
    database = Database(tmp_path_factory.mktemp("chats") / "workspace.db")
    yield ConversationStore(database)
    database.close()


@given(st.lists(turns, max_size=3))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_whatever_a_turn_holds_comes_back_the_same(store: ConversationStore, kept: list[Turn]) -> None:
    info = store.create("", 1.0)
    for position, turn in enumerate(kept):
        assert store.append(info.id, turn, 2.0) == position
    assert list(store.get(info.id).turns) == kept


def test_an_answer_is_the_same_after_reopening_and_after_its_document_is_gone(
    filled: LightRAG, make_rag: MakeRag
) -> None:
    turn = ask(filled, mode="mix")
    assert turn.complete
    assert turn.answer is not None
    assert turn.answer.citations
    assert any(row.why for row in turn.answer.context.source_rows)
    chat = filled.create_conversation()
    filled.save_turn(chat.id, turn)
    revision = filled.content_revision()
    assert turn.answer.revision == revision
    filled.close()

    rag = make_rag()
    assert rag.content_revision() == revision
    assert rag.conversation(chat.id).turns == (turn,)
    rag.delete_document(rag.documents()[0].id)
    assert rag.content_revision() != revision
    assert rag.conversation(chat.id).turns == (turn,)
    # Adding the document again leads back to the state of the answer.
    rag.insert(TEXT, ["ferry.txt"])
    assert rag.content_revision() == revision


def test_an_edit_is_another_revision_until_it_is_undone(filled: LightRAG) -> None:
    before = filled.content_revision()
    filled.describe_entity("mara quill", "Founder.")
    assert filled.content_revision() != before
    filled.undo()
    assert filled.content_revision() == before


def test_conversations_are_listed_the_one_changed_last_first(filled: LightRAG) -> None:
    assert filled.conversations() == ()
    first, second = filled.create_conversation("Ferries"), filled.create_conversation()
    assert second.name == "New conversation"
    filled.save_turn(second.id, ask(filled))
    filled.save_turn(first.id, ask(filled))
    assert [(c.name, c.turns, c.named) for c in filled.conversations()] == [
        ("Ferries", 1, True),
        (QUESTION, 1, False),
    ]
    filled.rename_conversation(second.id, "  渡轮 \n <b> ")
    assert [c.name for c in filled.conversations()] == ["Ferries", "渡轮 <b>"]
    assert filled.rename_conversation(second.id, "").name == QUESTION
    filled.delete_conversation(first.id)
    filled.delete_conversation(first.id)
    assert [c.id for c in filled.conversations()] == [second.id]


def test_a_long_first_question_gives_a_short_name(filled: LightRAG) -> None:
    chat = filled.create_conversation()
    filled.save_turn(chat.id, Turn("Who\n" + "really " * 40 + "?", QueryParam()))
    name = filled.conversation(chat.id).name
    assert len(name) <= LONGEST_NAME
    assert name.startswith("Who really")
    assert name.endswith("…")


def test_asking_again_drops_what_came_after(filled: LightRAG) -> None:
    chat = filled.create_conversation()
    for question in ("Mara Quill?", "Tobias Renn?", "Port Ansel?"):
        filled.save_turn(chat.id, ask(filled, question))
    filled.drop_turns(chat.id, 1)
    filled.drop_turns(chat.id, 7)  # nothing there
    assert [t.question for t in filled.conversation(chat.id).turns] == ["Mara Quill?"]
    assert filled.save_turn(chat.id, ask(filled, "Brindle Valley Ferry?")) == 1
    filled.drop_turns(chat.id, 0)
    filled.save_turn(chat.id, ask(filled, "Tobias Renn?"))
    assert filled.conversation(chat.id).name == "Tobias Renn?"


def test_what_is_not_there_or_cannot_be_is_refused_with_a_hint(filled: LightRAG) -> None:
    for call in (
        lambda: filled.conversation("chat-none"),
        lambda: filled.rename_conversation("chat-none", "x"),
        lambda: filled.save_turn("chat-none", Turn("Who?", QueryParam())),
        lambda: filled.drop_turns("chat-none", 0),
    ):
        with pytest.raises(WorkspaceError, match="not there") as caught:
            call()
        assert caught.value.hint
    chat = filled.create_conversation()
    with pytest.raises(WorkspaceError, match="too long") as caught:
        filled.rename_conversation(chat.id, "n" * (LONGEST_NAME + 1))
    assert str(LONGEST_NAME) in caught.value.hint
    with pytest.raises(WorkspaceError, match="no turn -1"):
        filled.drop_turns(chat.id, -1)


def test_a_stopped_answer_keeps_its_text_and_evidence(filled: LightRAG) -> None:
    stream = filled.stream(QUESTION)
    pieces = iter(stream)
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    turn = turn_of(stream)
    assert turn.stopped
    assert not turn.complete
    assert turn.text
    assert turn.answer is not None
    assert turn.answer.context.source_rows
    chat = filled.create_conversation()
    filled.save_turn(chat.id, turn)
    assert filled.conversation(chat.id).turns == (turn,)


def test_an_answer_stopped_before_retrieval_is_a_question_only(filled: LightRAG) -> None:
    turn = turn_of(filled.stream(QUESTION))
    assert (turn.stopped, turn.answer, turn.text) == (True, None, "")


def test_a_failure_is_kept_with_what_to_do(make_rag: MakeRag) -> None:
    rag = make_rag()
    stream = rag.stream("")
    with pytest.raises(QueryError) as caught:
        stream.prepare()
    turn = turn_of(stream, caught.value)
    assert (turn.error, turn.hint, turn.stopped) == (str(caught.value), caught.value.hint, False)
    missing = turn_of(rag.stream("Who?"), MissingModelError("No such model.", "qwen3:4b"))
    assert missing.missing_model == "qwen3:4b"
    chat = rag.create_conversation()
    for one in (turn, missing):
        rag.save_turn(chat.id, one)
    assert rag.conversation(chat.id).turns == (turn, missing)


def test_the_history_leaves_out_what_is_no_answer(filled: LightRAG) -> None:
    good = ask(filled)
    failed = replace(good, error="The plug was pulled.")
    shown = ask(filled, only_need_context=True)
    assert history_of([good, failed, shown, replace(good, answer=None)]) == (
        Message("user", QUESTION),
        Message("assistant", good.text),
    )


def test_only_the_wanted_number_of_turns_reaches_the_prompt(filled: LightRAG) -> None:
    history = tuple(
        message
        for n in range(5)
        for message in (Message("user", f"question{n}?"), Message("assistant", f"answer{n}."))
    )
    for wanted, expected in ((0, set()), (2, {3, 4}), (9, set(range(5)))):
        prompt = filled.query(
            QUESTION,
            QueryParam(conversation_history=history, history_turns=wanted, only_need_prompt=True),
        ).text
        assert {n for n in range(5) if f"answer{n}." in prompt} == expected
        assert {n for n in range(5) if f"question{n}?" in prompt} == expected
    with pytest.raises(ValueError, match="history_turns"):
        QueryParam(history_turns=-1)


def test_a_follow_up_keeps_no_conversation_of_its_own(filled: LightRAG) -> None:
    turn = ask(filled)
    second = ask(filled, "And who met her?", conversation_history=history_of([turn]))
    assert second.param.conversation_history == ()
    assert second.param.history_turns == 6


def test_a_copy_an_export_and_an_import_have_the_conversations(
    filled: LightRAG, make_rag: MakeRag, tmp_path: Path
) -> None:
    chat = filled.create_conversation("Ferries")
    filled.save_turn(chat.id, ask(filled))
    kept = filled.conversation(chat.id)
    filled.close()
    workspaces = Workspaces(tmp_path)
    workspaces.duplicate("test", "copy")
    archive = workspaces.export("test", tmp_path / "test.zip")
    workspaces.import_archive(archive, "back")
    for name in ("copy", "back"):
        assert make_rag(name).conversation(chat.id) == kept


@pytest.mark.parametrize(
    "value",
    [
        b"no zlib",
        zlib.compress(b"{}"),
        zlib.compress(json.dumps({**asdict(Turn("Who?", QueryParam())), "question": [1]}).encode()),
        json.dumps({**asdict(Turn("Who?", QueryParam())), "param": {"mode": "telepathy"}}),
    ],
)
def test_a_conversation_that_is_damaged_is_refused_in_an_archive_and_shown_as_damaged(
    filled: LightRAG, make_rag: MakeRag, tmp_path: Path, value: bytes | str
) -> None:
    chat = filled.create_conversation()
    filled.save_turn(chat.id, ask(filled))
    filled.save_turn(chat.id, ask(filled, "Mara Quill?"))
    folder = filled._workspace.folder
    filled.close()
    with contextlib.closing(sqlite3.connect(folder / "workspace.db")) as connection, connection:
        connection.execute("UPDATE turns SET value = ? WHERE position = 0", [value])
    rag = make_rag()
    damaged, whole = rag.conversation(chat.id).turns
    assert "damaged" in damaged.error
    assert damaged.question == QUESTION
    assert whole.complete
    rag.close()
    workspaces = Workspaces(tmp_path)
    archive = workspaces.export("test", tmp_path / "test.zip")
    with pytest.raises(WorkspaceError, match="cannot be imported"):
        workspaces.import_archive(archive, "back")
    assert workspaces.find("back") is None


def test_turns_of_no_conversation_are_found_and_listed_again(filled: LightRAG) -> None:
    chat = filled.create_conversation("Ferries")
    filled.save_turn(chat.id, ask(filled))
    kept = filled.conversation(chat.id).turns
    with filled._workspace.database.transaction() as connection:
        connection.execute("DELETE FROM conversations")
    assert [p.examples for p in filled.check().problems] == [(chat.id,)]
    assert filled.check(repair=True).repaired
    assert filled.check().sound
    assert filled.conversation(chat.id).turns == kept


def test_measures_of_an_answer_come_back_with_it(make_rag: MakeRag) -> None:
    answer = Answer(
        "text",
        "Who?",
        "mix",
        "x",
        Keywords(),
        Context("mix"),
        timings={"keywords": 0.5, "retrieval": 1.0, "first_text": 2.0, "answer": 6.0},
        answer_tokens=100,
    )
    assert (answer.retrieval_seconds, answer.first_word_seconds, answer.seconds) == (1.5, 3.5, 7.5)
    assert answer.tokens_per_second == 25
    assert replace(answer, kind="prompt").tokens_per_second is None
    assert replace(answer, timings={}).tokens_per_second is None
    assert replace(answer, timings={**answer.timings, "answer": 2.0}).tokens_per_second is None
    rag = make_rag()
    chat = rag.create_conversation()
    rag.save_turn(chat.id, Turn("Who?", QueryParam(), answer))
    (turn,) = rag.conversation(chat.id).turns
    assert turn.answer is not None
    assert turn.answer.tokens_per_second == 25


def test_a_server_that_goes_away_half_way_leaves_the_text_so_far(make_rag: MakeRag) -> None:
    class Away(ScriptedLanguage):
        async def answer(self, *args: object, **others: object):  # type: ignore[no-untyped-def, override]
            yield "Mara Quill "
            raise ModelError("The server went away.", hint="Start it again.")

    rag = make_rag(language=Away())
    rag.insert(TEXT)
    stream = rag.stream(QUESTION)
    with pytest.raises(ModelError) as caught:
        list(stream)
    turn = turn_of(stream, caught.value)
    assert (turn.text, turn.error, turn.stopped) == ("Mara Quill ", "The server went away.", False)
