"""Questions and their answers as the session keeps them, and how an answer is streamed into one."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import cast

from lightrag_engine import Answer, Keywords, LightRAG, LightRAGError, Message
from lightrag_engine.retrieval.context import Context
from ui.format import counted, duration, number
from ui.sidebar import model_name

_REDRAW_SECONDS = 0.05
_TURNS_REMEMBERED = 6


@dataclass
class Turn:
    """A question and what came of it; lives in the session, so that evidence outlasts reruns.

    `keywords` and `context` are known before the answer, `text` grows while it streams, and `answer` is set
    when it ends, also when it was `stopped`. `thinking`: the model has begun to reason.
    """

    question: str
    mode: str
    text: str = ""
    keywords: Keywords | None = None
    context: Context | None = None
    answer: Answer | None = None
    error: LightRAGError | None = None
    stopped: bool = False
    thinking: bool = False

    @property
    def waiting(self) -> bool:
        """Whether the question has not been put to the engine yet."""
        return not (self.context or self.error or self.stopped)


def history(turns: Sequence[Turn]) -> tuple[Message, ...]:
    """Return the last answered turns as a conversation."""
    answered = [turn for turn in turns if turn.text and not turn.error][-_TURNS_REMEMBERED:]
    return tuple(
        message
        for turn in answered
        for message in (Message("user", turn.question), Message("assistant", turn.text))
    )


def run(
    rag: LightRAG,
    turn: Turn,
    conversation: tuple[Message, ...],
    on_found: Callable[[], None],
    on_text: Callable[[str], None],
    while_waiting: Callable[[], None] | None = None,
) -> None:
    """Answer a turn's question.

    Parameters
    ----------
    rag, turn, conversation
        Who answers what, after which conversation.
    on_found
        Called before the first text, when keywords and context are in the turn.
    on_text
        Called with the whole text so far, a few times a second.
    while_waiting
        Called a few times a second while nothing comes.

    Notes
    -----
    A stop button or a page change ends Streamlit's script with an exception out of the callbacks. No session
    state can be reached after that, so everything is written into the turn, a plain object, as it comes.
    """
    param = rag.query_param(mode=turn.mode, conversation_history=conversation)

    def wait() -> None:
        turn.thinking = stream.thinks
        if while_waiting is not None:
            while_waiting()

    stream = rag.stream(turn.question, param, wait)
    finished = prepared = False
    try:
        stream.prepare()
        prepared = True
        turn.keywords, turn.context = stream.keywords, stream.context
        on_found()
        # Closing the iteration stops the model; it must not wait for the garbage collector.
        pieces = cast("Generator[str]", iter(stream))
        try:
            drawn = 0.0
            for piece in pieces:
                turn.text += piece
                if time.monotonic() - drawn >= _REDRAW_SECONDS:
                    on_text(turn.text)
                    drawn = time.monotonic()
        finally:
            pieces.close()
        finished = True
    except LightRAGError as error:
        turn.error = error
    finally:
        turn.stopped = not finished and turn.error is None
        if prepared:
            turn.answer = stream.answer
    on_text(turn.text)


def found_line(context: Context) -> str:
    """Return what retrieval found, in a line; where a budget cut it, of how many."""
    parts = (
        (len(context.entity_rows), context.found_entities, "entity", "entities"),
        (len(context.relation_rows), context.found_relations, "relation", "relations"),
        (len(context.source_rows), context.found_sources, "source", "sources"),
    )
    # Naive looks for sources only: noughts would say that it found nothing else.
    looked_for = parts[2:] if context.mode == "naive" else parts
    return ", ".join(
        f"{number(shown)} of {counted(found, one, many)}" if found > shown else counted(shown, one, many)
        for shown, found, one, many in looked_for
    )


def timings_line(answer: Answer) -> str:
    """Return the mode, the model, the times and the tokens of an answer, in a line."""
    times = answer.timings
    steps = [
        f"{label} {duration(times[key])}"
        for key, label in (
            ("keywords", "keywords"),
            ("retrieval", "retrieval"),
            ("first_text", "first text after"),
            ("answer", "answer"),
        )
        if key in times
    ]
    tokens = f"{number(answer.prompt_tokens)} + {counted(answer.answer_tokens, 'token')}"
    return " · ".join([answer.mode, model_name(answer.language), *steps, tokens])
