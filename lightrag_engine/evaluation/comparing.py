"""One question in several variants at once: retrieval and answer as separate steps, nothing done twice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from lightrag_engine.answering import Answer
from lightrag_engine.errors import LightRAGError
from lightrag_engine.evaluation.once import EmbeddedOnce, KeywordsOnce, Once
from lightrag_engine.evaluation.variants import Variant
from lightrag_engine.language.base import LanguageModel
from lightrag_engine.loop import BackgroundLoop
from lightrag_engine.querying import Querying
from lightrag_engine.records import Keywords
from lightrag_engine.retrieval.context import Context
from lightrag_engine.streaming import AnswerStream


@dataclass(frozen=True, slots=True)
class VariantResult:
    """What came of one variant.

    `context` is there once it was retrieved, `answer` once it was begun; `answered` when it came to its end.
    Seconds count from the asking: until the context was there, until the first word, until the last; 0 for
    what did not come. Tokens are those of the prompt and of the text. `error` and `hint` say why there is
    less.
    """

    variant: Variant
    context: Context | None = None
    answer: Answer | None = None
    retrieval_seconds: float = 0.0
    first_word_seconds: float = 0.0
    seconds: float = 0.0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    answered: bool = False
    error: str = ""
    hint: str = ""

    @property
    def text(self) -> str:
        """The text of the answer; empty when there is none."""
        return self.answer.text if self.answer else ""


def result_of(variant: Variant, stream: AnswerStream, error: LightRAGError | None = None) -> VariantResult:
    """Return the result of a variant by its stream, whose times count from one step to the next."""
    failed = VariantResult(variant, error=str(error) if error else "", hint=error.hint if error else "")
    if not stream.retrieved:
        return failed
    answer = stream.answer
    found = replace(failed, context=answer.context, retrieval_seconds=answer.retrieval_seconds)
    if not (answer.text or stream.finished):
        return found
    return replace(
        found,
        answer=answer,
        first_word_seconds=answer.first_word_seconds,
        seconds=answer.seconds,
        prompt_tokens=answer.prompt_tokens,
        answer_tokens=answer.answer_tokens,
        answered=stream.finished,
    )


@dataclass(frozen=True, slots=True)
class Comparison:
    """A question with the results of its variants, and what they were found with.

    `revision` is the state of the graph, `asked_at` seconds since the epoch, `settings` what the workspace
    was set to for all variants.
    """

    question: str
    results: tuple[VariantResult, ...]
    workspace: str = ""
    embedding: str = ""
    revision: int = 0
    asked_at: float = 0.0
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def variants(self) -> tuple[Variant, ...]:
        """What was compared, in order."""
        return tuple(result.variant for result in self.results)

    @property
    def answered(self) -> tuple[VariantResult, ...]:
        """The results whose answer is complete: what can be judged."""
        return tuple(result for result in self.results if result.answered)


@dataclass
class Column:
    """A variant on its way: its stream, read by whoever shows it, and the error that ended it."""

    variant: Variant
    stream: AnswerStream
    error: LightRAGError | None = None
    ended: bool = False

    async def retrieve(self) -> None:
        """Find the context, once; an error is kept in the column."""
        try:
            await self.stream.retrieve()
        except LightRAGError as error:
            self.error = error

    async def write(self) -> None:
        """Find the context if need be, and read the answer to its end; an error is kept in the column.

        `ended` is set whatever happens.
        """
        try:
            await self.retrieve()
            if self.error is None:
                async for _ in self.stream.pieces():
                    pass
        except LightRAGError as error:
            self.error = error
        finally:
            self.ended = True

    @property
    def result(self) -> VariantResult:
        """What there is so far."""
        return result_of(self.variant, self.stream, self.error)


class Comparing:
    """A comparison on its way.

    The columns share one call for keywords and one embedding of each text. `start` has all of them answered
    in the background; or the stream of each column is read, all at the same time, from several threads.
    """

    def __init__(self, loop: BackgroundLoop, blank: Comparison, columns: Sequence[Column]) -> None:
        self.columns = tuple(columns)
        self._loop = loop
        self._blank = blank
        self._work: Future[None] | None = None

    def start(self) -> None:
        """Answer all variants at the same time, in the background; the columns can be looked at meanwhile."""
        if self._work is None:
            self._work = self._loop.submit(self.write())

    def stop(self) -> None:
        """Stop what was started; what has come so far stays."""
        if self._work is not None:
            self._work.cancel()

    @property
    def running(self) -> bool:
        """Whether a column that was started has not ended yet."""
        return self._work is not None and not self._work.done()

    @property
    def question(self) -> str:
        """What was asked."""
        return self._blank.question

    @property
    def asked_at(self) -> float:
        """When it was asked, in seconds since the epoch."""
        return self._blank.asked_at

    @property
    def variants(self) -> tuple[Variant, ...]:
        """What is compared, in order."""
        return tuple(column.variant for column in self.columns)

    async def retrieve(self) -> None:
        """Retrieve in all variants at the same time, without answering."""
        await asyncio.gather(*(column.retrieve() for column in self.columns))

    async def write(self) -> None:
        """Answer in all variants at the same time."""
        await asyncio.gather(*(column.write() for column in self.columns))

    @property
    def comparison(self) -> Comparison:
        """What there is so far; of columns without a context only their error."""
        return replace(self._blank, results=tuple(column.result for column in self.columns))


def sharing(querying: Querying, languages: Mapping[str, LanguageModel]) -> dict[str, Querying]:
    """Return one `Querying` a model, all sharing keywords and embeddings; "" is the workspace's own model."""
    retriever = replace(querying.retriever, embedding=EmbeddedOnce(querying.retriever.embedding))
    asked: Once[Keywords] = Once()
    own = querying.language
    return {
        model: Querying(retriever, KeywordsOnce(own, own, language, asked))
        for model, language in {"": own, **languages}.items()
    }


def blank(
    question: str, workspace: str, embedding: str, revision: int, settings: Mapping[str, str]
) -> Comparison:
    """Return a comparison that has no results yet."""
    return Comparison(question, (), workspace, embedding, revision, time.time(), settings)
