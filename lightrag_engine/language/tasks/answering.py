"""Question and context → the answer as a stream of text, by asking a chat model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import cast

from lightrag_engine.errors import ModelError
from lightrag_engine.language.base import CANNOT_ANSWER, Thought
from lightrag_engine.language.chat import ChatMessage, ChatOptions, ChatPiece
from lightrag_engine.language.prompts import Prompts, answer_prompt
from lightrag_engine.language.tasks.asking import Asking
from lightrag_engine.language.tasks.cleaning import AnswerCleaner
from lightrag_engine.records import Message
from lightrag_engine.retrieval.context import Context

# How many times the room a model gets that spent it on reasoning.
_MORE = 3


@dataclass(frozen=True)
class Answerer:
    """Writes answers with a chat model. They are never cached: the documents may have changed."""

    asking: Asking
    max_tokens: int
    think: bool = False
    prompts: Prompts = field(default_factory=Prompts)

    def prompt(
        self, question: str, context: str, history: Sequence[Message] = (), response_type: str = ""
    ) -> str:
        """Return the whole prompt of an answer, `context` being the tables as CSV."""
        return answer_prompt(question, context, history, response_type, self.prompts.answer)

    async def answer(
        self, question: str, context: Context, history: Sequence[Message] = (), response_type: str = ""
    ) -> AsyncGenerator[str, None]:
        """Yield the text of the answer as it comes.

        Raises
        ------
        ModelError
            When the model cannot be reached, has no room for the prompt, or gives no answer at all.
        """
        if context.is_empty:
            yield CANNOT_ANSWER
            return
        prompt = self.prompt(question, context.to_csv(), history, response_type)
        messages = [ChatMessage("user", prompt)]
        # A model that cannot be kept from reasoning needs room for both the second time.
        for wanted in (self.max_tokens, _MORE * self.max_tokens):
            limit = self.asking.reply_tokens(messages, wanted)
            has_text = False
            # An iterator that is dropped half-way would leave the model writing.
            async with aclosing(self._text(messages, limit, question)) as pieces:
                async for piece in pieces:
                    has_text = has_text or not isinstance(piece, Thought)
                    yield piece
            if has_text:
                return
        raise ModelError(
            f"{self.asking.chat.name} gave no answer.",
            hint="Ask again, or use another model; one that reasons at length needs a longer context.",
        )

    async def _text(
        self, messages: Sequence[ChatMessage], limit: int, question: str
    ) -> AsyncGenerator[str, None]:
        cleaner = AnswerCleaner((messages[0].content, question))
        options = ChatOptions(max_tokens=limit, think=self.think)
        stream = cast(AsyncGenerator[ChatPiece, None], self.asking.chat.stream(messages, options))
        async with aclosing(stream):
            async for piece in stream:
                # Some models cannot be kept from reasoning; it is shown only where it was asked for.
                if piece.thinking and self.think:
                    yield Thought(piece.thinking)
                if clean := cleaner.feed(piece.text):
                    yield clean
        if rest := cleaner.finish():
            yield rest
