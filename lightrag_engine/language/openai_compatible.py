"""A chat model on an OpenAI-compatible server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lightrag_engine.errors import ModelError
from lightrag_engine.language.chat import ChatMessage, ChatOptions, ChatPiece, ChatUsage
from lightrag_engine.language.openai_server import (
    OpenAIModel,
    base_url,
    explain,
    failures,
    library,
    may_pass,
    open_client,
)
from lightrag_engine.language.patience import BrokenOffError, Patience, patiently
from lightrag_engine.language.thinking import ReasoningSplitter
from lightrag_engine.settings import Settings
from lightrag_engine.tokens import count

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk

_UNKNOWN_CONTEXT = 8192
_MORE_TOKENS = 1.15  # the model's own tokens are not ours
_MESSAGE_TOKENS = 16
_REFUSED = (400, 422)


class OpenAICompatibleChat:
    """A chat model on an OpenAI-compatible server (see `ChatModel`).

    Parameters
    ----------
    model
        What the server's list says about it.
    patience
        Limits of a request; default: those of the settings.

    Raises
    ------
    ModelError
        When the client library is not installed.
    """

    def __init__(self, model: OpenAIModel, settings: Settings, patience: Patience | None = None) -> None:
        self.name = f"openai:{model.name}"
        self.fingerprint = f"{self.name}@{urlsplit(base_url(settings)).netloc}"
        self.context_tokens = min(model.context_tokens or _UNKNOWN_CONTEXT, settings.server_context_tokens)
        self._model = model.name
        self._settings = settings
        self._patience = patience or Patience.of(settings)
        self._turns = asyncio.Semaphore(settings.server_parallel)
        self._begins_inside = False
        library()  # that it is missing shows at once

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[ChatPiece, None]:
        """Yield the reply as it comes; closing the iterator stops the model.

        Raises
        ------
        ModelError
            When the model or the server is missing, refuses the request, or breaks off.
        """
        request = self._request(messages, options)
        async with self._turns:
            try:
                async with (
                    aclosing(patiently(lambda: self._chunks(request), self._patience, may_pass)) as chunks,
                    aclosing(self._pieces(chunks)) as pieces,
                ):
                    async for piece in pieces:
                        yield piece
            except failures() as error:
                raise explain(error, self._settings, self._model) from error

    async def _pieces(
        self, chunks: AsyncGenerator[ChatCompletionChunk, None]
    ) -> AsyncGenerator[ChatPiece, None]:
        splitter = ReasoningSplitter(self._begins_inside)
        usage = ChatUsage()
        cut_off = False
        started = asyncio.get_running_loop().time()
        async for chunk in chunks:
            if chunk.usage is not None:
                usage = ChatUsage(chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
            for choice in chunk.choices[:1]:
                cut_off = cut_off or choice.finish_reason == "length"
                extra = choice.delta.model_extra or {}
                text, thinking = splitter.feed(choice.delta.content or "")
                thinking = (extra.get("reasoning_content") or extra.get("reasoning") or "") + thinking
                if text or thinking:
                    yield ChatPiece(text, thinking)
        text, thinking = splitter.finish(cut_off)
        self._begins_inside |= splitter.mistaken
        seconds = asyncio.get_running_loop().time() - started
        yield ChatPiece(
            text, thinking, ChatUsage(usage.prompt_tokens, usage.reply_tokens, cut_off, seconds=seconds)
        )

    async def _chunks(self, request: dict[str, Any]) -> AsyncGenerator[ChatCompletionChunk, None]:
        finished = False
        async with open_client(self._settings, self._patience) as client:
            try:
                stream = await client.chat.completions.create(**request)
            except failures() as error:
                if getattr(error, "status_code", 0) not in _REFUSED or "chat_template" not in str(error):
                    raise
                without = {name: value for name, value in request.items() if name != "extra_body"}
                stream = await client.chat.completions.create(**without)
            async with stream:
                async for chunk in stream:
                    finished = finished or any(choice.finish_reason for choice in chunk.choices)
                    yield chunk
        if not finished:
            raise BrokenOffError("the reply ended before it was complete")

    def _request(self, messages: Sequence[ChatMessage], options: ChatOptions) -> dict[str, Any]:
        prompt = sum(count(message.content) for message in messages)
        if prompt >= self.context_tokens:
            raise ModelError(
                f'The prompt has about {prompt} tokens, "{self.name}" takes {self.context_tokens}.',
                hint="Lower the token budgets or the chunk size, or start the server with a longer context.",
            )
        room = self.context_tokens - int(prompt * _MORE_TOKENS) - _MESSAGE_TOKENS * (len(messages) + 1)
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [
                {"role": m.role, "content": m.content.encode("utf-8", "replace").decode()} for m in messages
            ],
            "stream": True,
            "stream_options": {"include_usage": True},
            # Some servers refuse a request whose prompt and reply together could exceed the context.
            "max_tokens": max(1, min(options.max_tokens, room)),
            "temperature": options.temperature,
        }
        if options.schema is not None:
            schema = {"name": "reply", "schema": dict(options.schema), "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        if options.think is not None:
            request["extra_body"] = {"chat_template_kwargs": {"enable_thinking": options.think}}
        return request
