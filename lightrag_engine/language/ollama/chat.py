"""A chat model on an Ollama server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from ollama import ChatResponse, ResponseError

from lightrag_engine.errors import ModelError
from lightrag_engine.language.chat import ChatMessage, ChatOptions, ChatPiece, ChatUsage
from lightrag_engine.language.ollama.address import server_address
from lightrag_engine.language.ollama.client import OllamaClient
from lightrag_engine.language.ollama.failures import FAILURES, explain, may_pass, no_thinking, too_long
from lightrag_engine.language.ollama.state import OllamaModel
from lightrag_engine.language.patience import Patience, patiently
from lightrag_engine.language.thinking import ReasoningSplitter
from lightrag_engine.settings import Settings
from lightrag_engine.tokens import count

# A changed window reloads the model: few sizes, and never back to a smaller one.
WINDOWS: tuple[int, ...] = tuple(4096 << n for n in range(9))
_UNKNOWN_CONTEXT = 4096  # what every model takes

# The model's own tokens are not ours: what the prompt may have more, and the template around a message.
_MORE_TOKENS = 1.15
_MESSAGE_TOKENS = 16

# These put their opening tag into the prompt; where the server does not part reasoning from text, a reply
# begins inside the reasoning.
_REASONING_NAME = re.compile(r"deepseek-r1|qwq|thinking|reason", re.IGNORECASE)

_NANOSECONDS = 1e9


class OllamaChat:
    """A chat model on an Ollama server (see `ChatModel`).

    A stream holds one of the `server_parallel` turns until it ends or is closed: do not wait for another
    reply of the same model inside it.

    Parameters
    ----------
    model
        What the server told about it (`discover`).
    patience
        Limits of a request; default: those of the settings.

    Raises
    ------
    ModelError
        When it is an embedding model.
    """

    def __init__(self, model: OllamaModel, settings: Settings, patience: Patience | None = None) -> None:
        if not model.chats:
            raise ModelError(
                f'The model "{model.name}" cannot chat: it is an embedding model.',
                hint="Choose a chat model as the language model, such as qwen3:4b.",
            )
        self.name = f"ollama:{model.name}"
        self.fingerprint = f"{self.name}@{model.digest[:12]}"
        self.context_tokens = min(model.context_tokens or _UNKNOWN_CONTEXT, settings.server_context_tokens)
        self._model = model
        self._address = server_address(settings.ollama_host)
        self._patience = patience or Patience.of(settings)
        self._keep_alive = keep_alive(settings.server_keep_alive)
        self._level = settings.thinking
        self._turns = asyncio.Semaphore(settings.server_parallel)
        self._window = 0
        self._begins_inside = _REASONING_NAME.search(model.name) is not None and not model.thinks

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[ChatPiece, None]:
        """Yield the reply as it comes; closing the iterator stops the model.

        Raises
        ------
        ModelError
            When the model or the server is missing, refuses the request, or breaks off.
        """
        body = self._body(messages, options)
        async with self._turns:
            try:
                async with (
                    aclosing(patiently(lambda: self._lines(body), self._patience, may_pass)) as lines,
                    aclosing(self._pieces(lines)) as pieces,
                ):
                    async for piece in pieces:
                        yield piece
            except FAILURES as error:
                raise explain(error, self._address, self._model.name) from error

    async def _pieces(self, lines: AsyncGenerator[ChatResponse, None]) -> AsyncGenerator[ChatPiece, None]:
        splitter = ReasoningSplitter(self._begins_inside)
        usage = ChatUsage()
        async for line in lines:
            text, thinking = splitter.feed(line.message.content or "")
            thinking = (line.message.thinking or "") + thinking
            if text or thinking:
                yield ChatPiece(text, thinking)
            if line.done:
                usage = _usage(line)
        text, thinking = splitter.finish(usage.cut_off)
        self._begins_inside |= splitter.mistaken
        yield ChatPiece(text, thinking, usage)

    async def _lines(self, body: Mapping[str, Any]) -> AsyncGenerator[ChatResponse, None]:
        """Yield the reply's lines; a request refused for its window or for `think` is changed once more."""
        async with OllamaClient(self._address, self._patience.connect) as client:
            while True:
                try:
                    async with aclosing(client.chat_lines(body)) as lines:
                        async for line in lines:
                            yield line
                    return
                except ResponseError as error:
                    changed = self._changed(body, error)
                    if changed is None:
                        raise
                    body = changed

    def _changed(self, body: Mapping[str, Any], error: ResponseError) -> dict[str, Any] | None:
        if error.status_code != 400:  # not before the reply has begun
            return None
        if "think" in body and no_thinking(error):
            return {name: value for name, value in body.items() if name != "think"}
        window = int(body["options"]["num_ctx"])
        if too_long(error) and window < self.context_tokens:
            self._window = self._fitting(window + 1)
            return {**body, "options": {**body["options"], "num_ctx": self._window}}
        return None

    def _body(self, messages: Sequence[ChatMessage], options: ChatOptions) -> dict[str, Any]:
        prompt = sum(count(message.content) for message in messages)
        if prompt >= self.context_tokens:
            raise ModelError(
                f'The prompt has about {prompt} tokens, "{self.name}" takes {self.context_tokens}.',
                hint="Lower the token budgets or the chunk size, choose a model with a longer context, "
                "or raise the setting server_context_tokens.",
            )
        needed = int(prompt * _MORE_TOKENS) + _MESSAGE_TOKENS * (len(messages) + 1) + options.max_tokens
        self._window = max(self._window, self._fitting(needed))
        body: dict[str, Any] = {
            "model": self._model.name,
            "messages": [{"role": m.role, "content": encodable(m.content)} for m in messages],
            "stream": True,
            # An overlong prompt is to be an error, never a silent loss of its beginning.
            "truncate": False,
            "shift": False,
            "options": {
                "num_ctx": self._window,
                "num_predict": options.max_tokens,
                "temperature": options.temperature,
            },
        }
        think = self._think(options.think)
        if think is not None:
            body["think"] = think
        if options.schema is not None:
            body["format"] = options.schema
        if self._keep_alive is not None:
            body["keep_alive"] = self._keep_alive
        return body

    def _fitting(self, tokens: int) -> int:
        window = next((size for size in WINDOWS if size >= tokens), WINDOWS[-1])
        return min(window, self.context_tokens)

    def _think(self, wish: bool | None) -> bool | str | None:
        if wish is None or not self._model.thinks:
            return None
        if not self._model.thinks_in_levels:
            return wish
        if not wish:
            return "low"  # the least it does
        return self._level if self._level in ("low", "medium", "high") else "medium"


def keep_alive(setting: str) -> str | float | None:
    """Return how long a model stays loaded, as the protocol has it: a number is seconds, None the default."""
    try:
        return float(setting) if setting else None
    except ValueError:
        return setting


def _usage(line: ChatResponse) -> ChatUsage:
    return ChatUsage(
        prompt_tokens=line.prompt_eval_count or 0,
        reply_tokens=line.eval_count or 0,
        cut_off=line.done_reason == "length",
        load_seconds=(line.load_duration or 0) / _NANOSECONDS,
        seconds=(line.total_duration or 0) / _NANOSECONDS,
    )


def encodable(text: str) -> str:
    """Return a text that can be sent: half a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
