"""A chat model on an Ollama server."""

from __future__ import annotations

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
from lightrag_engine.language.patience import Patience, encodable
from lightrag_engine.language.served import ServedChat
from lightrag_engine.settings import Settings

# A changed window reloads the model: few sizes, and never back to a smaller one.
WINDOWS: tuple[int, ...] = tuple(4096 << n for n in range(9))
_UNKNOWN_CONTEXT = 4096  # what every model takes

# These put their opening tag into the prompt; where the server does not part reasoning from text, a reply
# begins inside the reasoning.
_REASONING_NAME = re.compile(r"deepseek-r1|qwq|thinking|reason", re.IGNORECASE)

_NANOSECONDS = 1e9


class OllamaChat(ServedChat):
    """A chat model on an Ollama server (see `ServedChat`).

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
        name = f"ollama:{model.name}"
        super().__init__(
            name,
            f"{name}@{model.digest[:12]}",
            min(model.context_tokens or _UNKNOWN_CONTEXT, settings.server_context_tokens),
            settings.server_parallel,
            patience or Patience.of(settings),
            begins_inside=_REASONING_NAME.search(model.name) is not None and not model.thinks,
        )
        self._model = model
        self._address = server_address(settings.ollama_host)
        self._keep_alive = keep_alive(settings.server_keep_alive)
        self._level = settings.thinking
        self._window = 0

    def _may_pass(self, error: BaseException) -> bool:
        return may_pass(error)

    def _failures(self) -> tuple[type[Exception], ...]:
        return FAILURES

    def _explain(self, error: Exception) -> ModelError:
        return explain(error, self._address, self._model.name)

    async def _sent(self, body: dict[str, Any]) -> AsyncGenerator[ChatPiece, None]:
        async with aclosing(self._lines(body)) as lines:
            async for line in lines:
                usage = _usage(line) if line.done else None
                yield ChatPiece(line.message.content or "", line.message.thinking or "", usage)

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

    def _body(self, messages: Sequence[ChatMessage], options: ChatOptions, prompt: int) -> dict[str, Any]:
        needed = prompt + options.max_tokens
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
