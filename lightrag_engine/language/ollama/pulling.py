"""Getting a model onto the server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass

from lightrag_engine.language.ollama.address import server_address
from lightrag_engine.language.ollama.client import OllamaClient
from lightrag_engine.language.ollama.failures import FAILURES, NotOllamaError, explain
from lightrag_engine.language.patience import BrokenOffError, Patience
from lightrag_engine.settings import Settings


@dataclass(frozen=True, slots=True)
class PullProgress:
    """One step of getting a model; bytes, 0 while they are not known."""

    status: str
    completed: int = 0
    total: int = 0


async def pull(settings: Settings, name: str) -> AsyncIterator[PullProgress]:
    """Have the server get a model from its registry; closing the iterator stops it.

    What was got is kept: a later call goes on from there.

    Raises
    ------
    ModelError
        When the server is not there or cannot get the model.
    """
    address = server_address(settings.ollama_host)
    status = ""
    try:
        async with OllamaClient(address, Patience.of(settings).connect) as client:
            async with aclosing(await client.pull(name, stream=True)) as steps:
                async for step in steps:
                    status = step.status or ""
                    yield PullProgress(status, step.completed or 0, step.total or 0)
            if status != "success":
                raise BrokenOffError("the transfer ended before it was complete")
    except FAILURES as error:
        raise explain(error, address, name) from error
    except (ValueError, AttributeError, TypeError) as error:
        raise explain(NotOllamaError.of(error), address, name) from error
