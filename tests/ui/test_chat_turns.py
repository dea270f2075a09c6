"""Answers as the session keeps them: streamed, stopped half-way, failed."""

import asyncio
from dataclasses import replace

import pytest
from doubles import HashEmbedding, ScriptedLanguage

from lightrag_engine import Keywords, ModelError, QueryParam
from lightrag_engine.conversations import Turn as Kept
from ui.chat.streaming import done_line, running_line
from ui.chat.turns import Turn, found_line, history, metrics_line, run


class ScriptStopped(BaseException):
    """What Streamlit raises out of a callback when a person presses stop."""


class SlowLanguage(ScriptedLanguage):
    """Answers without end, and notes when it was told to stop."""

    def __init__(self):
        super().__init__()
        self.closed = False

    async def answer(self, question, context, history=(), response_type=""):
        try:
            while True:
                yield "word "
                await asyncio.sleep(0.06)
        finally:
            self.closed = True


class BrokenLanguage(ScriptedLanguage):
    async def answer(self, question, context, history=(), response_type=""):
        yield "The beginning"
        raise ModelError("The model went away.", hint="Start it again.")


class SlowQueries(HashEmbedding):
    async def embed(self, texts, role):
        if role == "query":
            await asyncio.sleep(1)
        return await super().embed(texts, role)


def ready(make_rag, language=None):
    rag = make_rag(language=language)
    rag.insert("Mara Quill hired Tobias Renn at Port Ansel.")
    return rag


def nothing(*_):
    pass


def asked(mode="hybrid", question="Who did Mara Quill hire?"):
    return Turn(question, QueryParam(mode=mode))


def test_evidence_is_known_before_the_text(make_rag):
    turn, order, kept = asked(), [], []
    assert turn.waiting
    found = lambda: order.append((turn.context is not None, turn.text))  # noqa: E731
    run(ready(make_rag), turn, (), found, order.append, nothing, kept.append)
    assert order[0] == (True, "")
    assert order[-1] == turn.text == turn.answer.text
    assert not turn.waiting
    assert not turn.stopped
    assert [citation.number for citation in turn.answer.citations] == [1]
    assert kept == [turn.record]


def test_keywords_are_known_before_the_context(make_rag):
    turn, seen = asked(), []
    rag = make_rag(embedding=SlowQueries())
    rag.insert("Mara Quill hired Tobias Renn at Port Ansel.")
    look = lambda: seen.append((turn.keywords is not None, turn.context is not None))  # noqa: E731
    run(rag, turn, (), nothing, nothing, look, nothing)
    assert (True, False) in seen


def test_a_stopped_answer_keeps_its_text_and_evidence_and_stops_the_model(make_rag):
    language = SlowLanguage()
    turn, kept = asked(), []

    def stop(text):
        if len(text) > 10:
            raise ScriptStopped

    with pytest.raises(ScriptStopped):
        run(ready(make_rag, language), turn, (), nothing, stop, nothing, kept.append)
    assert language.closed
    assert turn.stopped
    assert turn.text.startswith("word word")
    assert turn.answer.text == turn.text
    assert turn.context.source_rows
    assert kept == [turn.record]


def test_stopping_before_there_is_evidence_leaves_a_stopped_turn(make_rag):
    turn, kept = asked(), []

    def stop():
        raise ScriptStopped

    with pytest.raises(ScriptStopped):
        run(ready(make_rag), turn, (), stop, nothing, nothing, kept.append)
    assert turn.stopped
    assert not turn.waiting
    assert kept[0].stopped


def test_an_error_is_kept_with_what_there_was(make_rag):
    turn, kept = asked(), []
    run(ready(make_rag, BrokenLanguage()), turn, (), nothing, nothing, nothing, kept.append)
    assert str(turn.error) == "The model went away."
    assert turn.error.hint == "Start it again."
    assert turn.text == turn.answer.text == "The beginning"
    assert not turn.stopped
    again = Turn.of(kept[0])
    assert (again.text, str(again.error), again.context) == (turn.text, str(turn.error), turn.context)


def test_a_missing_model_can_still_be_pulled_after_a_reload():
    record = Kept("q", QueryParam(), error="The model is not there.", missing_model="qwen3:4b")
    assert Turn.of(record).error.model == "qwen3:4b"


def test_a_question_that_cannot_be_asked_is_an_error_of_the_turn(make_rag):
    turn = asked(question="   ")
    run(ready(make_rag), turn, (), nothing, nothing, nothing, nothing)
    assert turn.error.hint == "Type a question."
    assert turn.answer is None


def test_the_conversation_goes_on_with_what_was_answered(make_rag):
    turn = asked()
    run(ready(make_rag), turn, (), nothing, nothing, nothing, nothing)
    failed = Turn.of(Kept("q", QueryParam(), error="x"))
    messages = history([turn, failed, asked()])
    assert [message.content for message in messages] == [turn.question, turn.text]


def test_asked_anew_it_is_asked_in_the_same_way():
    turn = Turn("q", QueryParam(mode="local", top_k=7, keywords=Keywords(("a",))))
    again = turn.anew("r")
    assert (again.question, again.param.mode, again.param.top_k, again.param.keywords) == (
        "r",
        "local",
        7,
        None,
    )
    assert again.instead
    assert again.id != turn.id
    assert turn.anew(keywords=Keywords(("b",))).param.keywords == Keywords(("b",))


def test_lines_say_how_much_and_how_long(make_rag):
    turn = asked("local")
    run(ready(make_rag), turn, (), nothing, nothing, nothing, nothing)
    assert found_line(turn.context) == "3 entities, 2 relations, 1 source"
    assert found_line(replace(turn.context, mode="naive")) == "1 source"
    line = metrics_line(turn.answer)
    assert line.startswith("Local · scripted · retrieval 0.")
    assert " · whole " in line
    assert "tokens" in line


def test_steps_are_told_as_they_are_taken(make_rag):
    turn = asked("local")
    assert running_line(turn, 0) == ":shimmer[Looking for keywords …]"
    turn.keywords = Keywords(low_level=("Mara Quill", ":red[x]"))
    assert running_line(turn, 4).endswith(" → :shimmer[Looking for evidence …] · 4.0 s")
    assert ":red[" not in running_line(turn, 4).replace("\\:", "")
    run(ready(make_rag), turn, (), nothing, nothing, nothing, nothing)
    assert running_line(turn, 0).endswith("**3 entities, 2 relations, 1 source** → :shimmer[Writing …]")
    assert done_line(turn).endswith("**3 entities, 2 relations, 1 source**")
