"""The built-in language: the four tasks by grammar, dictionaries and counting, without a language model."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections.abc import AsyncIterator, Sequence

from lightrag_engine.embedding.base import EmbeddingModel, Vectors
from lightrag_engine.language.builtin.answer import compose, rank, similarities
from lightrag_engine.language.builtin.controls import controls
from lightrag_engine.language.builtin.detect import spoken
from lightrag_engine.language.builtin.english.rules import rules_in_use
from lightrag_engine.language.builtin.extract import extract
from lightrag_engine.language.builtin.keywords import keywords
from lightrag_engine.language.builtin.summarise import summarise
from lightrag_engine.language.prompts import answer_prompt
from lightrag_engine.records import Chunk, Extraction, Keywords, Message
from lightrag_engine.retrieval.context import Context
from lightrag_engine.settings import Settings

__all__ = ["VERSION", "BuiltinLanguage"]

# Part of every extraction's key: raise it whenever a rule changes what is read from a chunk.
VERSION = "4"


class BuiltinLanguage:
    """Reads and writes without a language model; a `lightrag_engine.language.base.LanguageModel`.

    Fast, deterministic and offline. Answers are sentences of the documents, chosen and cited, never invented.

    Parameters
    ----------
    settings
        `entity_types`, `country_rules` and `extraction_rules` shape what is extracted.
    embedding
        When given, answers are also chosen by similarity, which finds other wordings and other languages.

    Raises
    ------
    SettingsError
        When `extraction_rules` names a rule that there is not.
    """

    name = "builtin"
    max_prompt_tokens = sys.maxsize  # nothing is prompted

    def __init__(self, settings: Settings, embedding: EmbeddingModel | None = None) -> None:
        relevant = repr((VERSION, settings.entity_types, [rule.name for rule in rules_in_use(settings)]))
        self.fingerprint = f"builtin-{hashlib.blake2b(relevant.encode(), digest_size=8).hexdigest()}"
        self._settings = settings
        self._embedding = embedding
        self._controls: dict[str, Vectors] = {}

    def answer_prompt(
        self, question: str, context: str, history: Sequence[Message] = (), response_type: str = ""
    ) -> str:
        """Return what a chat model would be asked; this language answers from the tables themselves."""
        return answer_prompt(question, context, history, response_type)

    async def extract(self, chunk: Chunk, title: str) -> Extraction:
        """Read a chunk of the document with this title into entity and relation records."""
        return await asyncio.to_thread(extract, chunk, title, self._settings)

    async def keywords(self, question: str, history: Sequence[Message] = ()) -> Keywords:
        """Return the high-level (themes) and low-level (entities, concrete terms) keywords of a question."""
        return await asyncio.to_thread(keywords, question, history, self._settings)

    async def summarise(self, name: str, descriptions: Sequence[str], max_tokens: int) -> str:
        """Choose the sentences that say most about `name`, within a budget; order plays no part."""
        return await asyncio.to_thread(summarise, name, descriptions, max_tokens)

    async def answer(
        self, question: str, context: Context, history: Sequence[Message] = (), response_type: str = ""
    ) -> AsyncIterator[str]:
        """Answer with sentences of the context, as a stream of Markdown pieces; ``[n]`` cites row n.

        Raises
        ------
        ModelError
            When the embedding cannot be reached.
        """
        words = await self.keywords(question, history)
        ranking = await asyncio.to_thread(rank, question, words, context)
        vectors = chance = None
        if self._embedding is not None and ranking.candidates and not ranking.is_settled:
            asked = _with_names(question, words)
            vectors = await similarities(asked, ranking.texts(), self._embedding)
            chance = await self._control_vectors(spoken(question), self._embedding)
        for piece in await asyncio.to_thread(compose, ranking, response_type, vectors, chance):
            yield piece
            await asyncio.sleep(0)

    async def _control_vectors(self, tongue: str, embedding: EmbeddingModel) -> Vectors:
        if tongue not in self._controls:
            self._controls[tongue] = await embedding.embed(controls(tongue), "query")
        return self._controls[tongue]


def _with_names(question: str, words: Keywords) -> str:
    """Return the question with the names it only refers to."""
    missing = [name for name in words.low_level if name.casefold() not in question.casefold()]
    return f"{question} ({', '.join(missing)})" if missing else question
