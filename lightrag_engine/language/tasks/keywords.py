"""Question → keywords, by asking a chat model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lightrag_engine.language.base import LanguageModel
from lightrag_engine.language.chat import ChatMessage, ChatOptions
from lightrag_engine.language.parsing import ParsedKeywords, parse_keywords
from lightrag_engine.language.prompts import Prompts, fill, history_text
from lightrag_engine.language.tasks.asking import Asking
from lightrag_engine.language.tasks.schemas import keywords_schema
from lightrag_engine.records import Keywords, Message
from lightrag_engine.tokens import count

_REPLY_TOKENS = 300
# What a follow-up refers to stands in the last turns; long answers are shortened to their beginning.
_TURNS = 6
_TURN_CHARACTERS = 1_500
NOTE = "The model gave no usable keywords, so they were taken from the words of the question."


@dataclass(frozen=True)
class KeywordFinder:
    """Finds keywords with a chat model, or with `fallback` when that fails twice."""

    asking: Asking
    fallback: LanguageModel
    prompts: Prompts = field(default_factory=Prompts)

    async def keywords(self, question: str, history: Sequence[Message] = ()) -> Keywords:
        """Return the keywords of a question; with a history also the question that stands alone.

        Raises
        ------
        ModelError
            When the model cannot be reached or refuses the request.
        """
        messages = self._messages(question, history)
        schema = keywords_schema(with_question=bool(history))
        for attempt in (1, 2):
            limit = self.asking.reply_tokens(messages, attempt * _REPLY_TOKENS)
            options = ChatOptions(max_tokens=limit, schema=schema, think=False)
            asked = await self.asking.ask(messages, options, lambda text: _usable(text) is not None)
            found = _usable(asked.text)
            if found is not None:
                alone = found.question if history and found.question != question else ""
                return Keywords(found.high_level, found.low_level, question=alone)
        return replace(await self.fallback.keywords(question, history), note=NOTE)

    def _messages(self, question: str, history: Sequence[Message]) -> list[ChatMessage]:
        recent = [replace(turn, content=turn.content[:_TURN_CHARACTERS]) for turn in history[-_TURNS:]]
        system = self.prompts.keywords + (self.prompts.follow_up if history else "")
        # The keywords need no more of the conversation than the model can hold beside the question.
        room = self.asking.chat.context_tokens // 2 - count(question)
        while recent and sum(count(turn.content) for turn in recent) > room:
            recent.pop(0)
        said = f"{history_text(recent)}\n" if recent else ""
        request = fill(self.prompts.question, {"history": said, "question": question})
        return [ChatMessage("system", system), ChatMessage("user", request)]


def _usable(text: str) -> ParsedKeywords | None:
    found = parse_keywords(text)
    return found if found and (found.high_level or found.low_level) else None
