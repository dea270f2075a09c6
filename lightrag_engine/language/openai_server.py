"""An OpenAI-compatible server (llama.cpp, vLLM, LM Studio): its client, its models, its failures in words.

The official client is optional: ``pip install "lightrag-explorer[openai]"``.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx

from lightrag_engine.errors import ModelError, ServerAwayError, SettingsError
from lightrag_engine.language.ollama.address import is_loopback
from lightrag_engine.language.patience import (
    BrokenOffError,
    FirstTokenTimeoutError,
    Patience,
    SilenceTimeoutError,
    error_text,
    within,
)
from lightrag_engine.settings import Settings

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_READ_LIMIT = 5.0  # seconds; listing models needs none of them
_BUSY_STATUS = {429, 502, 503, 504}
_PASSING_STATUS = {500, *_BUSY_STATUS}
# What servers call the length of the context in their list of models.
_CONTEXT_NAMES = ("max_model_len", "context_length", "max_context_length", "n_ctx", "n_ctx_train")


@dataclass(frozen=True, slots=True)
class OpenAIModel:
    """A model of the server's list; `context_tokens` is 0 when the server does not tell."""

    name: str
    context_tokens: int = 0


def base_url(settings: Settings) -> str:
    """Return the server's address with the ``/v1`` that most leave out.

    Raises
    ------
    SettingsError
        When there is none or it is not an address.
    """
    value = settings.openai_base_url.strip().rstrip("/")
    url = value if "://" in value else f"http://{value}"
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:
        usable = False
    if not usable or " " in url:
        raise SettingsError(
            f"The setting openai_base_url cannot be {value!r}: it is not an address.",
            hint="Give it like http://127.0.0.1:8080/v1, in LIGHTRAG_OPENAI_BASE_URL.",
        )
    return url if parts.path else f"{url}/v1"


def library() -> ModuleType:
    """Return the client library.

    Raises
    ------
    ModelError
        When it is not installed.
    """
    try:
        return importlib.import_module("openai")
    except ImportError:
        raise ModelError(
            "An OpenAI-compatible server needs the package openai, which is not installed.",
            hint='Install it with: pip install "lightrag-explorer[openai]"',
        ) from None


def open_client(settings: Settings, patience: Patience) -> AsyncOpenAI:
    """Return a client for one task, to be used with ``async with``.

    Raises
    ------
    ModelError
        When the client library is not installed.
    """
    openai = library()
    url = base_url(settings)
    client: AsyncOpenAI = openai.AsyncOpenAI(
        base_url=url,
        # Given always: a key of the environment is for another server.
        api_key=settings.openai_api_key.get_secret_value() or "none",
        max_retries=0,
        http_client=openai.DefaultAsyncHttpxClient(
            timeout=openai.Timeout(None, connect=patience.connect), trust_env=not is_loopback(url)
        ),
    )
    return client


def failures() -> tuple[type[Exception], ...]:
    """Return what the client raises."""
    return (library().OpenAIError, httpx.HTTPError, OSError, ValueError)


async def list_models(settings: Settings) -> tuple[OpenAIModel, ...]:
    """Return the models that the server has.

    Raises
    ------
    ModelError
        When it does not answer.
    """
    client = open_client(settings, Patience.of(settings))
    try:
        async with client:
            page = await within(_READ_LIMIT, client.models.list(), FirstTokenTimeoutError)
    except failures() as error:
        raise explain(error, settings) from error
    return tuple(OpenAIModel(model.id, _context(model.model_extra or {})) for model in page.data)


def may_pass(error: BaseException) -> bool:
    """Whether the same request may succeed a moment later."""
    if too_long(error) or _refused_connection(error):
        return False
    if status := getattr(error, "status_code", 0):
        return status in _PASSING_STATUS
    passing = (FirstTokenTimeoutError, BrokenOffError, httpx.TransportError, library().APIError)
    return isinstance(error, passing)


def too_long(error: BaseException) -> bool:
    """Whether the input is longer than the model's context."""
    text = str(error).lower()
    words = ("exceed", "maximum", "overflow", "too large", "too long")
    return ("context" in text or "input is too large" in text) and any(word in text for word in words)


def explain(error: BaseException, settings: Settings, model: str = "") -> ModelError:
    """Return the error for a person, with a hint what to do."""
    url = base_url(settings)
    server = f"he model server at {urlsplit(url).netloc}"
    text = error_text(error)
    status = getattr(error, "status_code", 0)
    if isinstance(error, FirstTokenTimeoutError | SilenceTimeoutError):
        return ModelError(
            f'The model "{model}" is too slow: nothing for {error}.',
            hint="Raise server_first_token_timeout or server_silence_timeout, or choose a smaller model.",
        )
    if _refused_connection(error):
        return ServerAwayError(
            f"T{server} does not answer.", hint=f"Is it running? The setting openai_base_url is {url}."
        )
    if isinstance(error, BrokenOffError) or isinstance(error.__cause__ or error, httpx.TransportError):
        return ServerAwayError(
            f"The connection to t{server} broke off: {text}.",
            hint="Look at the server's log, then try again.",
        )
    if too_long(error):
        return ModelError(
            f'The text is too long for the model "{model}": {text}.',
            hint="Lower the token budgets or the chunk size, or start the server with a longer context.",
        )
    if status in _BUSY_STATUS:
        return ServerAwayError(f"T{server} is busy or not ready: {text}.", hint="Try again later.")
    if status == 404:
        return ModelError(
            f'The model "{model}" is not on t{server}: {text}.', hint="Choose one that the server lists."
        )
    if status in (401, 403):
        return ModelError(f"T{server} wants a key: {text}.", hint="Set LIGHTRAG_OPENAI_API_KEY.")
    return ModelError(f"T{server} failed: {text}.", hint="Look at the server's log, then try again.")


def _refused_connection(error: BaseException) -> bool:
    cause = error.__cause__ or error
    return type(cause).__name__ in ("ConnectError", "ConnectTimeout")


def _context(extra: dict[str, Any]) -> int:
    values = {**(extra.get("meta") or {}), **extra}
    return next((int(values[n]) for n in _CONTEXT_NAMES if isinstance(values.get(n), int | float)), 0)
