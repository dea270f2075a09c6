"""The first seam: the four things the engine needs of language, whoever does them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from lightrag_engine.records import Chunk, Extraction, Keywords, Message, Ruling
    from lightrag_engine.retrieval.context import Context

# The fixed reply when nothing relevant was found.
CANNOT_ANSWER = "I cannot answer this from the documents."


class Thought(str):
    """A piece of a streamed answer that is the model's reasoning, not part of the text."""

    __slots__ = ()


class LanguageModel(Protocol):
    """Reads and writes language.

    `name` is shown to people and recorded in the workspace. `fingerprint` changes whenever the same chunk
    would be read differently (model, prompt version, relevant settings): it is part of an extraction's key.
    Implementations may be called from several tasks at once and must not block the event loop.
    """

    @property
    def name(self) -> str:
        """The name that people see."""
        ...

    @property
    def fingerprint(self) -> str:
        """What determines how a chunk is read."""
        ...

    @property
    def max_prompt_tokens(self) -> int:
        """The longest answer prompt, in our tokens, that leaves room for an answer."""
        ...

    def answer_prompt(
        self, question: str, context: str, history: Sequence[Message] = (), response_type: str = ""
    ) -> str:
        """Return the whole prompt of an answer, `context` being the tables as CSV."""
        ...

    async def extract(self, chunk: Chunk, title: str) -> Extraction:
        """Read a chunk of the document with this title into entity and relation records."""
        ...

    async def keywords(self, question: str, history: Sequence[Message] = ()) -> Keywords:
        """Return the high-level (themes) and low-level (entities, concrete terms) keywords of a question."""
        ...

    async def summarise(self, name: str, descriptions: Sequence[str], max_tokens: int) -> str:
        """Write one description of `name` (an entity, or two joined by " – ") from several, within a budget.

        Must depend on nothing but its arguments: the graph's independence of order rests on it.
        """
        ...

    def answer(
        self, question: str, context: Context, history: Sequence[Message] = (), response_type: str = ""
    ) -> AsyncIterator[str]:
        """Answer from the context, as a stream of text pieces; ``[n]`` cites row n of its sources table.

        Pieces of reasoning, where a model shows it, come as `Thought`.
        """
        ...


@runtime_checkable
class Judge(Protocol):
    """Weighs answers; what a `LanguageModel` can do beside its four tasks when there is a chat model."""

    async def judge(self, question: str, first: str, second: str) -> tuple[Ruling, ...]:
        """Compare two answers to a question by each of `CRITERIA`.

        Raises
        ------
        ModelError
            When the model cannot be reached, or gives no usable judgement twice.
        """
        ...
