"""The four language tasks by prompting a chat model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing

from lightrag_engine.language.base import LanguageModel
from lightrag_engine.language.chat import ChatModel
from lightrag_engine.language.prompts import Prompts
from lightrag_engine.language.prompts.library import as_text
from lightrag_engine.language.tasks.answering import Answerer
from lightrag_engine.language.tasks.asking import Asking
from lightrag_engine.language.tasks.extraction import Extractor
from lightrag_engine.language.tasks.judging import AnswerJudge
from lightrag_engine.language.tasks.keywords import KeywordFinder
from lightrag_engine.language.tasks.summarising import Summariser
from lightrag_engine.names import content_id
from lightrag_engine.records import Chunk, Extraction, Keywords, Message, Ruling
from lightrag_engine.retrieval.context import Context
from lightrag_engine.settings import Settings
from lightrag_engine.storage.base import KeyValueStore

__all__ = ["VERSION", "PromptedLanguage"]

# Part of every extraction's key: raise it whenever the same reply would be read differently.
VERSION = "1"


class PromptedLanguage:
    """Reads and writes with a chat model; a `lightrag_engine.language.base.LanguageModel`.

    Made for models of three to eight billion parameters on a person's own machine: short prompts whose
    constant part comes first, forgiving parsers, few calls.

    Two formats of extraction replies are offered (`Settings.extraction_format`). *json*, the default, is
    decoded under a schema where the server can do that: a small model then cannot break the format, invent a
    type or add chatter, at the price of some more tokens than *records* (lines of delimited fields). Take
    *records* for a server without schemas, or where `lightrag_engine.LightRAG.compare_formats` says so.
    Either way a reply in the other format is understood.

    Parameters
    ----------
    chat
        The model that is asked.
    settings
        `entity_types`, `extraction_format`, `extraction_examples`, `entity_extract_max_gleaning`,
        `output_language`, the three delimiters and `answer_max_tokens` matter here.
    fallback
        Does what the model fails at twice: keywords and summaries.
    cache
        Keeps replies to extractions, keywords and summaries by model, options and prompt, so that an
        interrupted run repeats no call. Answers are not kept: the documents may have changed.
    prompts
        Our own, or those of a file (`lightrag_engine.language.prompts.load_prompts`).
    """

    def __init__(
        self,
        chat: ChatModel,
        settings: Settings,
        fallback: LanguageModel,
        cache: KeyValueStore | None = None,
        prompts: Prompts | None = None,
    ) -> None:
        prompts = prompts or Prompts()
        asking = Asking(chat, cache)
        self.name = chat.name
        relevant = (
            settings.entity_types,
            settings.extraction_format,
            settings.extraction_examples,
            settings.entity_extract_max_gleaning,
            settings.output_language,
            (settings.tuple_delimiter, settings.record_delimiter, settings.completion_delimiter),
        )
        self.fingerprint = content_id("llm", VERSION, chat.fingerprint, repr(relevant), as_text(prompts))
        self.context_tokens = chat.context_tokens
        self._answer_tokens = settings.answer_max_tokens
        self._extractor = Extractor(asking, settings, prompts)
        self._keywords = KeywordFinder(asking, fallback, prompts)
        self._summariser = Summariser(asking, fallback, settings.output_language, prompts)
        self._judge = AnswerJudge(asking, prompts)
        self._answerer = Answerer(asking, settings.answer_max_tokens, settings.thinking != "off", prompts)

    @property
    def max_prompt_tokens(self) -> int:
        """The longest answer prompt, as we count tokens, that leaves room for an answer."""
        return max(
            1, int((self.context_tokens - min(self._answer_tokens, self.context_tokens // 3)) / 1.15) - 16
        )

    async def extract(self, chunk: Chunk, title: str) -> Extraction:
        """Read a chunk of the document with this title; what went wrong stands in `problems` and `health`."""
        return await self._extractor.extract(chunk, title)

    async def keywords(self, question: str, history: Sequence[Message] = ()) -> Keywords:
        """Return the keywords of a question, and with a history the question that stands alone."""
        return await self._keywords.keywords(question, history)

    async def summarise(self, name: str, descriptions: Sequence[str], max_tokens: int) -> str:
        """Merge descriptions of `name` into one; their order plays no part."""
        return await self._summariser.summarise(name, descriptions, max_tokens)

    def answer_prompt(
        self, question: str, context: str, history: Sequence[Message] = (), response_type: str = ""
    ) -> str:
        """Return the prompt that `answer` sends, `context` being the tables as CSV."""
        return self._answerer.prompt(question, context, history, response_type)

    async def answer(
        self, question: str, context: Context, history: Sequence[Message] = (), response_type: str = ""
    ) -> AsyncIterator[str]:
        """Answer from the context, as a stream of Markdown pieces; ``[n]`` cites row n of the sources."""
        pieces = self._answerer.answer(question, context, history, response_type)
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece

    async def judge(self, question: str, first: str, second: str) -> tuple[Ruling, ...]:
        """Compare two answers; a `lightrag_engine.language.base.Judge`."""
        return await self._judge.judge(question, first, second)
