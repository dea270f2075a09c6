"""A chat model on an OpenAI-compatible server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
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
from lightrag_engine.language.patience import BrokenOffError, Patience, encodable
from lightrag_engine.language.served import ServedChat
from lightrag_engine.settings import Settings

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk

_UNKNOWN_CONTEXT = 8192
_REFUSED = (400, 422)


class OpenAICompatibleChat(ServedChat):
    """A chat model on an OpenAI-compatible server (see `ServedChat`).

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
        name = f"openai:{model.name}"
        super().__init__(
            name,
            f"{name}@{urlsplit(base_url(settings)).netloc}",
            min(model.context_tokens or _UNKNOWN_CONTEXT, settings.server_context_tokens),
            settings.server_parallel,
            patience or Patience.of(settings),
        )
        self._model = model.name
        self._settings = settings
        library()  # that it is missing shows at once

    def _may_pass(self, error: BaseException) -> bool:
        return may_pass(error)

    def _failures(self) -> tuple[type[Exception], ...]:
        return failures()

    def _explain(self, error: Exception) -> ModelError:
        return explain(error, self._settings, self._model)

    async def _sent(self, body: dict[str, Any]) -> AsyncGenerator[ChatPiece, None]:
        usage = ChatUsage()
        cut_off = False
        started = asyncio.get_running_loop().time()
        async with aclosing(self._chunks(body)) as chunks:
            async for chunk in chunks:
                if chunk.usage is not None:
                    usage = ChatUsage(chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
                for choice in chunk.choices[:1]:
                    cut_off = cut_off or choice.finish_reason == "length"
                    extra = choice.delta.model_extra or {}
                    thinking = extra.get("reasoning_content") or extra.get("reasoning") or ""
                    yield ChatPiece(choice.delta.content or "", thinking)
        seconds = asyncio.get_running_loop().time() - started
        yield ChatPiece(usage=replace(usage, cut_off=cut_off, seconds=seconds))

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

    def _body(self, messages: Sequence[ChatMessage], options: ChatOptions, prompt: int) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": m.role, "content": encodable(m.content)} for m in messages],
            "stream": True,
            "stream_options": {"include_usage": True},
            # Some servers refuse a request whose prompt and reply together could exceed the context.
            "max_tokens": max(1, min(options.max_tokens, self.context_tokens - prompt)),
            "temperature": options.temperature,
        }
        if options.schema is not None:
            schema = {"name": "reply", "schema": dict(options.schema), "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        if options.think is not None:
            request["extra_body"] = {"chat_template_kwargs": {"enable_thinking": options.think}}
        return request
