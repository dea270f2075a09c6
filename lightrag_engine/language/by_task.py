"""One language made of several: a model for each task."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from lightrag_engine.language.base import LanguageModel
from lightrag_engine.records import Chunk, Extraction, Keywords, Message
from lightrag_engine.retrieval.context import Context


@dataclass(frozen=True)
class LanguageByTask:
    """A `LanguageModel` that hands each task to one of three; summaries go to the one that extracts."""

    extraction: LanguageModel
    keywording: LanguageModel
    answering: LanguageModel

    @property
    def name(self) -> str:
        """The name of the model that answers, which is the one people meet."""
        return self.answering.name

    @property
    def fingerprint(self) -> str:
        """That of the model that extracts."""
        return self.extraction.fingerprint

    @property
    def max_prompt_tokens(self) -> int:
        """That of the model that answers."""
        return self.answering.max_prompt_tokens

    def answer_prompt(
        self, question: str, context: str, history: Sequence[Message] = (), response_type: str = ""
    ) -> str:
        """Return the prompt of the model that answers."""
        return self.answering.answer_prompt(question, context, history, response_type)

    async def extract(self, chunk: Chunk, title: str) -> Extraction:
        """Read a chunk."""
        return await self.extraction.extract(chunk, title)

    async def keywords(self, question: str, history: Sequence[Message] = ()) -> Keywords:
        """Return the keywords of a question."""
        return await self.keywording.keywords(question, history)

    async def summarise(self, name: str, descriptions: Sequence[str], max_tokens: int) -> str:
        """Write one description from several."""
        return await self.extraction.summarise(name, descriptions, max_tokens)

    def answer(
        self, question: str, context: Context, history: Sequence[Message] = (), response_type: str = ""
    ) -> AsyncIterator[str]:
        """Answer from the context."""
        return self.answering.answer(question, context, history, response_type)
