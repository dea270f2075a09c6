"""The official client, with the few things that this engine asks of the protocol beyond it."""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from functools import cache
from typing import Any, cast

import httpx
from ollama import AsyncClient, ChatResponse, ShowResponse
from pydantic import BaseModel, Field

from lightrag_engine.language.ollama.address import is_loopback
from lightrag_engine.language.ollama.failures import NotOllamaError
from lightrag_engine.language.patience import BrokenOffError


class _Version(BaseModel):
    version: str


class ModelDescription(ShowResponse):
    """The answer of ``/api/show``; `remote_host` is set for a model that runs on another machine."""

    modelinfo: Mapping[str, Any] | None = Field(None, alias="model_info")
    remote_host: str | None = None


class OllamaClient(AsyncClient):
    """A client for one task: opened, used, closed, in any event loop.

    Parameters
    ----------
    address
        The server's full address.
    connect, read
        Limits in seconds; None is no limit.
    """

    def __init__(self, address: str, connect: float | None, read: float | None = None) -> None:
        super().__init__(
            address,
            timeout=httpx.Timeout(read, connect=connect),
            # A proxy of the environment is not for this machine, though NO_PROXY often forgets to say so.
            trust_env=not is_loopback(address),
            verify=_tls(),
        )

    async def version(self) -> str:
        """Return the server's version."""
        return (await self._request(_Version, "GET", "/api/version")).version

    async def describe(self, model: str) -> ModelDescription:
        """Return what ``/api/show`` says about a model."""
        return await self._request(ModelDescription, "POST", "/api/show", json={"model": model})

    async def chat_lines(self, body: Mapping[str, Any]) -> AsyncGenerator[ChatResponse, None]:
        """Yield the lines of a chat reply.

        The client's own `chat` cannot send `truncate` and `shift`: without them an overlong prompt is cut
        in silence.

        Raises
        ------
        NotOllamaError
            When a line is not of the protocol.
        BrokenOffError
            When the reply ends before its last line.
        """
        lines = await self._request(ChatResponse, "POST", "/api/chat", json=dict(body), stream=True)
        try:
            async with aclosing(cast(AsyncGenerator[ChatResponse, None], lines)) as stream:
                async for line in stream:
                    done = bool(line.done)
                    yield line
                    if done:  # whatever comes after it is none of the reply
                        return
        except (ValueError, AttributeError, TypeError) as error:
            raise NotOllamaError.of(error) from error
        raise BrokenOffError("the reply ended before it was complete")


@cache
def _tls() -> ssl.SSLContext:
    # Reading the certificates takes longer than many a request.
    return ssl.create_default_context()
