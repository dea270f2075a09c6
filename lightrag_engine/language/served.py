"""What the chat models of all servers share: turns, what is tried again, reasoning taken apart."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from lightrag_engine.errors import ModelError
from lightrag_engine.language.chat import ChatMessage, ChatOptions, ChatPiece, ChatUsage
from lightrag_engine.language.patience import Patience, patiently
from lightrag_engine.language.thinking import ReasoningSplitter
from lightrag_engine.tokens import count

# The model's own tokens are not ours: what the prompt may have more, and the template around a message.
_MORE_TOKENS = 1.15
_MESSAGE_TOKENS = 16


class ServedChat(ABC):
    """A chat model on a server (see `ChatModel`).

    A stream holds one of the turns until it ends or is closed: do not wait for another reply of the same
    model inside it.

    Parameters
    ----------
    name, fingerprint, context_tokens
        See `ChatModel`.
    parallel
        Requests at once.
    begins_inside
        Its replies begin inside its reasoning (see `ReasoningSplitter`).
    """

    def __init__(
        self,
        name: str,
        fingerprint: str,
        context_tokens: int,
        parallel: int,
        patience: Patience,
        begins_inside: bool = False,
    ) -> None:
        self.name = name
        self.fingerprint = fingerprint
        self.context_tokens = context_tokens
        self._patience = patience
        self._turns = asyncio.Semaphore(parallel)
        self._begins_inside = begins_inside

    @abstractmethod
    def _body(self, messages: Sequence[ChatMessage], options: ChatOptions, prompt: int) -> dict[str, Any]:
        """Return the request; `prompt` is how many tokens the messages may have, as the model counts."""

    @abstractmethod
    def _sent(self, body: dict[str, Any]) -> AsyncGenerator[ChatPiece, None]:
        """Yield what one request brings; the last piece has the usage. Reasoning may stand in the text."""

    @abstractmethod
    def _may_pass(self, error: BaseException) -> bool:
        """Whether the same request may succeed a moment later."""

    @abstractmethod
    def _explain(self, error: Exception) -> ModelError:
        """Return an error for a person."""

    @abstractmethod
    def _failures(self) -> tuple[type[Exception], ...]:
        """Return what the client raises."""

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[ChatPiece, None]:
        """Yield the reply as it comes; closing the iterator stops the model.

        Raises
        ------
        ModelError
            When the model or the server is missing, refuses the request, or breaks off.
        """
        body = self._body(messages, options, self._prompt_tokens(messages))
        async with self._turns:
            try:
                async with (
                    aclosing(patiently(lambda: self._sent(body), self._patience, self._may_pass)) as sent,
                    aclosing(self._pieces(sent)) as pieces,
                ):
                    async for piece in pieces:
                        yield piece
            except self._failures() as error:
                raise self._explain(error) from error

    async def _pieces(self, sent: AsyncGenerator[ChatPiece, None]) -> AsyncGenerator[ChatPiece, None]:
        splitter = ReasoningSplitter(self._begins_inside)
        usage = ChatUsage()
        async for piece in sent:
            text, thinking = splitter.feed(piece.text)
            thinking = piece.thinking + thinking
            usage = piece.usage or usage
            if text or thinking:
                yield ChatPiece(text, thinking)
        text, thinking = splitter.finish(usage.cut_off)
        self._begins_inside |= splitter.mistaken
        yield ChatPiece(text, thinking, usage)

    def _prompt_tokens(self, messages: Sequence[ChatMessage]) -> int:
        prompt = sum(count(message.content) for message in messages)
        if prompt >= self.context_tokens:
            raise ModelError(
                f'The prompt has about {prompt} tokens, "{self.name}" takes {self.context_tokens}.',
                hint="Lower the token budgets or the chunk size, choose a model with a longer context, "
                "or raise the setting server_context_tokens.",
            )
        return int(prompt * _MORE_TOKENS) + _MESSAGE_TOKENS * (len(messages) + 1)
