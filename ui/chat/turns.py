"""Questions and their answers as the session keeps them, and how an answer is streamed into one."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import cast

from lightrag_engine import Answer, Keywords, LightRAG, LightRAGError, Message, QueryParam
from lightrag_engine.conversations import Turn as Kept
from lightrag_engine.conversations import history_of, turn_of
from lightrag_engine.errors import MissingModelError
from lightrag_engine.evaluation.support import SentenceSupport
from lightrag_engine.names import content_id
from lightrag_engine.retrieval.context import Context
from ui.format import counted, duration, number
from ui.sidebar import model_name

_REDRAW_SECONDS = 0.05
METRICS_HELP = (
    "Mode and model · seconds since you asked, until the evidence was there, the first word, the whole "
    "answer · tokens of the prompt + of the answer · how fast it was written"
)


@dataclass
class Turn:
    """A question on the page and what came of it; lives in the session, so that evidence outlasts reruns.

    `keywords` and `context` are known before the answer, and `text` grows while it streams; `record` is what
    came of it in the end. `thinking`: the model has begun to reason. `instead`: it takes the place of what
    was kept from here on. `support` comes after the answer, when it was asked for. `id` tells turns apart.
    """

    question: str
    param: QueryParam
    text: str = ""
    keywords: Keywords | None = None
    context: Context | None = None
    record: Kept | None = None
    thinking: bool = False
    instead: bool = False
    support: Future[tuple[SentenceSupport, ...]] | None = None
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:12])

    @classmethod
    def of(cls, record: Kept) -> Turn:
        """Return a kept turn as one of a page."""
        answer = record.answer
        return cls(
            record.question,
            record.param,
            text=record.text,
            keywords=answer.keywords if answer else None,
            context=answer.context if answer else None,
            record=record,
            id=content_id("turn", repr(record.asked_at), record.question),
        )

    @property
    def waiting(self) -> bool:
        """Whether the answer has not come to an end yet, in one way or another."""
        return self.record is None

    @property
    def answer(self) -> Answer | None:
        """The answer as far as it came, once nothing more comes."""
        return self.record.answer if self.record else None

    @property
    def stopped(self) -> bool:
        """Whether a person ended it half-way."""
        return self.record is not None and self.record.stopped

    @property
    def supported(self) -> tuple[SentenceSupport, ...]:
        """Which sentences of the answer are borne out; empty as long as that is not known."""
        known = self.support is not None and self.support.done() and not self.support.cancelled()
        # Without the embedding model nothing is known either, and nothing is missing for that.
        return self.support.result() if self.support and known and not self.support.exception() else ()

    @property
    def error(self) -> LightRAGError | None:
        """What went wrong."""
        if self.record is None or not self.record.error:
            return None
        if self.record.missing_model:
            return MissingModelError(self.record.error, self.record.missing_model)
        return LightRAGError(self.record.error, hint=self.record.hint)

    def anew(self, question: str = "", keywords: Keywords | None = None) -> Turn:
        """Return the same question, or another one, to be asked in the same way in place of this one."""
        return Turn(question or self.question, replace(self.param, keywords=keywords), instead=True)


def history(turns: Sequence[Turn]) -> tuple[Message, ...]:
    """Return the answered turns as a conversation."""
    return history_of(turn.record for turn in turns if turn.record)


def run(
    rag: LightRAG,
    turn: Turn,
    conversation: tuple[Message, ...],
    on_found: Callable[[], None],
    on_text: Callable[[str], None],
    while_waiting: Callable[[], None],
    on_end: Callable[[Kept], None],
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
    on_end
        Called with what is to be kept, however the answer ended.

    Notes
    -----
    A stop button or a page change ends Streamlit's script with an exception out of the callbacks. No session
    state can be reached after that, so everything is written into the turn, a plain object, as it comes.
    """
    param = replace(turn.param, conversation_history=conversation)

    def wait() -> None:
        turn.thinking = stream.thinks
        turn.keywords = stream.found_keywords
        while_waiting()

    stream = rag.stream(turn.question, param, wait)
    failed: LightRAGError | None = None
    try:
        stream.prepare()
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
    except LightRAGError as error:
        failed = error
    finally:
        if stream.retrieved:
            turn.keywords, turn.context = stream.keywords, stream.context
        turn.record = turn_of(stream, failed)
        on_end(turn.record)
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


def keywords_line(keywords: Keywords) -> str:
    """Return the keywords of a question in a line, those of each level apart."""
    levels = (("Themes", keywords.high_level), ("Details", keywords.low_level))
    return " · ".join(f"{label}: {', '.join(words)}" for label, words in levels if words)


def metrics_line(answer: Answer) -> str:
    """Return the mode, the model, the times since the question, and the tokens of an answer, in a line."""
    steps = [f"retrieval {duration(answer.retrieval_seconds)}"]
    if answer.first_word_seconds:
        steps.append(f"first word {duration(answer.first_word_seconds)}")
    steps.append(f"whole {duration(answer.seconds)}")
    steps.append(f"{number(answer.prompt_tokens)} + {counted(answer.answer_tokens, 'token')}")
    if pace := answer.tokens_per_second:
        steps.append(f"{number(round(pace))} tokens/s")
    return " · ".join([answer.mode.capitalize(), model_name(answer.language), *steps])
