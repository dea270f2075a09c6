"""A language whose model is away: another one stands in for questions, documents wait for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from lightrag_engine.errors import ServerAwayError
from lightrag_engine.language.base import LanguageModel
from lightrag_engine.records import Chunk, Extraction, Keywords, Message
from lightrag_engine.retrieval.context import Context


class AwayLanguage:
    """Stands for a model that was asked for by name and is not there (see `LanguageModel`).

    A document must not be read by another model than the one that was chosen, half of it perhaps: it waits.

    Parameters
    ----------
    wanted
        The model's name.
    stand_in
        Finds keywords, summarises and answers meanwhile.
    find
        Looks for the model; raises ModelError while it is not there.
    on_back
        Called when it was found: the models are to be chosen again.
    """

    def __init__(
        self,
        wanted: str,
        stand_in: LanguageModel,
        find: Callable[[], Awaitable[object]],
        on_back: Callable[[], None],
    ) -> None:
        self.name = stand_in.name
        self.fingerprint = f"away {wanted}"
        self.max_prompt_tokens = stand_in.max_prompt_tokens
        self._wanted = wanted
        self._stand_in = stand_in
        self._find = find
        self._on_back = on_back

    async def extract(self, chunk: Chunk, title: str) -> Extraction:
        """Raise why the model is not there, or have it used when it is."""
        await self._find()
        self._on_back()
        raise ServerAwayError(f"The model {self._wanted} is back.", hint="It is being opened.")

    async def keywords(self, question: str, history: Sequence[Message] = ()) -> Keywords:
        """Return the keywords that the stand-in finds."""
        return await self._stand_in.keywords(question, history)

    async def summarise(self, name: str, descriptions: Sequence[str], max_tokens: int) -> str:
        """Return the summary of the stand-in."""
        return await self._stand_in.summarise(name, descriptions, max_tokens)

    def answer_prompt(
        self, question: str, context: str, history: Sequence[Message] = (), response_type: str = ""
    ) -> str:
        """Return the prompt of the stand-in."""
        return self._stand_in.answer_prompt(question, context, history, response_type)

    def answer(
        self, question: str, context: Context, history: Sequence[Message] = (), response_type: str = ""
    ) -> AsyncIterator[str]:
        """Answer by the stand-in."""
        return self._stand_in.answer(question, context, history, response_type)
