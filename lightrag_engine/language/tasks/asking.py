"""Asking a chat model: room in its context, the response cache, and what the calls cost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from lightrag_engine.errors import ModelError
from lightrag_engine.language.chat import ChatMessage, ChatModel, ChatOptions, ChatUsage, reply
from lightrag_engine.language.parsing import strip_reasoning
from lightrag_engine.names import content_id
from lightrag_engine.storage.base import KeyValueStore
from lightrag_engine.tokens import count

# Models count other tokens than we do; a prompt is taken to be longer by this, and by what a message costs.
_MARGIN = 1.15
_PER_MESSAGE = 12
# An answer that has less room than this is not worth asking for.
_LEAST_REPLY = 200

# Whether replies that are kept do not count now. A request knows nothing of the reason why it is made, and
# it passes through languages that have no cache.
_anew: ContextVar[bool] = ContextVar("asking anew", default=False)


@contextmanager
def asking_anew(wanted: bool = True) -> Iterator[None]:
    """Ask models for the length of a block also what they have answered before; new replies are kept."""
    token = _anew.set(wanted)
    try:
        yield
    finally:
        _anew.reset(token)


@dataclass(frozen=True, slots=True)
class Asked:
    """A reply without reasoning. `usage` is that of the call, also when the reply came from the cache."""

    text: str
    usage: ChatUsage
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Cost:
    """What calls have cost so far; `seconds` leave out the loading of the model."""

    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    seconds: float = 0.0

    def plus(self, asked: Asked) -> Cost:
        """Return the cost with one more reply; one from the cache costs nothing."""
        if asked.cached:
            return replace(self, cached_calls=self.cached_calls + 1)
        return Cost(
            calls=self.calls + 1,
            cached_calls=self.cached_calls,
            prompt_tokens=self.prompt_tokens + asked.usage.prompt_tokens,
            reply_tokens=self.reply_tokens + asked.usage.reply_tokens,
            seconds=self.seconds + asked.usage.seconds - asked.usage.load_seconds,
        )


def prompt_tokens(messages: Sequence[ChatMessage]) -> int:
    """Return how many tokens messages have at most, as the model counts."""
    return int(sum(count(message.content) + _PER_MESSAGE for message in messages) * _MARGIN) + 1


@dataclass(frozen=True, slots=True)
class Asking:
    """A chat model behind a response cache.

    A reply is found again by the model's fingerprint, the options and the whole prompt; one that `usable`
    refuses is not kept, so that it is asked for again.
    """

    chat: ChatModel
    cache: KeyValueStore | None = None

    def room(self, messages: Sequence[ChatMessage]) -> int:
        """Return how many tokens a reply to these messages can have; negative when they are too long."""
        return self.chat.context_tokens - prompt_tokens(messages)

    def reply_tokens(self, messages: Sequence[ChatMessage], wanted: int) -> int:
        """Return the limit for a reply that should have room for `wanted` tokens.

        Raises
        ------
        ModelError
            When the messages leave no room for a reply.
        """
        room = self.room(messages)
        if room < min(_LEAST_REPLY, wanted):
            raise ModelError(
                f"The prompt of about {prompt_tokens(messages):,} tokens does not fit into the context of "
                f"{self.chat.name} ({self.chat.context_tokens:,} tokens).",
                hint="Use smaller chunks (LIGHTRAG_CHUNK_TOKEN_SIZE), or a model with a longer context.",
            )
        return min(room, wanted)

    async def ask(
        self, messages: Sequence[ChatMessage], options: ChatOptions, usable: Callable[[str], bool]
    ) -> Asked:
        """Return the reply to the messages, from the cache when it was given before.

        Raises
        ------
        ModelError
            When the model cannot be reached or refuses.
        """
        key = self._key(messages, options)
        if self.cache is not None and not _anew.get():
            kept = await asyncio.to_thread(self.cache.get, key)
            if kept is not None:
                return Asked(kept["text"], ChatUsage(**kept["usage"]), cached=True)
        answer = await reply(self.chat, messages, options)
        text, _ = strip_reasoning(answer.text)
        asked = Asked(text, answer.usage)
        if self.cache is not None and usable(text):
            await asyncio.to_thread(self.cache.put_many, {key: {"text": text, "usage": _usage(answer.usage)}})
        return asked

    def _key(self, messages: Sequence[ChatMessage], options: ChatOptions) -> str:
        asked = {
            "max_tokens": options.max_tokens,
            "schema": options.schema,
            "think": options.think,
            "temperature": options.temperature,
        }
        turns = [part for message in messages for part in (message.role, message.content)]
        return content_id("response", self.chat.fingerprint, json.dumps(asked, sort_keys=True), *turns)


def _usage(usage: ChatUsage) -> dict[str, float | int | bool]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "reply_tokens": usage.reply_tokens,
        "cut_off": usage.cut_off,
        "load_seconds": usage.load_seconds,
        "seconds": usage.seconds,
    }
