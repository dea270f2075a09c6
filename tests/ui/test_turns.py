"""Answers as the session keeps them: streamed, stopped half-way, failed."""

import asyncio
from dataclasses import replace

import pytest
from doubles import ScriptedLanguage

from lightrag_engine import ModelError
from ui.turns import Turn, found_line, history, run, timings_line


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


def ready(make_rag, language=None):
    rag = make_rag(language=language)
    rag.insert("Mara Quill hired Tobias Renn at Port Ansel.")
    return rag


def nothing(*_):
    pass


def test_evidence_is_known_before_the_text(make_rag):
    turn = Turn("Who did Mara Quill hire?", "hybrid")
    order = []
    assert turn.waiting
    run(ready(make_rag), turn, (), lambda: order.append((turn.context is not None, turn.text)), order.append)
    assert order[0] == (True, "")
    assert order[-1] == turn.text == turn.answer.text
    assert not turn.waiting
    assert not turn.stopped
    assert [citation.number for citation in turn.answer.citations] == [1]


def test_a_stopped_answer_keeps_its_text_and_evidence_and_stops_the_model(make_rag):
    language = SlowLanguage()
    turn = Turn("Who did Mara Quill hire?", "hybrid")

    def stop(text):
        if len(text) > 10:
            raise ScriptStopped

    with pytest.raises(ScriptStopped):
        run(ready(make_rag, language), turn, (), nothing, stop)
    assert language.closed
    assert turn.stopped
    assert turn.text.startswith("word word")
    assert turn.answer.text == turn.text
    assert turn.context.source_rows


def test_stopping_before_there_is_evidence_leaves_a_stopped_turn(make_rag):
    turn = Turn("Who did Mara Quill hire?", "hybrid")

    def stop():
        raise ScriptStopped

    with pytest.raises(ScriptStopped):
        run(ready(make_rag), turn, (), stop, nothing)
    assert turn.stopped
    assert not turn.waiting


def test_an_error_is_kept_with_what_there_was(make_rag):
    turn = Turn("Who did Mara Quill hire?", "hybrid")
    run(ready(make_rag, BrokenLanguage()), turn, (), nothing, nothing)
    assert str(turn.error) == "The model went away."
    assert turn.text == "The beginning"
    assert not turn.stopped


def test_a_question_that_cannot_be_asked_is_an_error_of_the_turn(make_rag):
    turn = Turn("   ", "hybrid")
    run(ready(make_rag), turn, (), nothing, nothing)
    assert turn.error.hint == "Type a question."
    assert turn.answer is None


def test_history_leaves_out_failed_turns_and_is_bounded():
    turns = [Turn(f"q{n}", "naive", text=f"a{n}") for n in range(9)]
    turns[8].error = ModelError("x")
    messages = history(turns)
    assert [message.content for message in messages][:2] == ["q2", "a2"]
    assert messages[-1].content == "a7"


def test_lines_say_how_much_and_how_long(make_rag):
    turn = Turn("Who did Mara Quill hire?", "local")
    run(ready(make_rag), turn, (), nothing, nothing)
    assert found_line(turn.context) == "3 entities, 2 relations, 1 source"
    assert found_line(replace(turn.context, mode="naive")) == "1 source"
    line = timings_line(turn.answer)
    assert line.startswith("local · scripted · keywords 0.0 s")
    assert line.endswith("tokens")
