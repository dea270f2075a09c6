"""Asking models of the Ollama double, in the tests of whatever works with them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ollama_double import ChatDouble, ChatScript, OllamaDouble

from lightrag_engine import Settings
from lightrag_engine.language.chat import ChatMessage, ChatModel, ChatOptions, ChatReply, reply
from lightrag_engine.language.ollama import OllamaChat, discover
from lightrag_engine.language.patience import Patience

PATIENCE = Patience(connect=10.0, first_token=5.0, silence=5.0, pause=0.01)


def open_chat(double: OllamaDouble, patience: Patience = PATIENCE, **settings: Any) -> OllamaChat:
    """Return the first chat model that a server has."""
    chosen = Settings(ollama_host=double.address, **settings)
    state = asyncio.run(discover(chosen))
    return OllamaChat(state.chat_models[0], chosen, patience)


@contextmanager
def chatting(
    script: ChatScript,
    patience: Patience = PATIENCE,
    settings: dict[str, Any] | None = None,
    server: dict[str, Any] | None = None,
    **model: Any,
) -> Iterator[tuple[OllamaDouble, OllamaChat]]:
    """Serve one scripted model; gives the server and the model."""
    with OllamaDouble(
        [ChatDouble(**{"name": "model", "script": script, **model})], **(server or {})
    ) as double:
        yield double, open_chat(double, patience, **(settings or {}))


def ask(chat: ChatModel, text: str = "Hello", **options: Any) -> ChatReply:
    """Return the whole reply to one message."""
    return asyncio.run(
        reply(chat, [ChatMessage("user", text)], ChatOptions(**{"max_tokens": 100, **options}))
    )
