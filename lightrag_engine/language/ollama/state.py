"""What an Ollama server has: is it there, which models, what can they do."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ollama import ListResponse, ResponseError

from lightrag_engine.language.ollama.address import server_address
from lightrag_engine.language.ollama.client import ModelDescription, OllamaClient
from lightrag_engine.language.ollama.failures import FAILURES, NotOllamaError, explain
from lightrag_engine.settings import Settings

T = TypeVar("T")

_READ_LIMIT = 5.0  # seconds; these calls need no model
_AT_ONCE = 4

# For servers too old to tell what a model can do.
_EMBEDDING_NAME = re.compile(r"embed|minilm|\bbge\b|\bgte\b|\be5\b", re.IGNORECASE)
_CLOUD_NAME = re.compile(r"[:-]cloud$")


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """A model on the server.

    `context_tokens` and `dimensions` are 0 when the server does not tell. `remote`: it runs on Ollama's
    machines, so texts would leave this one.
    """

    name: str
    digest: str = ""
    size: int = 0
    family: str = ""
    parameter_size: str = ""
    quantization: str = ""
    context_tokens: int = 0
    dimensions: int = 0
    capabilities: frozenset[str] = frozenset({"completion"})
    remote: bool = False

    @property
    def chats(self) -> bool:
        """Whether it writes."""
        return "completion" in self.capabilities

    @property
    def embeds(self) -> bool:
        """Whether it turns texts into vectors."""
        return "embedding" in self.capabilities

    @property
    def thinks(self) -> bool:
        """Whether it can reason before it writes, in a channel of its own."""
        return "thinking" in self.capabilities

    @property
    def thinks_in_levels(self) -> bool:
        """Whether it takes only low, medium or high, and cannot be told not to think."""
        return self.family in ("gptoss", "gpt-oss")


@dataclass(frozen=True, slots=True)
class OllamaState:
    """What was found at an address; `reason` and `hint` say why a server that is not there cannot be used."""

    address: str
    version: str = ""
    models: tuple[OllamaModel, ...] = ()
    reason: str = ""
    hint: str = ""

    @property
    def reachable(self) -> bool:
        """Whether the server answered."""
        return not self.reason

    @property
    def chat_models(self) -> tuple[OllamaModel, ...]:
        """Models that write, those of this machine first, otherwise the most recently changed first."""
        return tuple(sorted((m for m in self.models if m.chats), key=lambda m: m.remote))

    @property
    def embedding_models(self) -> tuple[OllamaModel, ...]:
        """Models that turn texts into vectors, in the same order."""
        return tuple(sorted((m for m in self.models if m.embeds), key=lambda m: m.remote))

    def find(self, name: str) -> OllamaModel | None:
        """Return the model of this name; a name without a tag means ``latest``."""
        wanted = name if ":" in name.rpartition("/")[2] else f"{name}:latest"
        return next((m for m in self.models if m.name.lower() in (name.lower(), wanted.lower())), None)


async def discover(settings: Settings) -> OllamaState:
    """Look what is at the address that the settings give; takes seconds at most.

    Raises
    ------
    SettingsError
        When the setting is not an address.
    """
    address = server_address(settings.ollama_host)
    connect = settings.server_connect_timeout or None
    try:
        async with OllamaClient(address, connect, _READ_LIMIT) as client:
            version = await _read(client.version())
            listed = (await _read(client.list())).models
            turns = asyncio.Semaphore(_AT_ONCE)
            models = await asyncio.gather(*(_model(client, m, turns) for m in listed if m.model))
    except FAILURES as error:
        failure = explain(error, address)
        return OllamaState(address, reason=str(failure), hint=failure.hint)
    return OllamaState(address, version, tuple(models))


async def _read(answer: Awaitable[T]) -> T:
    try:
        return await answer
    except (ValueError, AttributeError, TypeError) as error:
        raise NotOllamaError.of(error) from error


async def _model(client: OllamaClient, entry: ListResponse.Model, turns: asyncio.Semaphore) -> OllamaModel:
    name, details = entry.model or "", entry.details
    try:
        async with turns:
            description = await _read(client.describe(name))
    except (ResponseError, NotOllamaError):  # one damaged model does not hide the others
        description = ModelDescription(model_info=None)
    family = (details.family if details else "") or ""
    info = description.modelinfo or {}
    return OllamaModel(
        name=name,
        digest=entry.digest or "",
        size=int(entry.size or 0),
        family=family,
        parameter_size=(details.parameter_size if details else "") or "",
        quantization=(details.quantization_level if details else "") or "",
        context_tokens=_number(info, "context_length"),
        dimensions=_number(info, "embedding_length"),
        capabilities=_capabilities(description, name, family),
        remote=bool(description.remote_host) or _CLOUD_NAME.search(name) is not None,
    )


def _number(info: Mapping[str, Any], key: str) -> int:
    architecture = info.get("general.architecture")
    names = [f"{architecture}.{key}", *(name for name in info if name.endswith(f".{key}"))]
    return next((int(info[name]) for name in names if isinstance(info.get(name), int | float)), 0)


def _capabilities(description: ModelDescription, name: str, family: str) -> frozenset[str]:
    if description.capabilities:
        return frozenset(description.capabilities)
    embeds = "bert" in family or _EMBEDDING_NAME.search(name) is not None
    return frozenset({"embedding" if embeds else "completion"})
