"""What is kept of a question: how it was asked, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from lightrag_engine.answering import Answer
from lightrag_engine.errors import LightRAGError, MissingModelError
from lightrag_engine.records import Message, QueryParam
from lightrag_engine.streaming import AnswerStream


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and what came of it: a record of what was said, whatever becomes of the documents.

    `answer` is there once something was retrieved, also when it was `stopped` or failed half-way: with the
    text so far, keywords, the whole context, citations, timings and the revision of the workspace. `error`
    and `hint` say why there is less; `missing_model` names a model that the server lacks. `param` is how it
    was asked; the conversation before it is not repeated in it. `asked_at` is seconds since the epoch.
    """

    question: str
    param: QueryParam
    answer: Answer | None = None
    stopped: bool = False
    error: str = ""
    hint: str = ""
    missing_model: str = ""
    asked_at: float = 0.0

    @property
    def text(self) -> str:
        """The text of the answer, as far as it came; empty when there is none."""
        return self.answer.text if self.answer else ""

    @property
    def complete(self) -> bool:
        """Whether the answer came to its end."""
        return self.answer is not None and not (self.stopped or self.error)


@dataclass(frozen=True, slots=True)
class ConversationInfo:
    """A conversation without its turns, of which there are `turns`. Times are seconds since the epoch.

    `name` is the one a person gave (`named`), else the first question, shortened.
    """

    id: str
    name: str
    created_at: float
    changed_at: float
    turns: int = 0
    named: bool = False


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation with its turns in order; see `ConversationInfo`."""

    info: ConversationInfo
    turns: tuple[Turn, ...] = ()

    @property
    def id(self) -> str:
        """What it is found by."""
        return self.info.id

    @property
    def name(self) -> str:
        """How it is called."""
        return self.info.name


def turn_of(stream: AnswerStream, error: LightRAGError | None = None) -> Turn:
    """Return what is to be kept of an answer that has ended: complete, stopped, or by an error."""
    return Turn(
        question=stream.question,
        param=replace(stream.param, conversation_history=(), stream=False),
        answer=stream.answer if stream.retrieved else None,
        stopped=not stream.finished and error is None,
        error=str(error) if error else "",
        hint=error.hint if error else "",
        missing_model=error.model if isinstance(error, MissingModelError) else "",
        asked_at=stream.asked_at,
    )


def history_of(turns: Iterable[Turn]) -> tuple[Message, ...]:
    """Return turns as the `QueryParam.conversation_history` of the next question.

    Answers count, also stopped ones; what failed, and what is only context or a prompt, does not.
    """
    return tuple(
        message
        for turn in turns
        if turn.text and not turn.error and turn.param.wants_answer
        for message in (Message("user", turn.question), Message("assistant", turn.text))
    )
