"""What can go wrong with an Ollama server, in words for a person, and what may pass by itself."""

from __future__ import annotations

import json
import re
from urllib.parse import urlsplit

import httpx
from ollama import ResponseError

from lightrag_engine.errors import MissingModelError, ModelError, ServerAwayError
from lightrag_engine.language.patience import (
    BrokenOffError,
    FirstTokenTimeoutError,
    SilenceTimeoutError,
    error_text,
    shortened,
)


class NotOllamaError(Exception):
    """A server answered with something that is not Ollama's protocol."""

    @classmethod
    def of(cls, error: Exception) -> NotOllamaError:
        """Return it for what the client raised when it read an answer."""
        is_json = not isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
        return cls(error_text(error) if is_json else "its answer is not JSON")


# OSError has the refused connection and all that ran out of time.
FAILURES = (ResponseError, NotOllamaError, httpx.HTTPError, OSError)

_PAGE = re.compile(r"\s*<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<(?:style|script).*?</(?:style|script)>|<[^>]*>", re.IGNORECASE | re.DOTALL)
_BUSY_STATUS = {429, 502, 503, 504}
_PASSING_STATUS = {500, *_BUSY_STATUS}
_STREAM_ERROR = -1  # the client's status of an error that comes as a line of the reply


def said(error: ResponseError) -> str:
    """Return what the server said, shortened; of a proxy's page only the text."""
    return page_text(str(error.error))


def page_text(text: str) -> str:
    """Return a text in a line, that of a web page without its markup.

    Examples
    --------
    >>> page_text("<html><title>502 Bad Gateway</title><body><h1>Bad  Gateway</h1></body></html>")
    'a web page: 502 Bad Gateway'
    """
    if _PAGE.match(text) is None:
        return shortened(text)
    title = _TITLE.search(text)
    return shortened(f"a web page: {_TAG.sub(' ', title[1] if title else text)}")


def may_pass(error: BaseException) -> bool:
    """Whether the same request may succeed a moment later."""
    if isinstance(error, ResponseError):
        lasting = too_long(error) or no_chat(error) or no_embeddings(error) or no_memory(error) or nan(error)
        return error.status_code in _PASSING_STATUS | {_STREAM_ERROR} and not lasting
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return False
    return isinstance(error, httpx.TransportError | BrokenOffError | FirstTokenTimeoutError)


def too_long(error: ResponseError) -> bool:
    """Whether the input is longer than the model's context."""
    text = said(error).lower()
    return "context length" in text or "exceeds the available context" in text


def no_chat(error: ResponseError) -> bool:
    """Whether the model cannot chat: it is an embedding model."""
    return "does not support chat" in said(error) or "does not support generate" in said(error)


def no_embeddings(error: ResponseError) -> bool:
    """Whether the model cannot embed: it is a chat model."""
    return "not support embedding" in said(error)


def no_memory(error: ResponseError) -> bool:
    """Whether the model is too large for the machine."""
    return "system memory" in said(error) or "out of memory" in said(error)


def nan(error: ResponseError) -> bool:
    """Whether a vector has values that are no numbers."""
    return "NaN" in said(error)


def no_thinking(error: ResponseError) -> bool:
    """Whether the model does not take the value of `think`."""
    return "does not support thinking" in said(error) or "think value" in said(error)


def no_model(error: ResponseError) -> bool:
    """Whether the server lacks the model."""
    return error.status_code == 404 and "model" in said(error)


def no_route(error: ResponseError) -> bool:
    """Whether the server does not know the call: an older one."""
    return error.status_code in (404, 405) and not no_model(error)


def explain(error: BaseException, address: str, model: str = "") -> ModelError:
    """Return the error for a person, with a hint what to do.

    Parameters
    ----------
    address
        The server's full address.
    model
        The model that was asked, if one was.
    """
    server = f"the Ollama server at {urlsplit(address).netloc}"
    if isinstance(error, ResponseError):
        return _refused(error, server, model)
    if isinstance(error, NotOllamaError | httpx.DecodingError | httpx.TooManyRedirects):
        return ModelError(
            f"What answers at {address} does not speak Ollama's protocol: {error_text(error)}.",
            hint="Is it an Ollama server, without a proxy before it? Check the setting ollama_host.",
        )
    if isinstance(error, FirstTokenTimeoutError | SilenceTimeoutError):
        what = (
            "no first token within" if isinstance(error, FirstTokenTimeoutError) else "a silence of more than"
        )
        setting = (
            "server_first_token_timeout"
            if isinstance(error, FirstTokenTimeoutError)
            else "server_silence_timeout"
        )
        return ModelError(
            f'The model "{model}" is too slow: {what} {error}.',
            hint=f"Raise the setting {setting}, lower server_parallel, or choose a smaller model.",
        )
    if isinstance(error, BrokenOffError | httpx.ReadError | httpx.WriteError | httpx.RemoteProtocolError):
        return ServerAwayError(
            f"The connection to {server} broke off: {error_text(error)}.",
            hint="Look at the server's log (it may have run out of memory), then try again.",
        )
    if isinstance(error, httpx.ReadTimeout | httpx.WriteTimeout):
        return ModelError(
            f"{server[0].upper()}{server[1:]} does not go on: {error_text(error)}.",
            hint="Look at the server's log, then try again.",
        )
    # The client hides the reason of a failed connection behind its own text.
    reason = error.__context__ if isinstance(error.__context__, httpx.ConnectError) else error
    return ServerAwayError(
        f"{server[0].upper()}{server[1:]} does not answer ({error_text(reason)}).",
        hint='Is "ollama serve" running? Start it, or give its address in the setting ollama_host.',
    )


def _refused(error: ResponseError, server: str, model: str) -> ModelError:
    text = said(error) or f"status {error.status_code}"
    if no_model(error):
        return MissingModelError(f'The model "{model}" is not on {server}.', model)
    if too_long(error):
        return ModelError(
            f'The text is too long for the model "{model}": {text}.',
            hint="Lower the token budgets or the chunk size, or choose a model with a longer context.",
        )
    if no_chat(error):
        return ModelError(
            f'The model "{model}" cannot chat: it is an embedding model.',
            hint="Choose a chat model as the language model, such as qwen3:4b.",
        )
    if no_embeddings(error):
        return ModelError(
            f'The model "{model}" cannot embed: it is a chat model.',
            hint="Choose an embedding model, such as nomic-embed-text.",
        )
    if no_memory(error):
        return ModelError(
            f'The model "{model}" does not fit into memory: {text}.',
            hint="Choose a smaller model, or lower the setting server_context_tokens.",
        )
    if error.status_code in (401, 403):
        what = f'the model "{model}"' if model else "an answer"
        return ModelError(
            f"{server[0].upper()}{server[1:]} refuses {what}: {text}.",
            hint="It needs signing in: ollama signin, or the variable OLLAMA_API_KEY.",
        )
    if error.status_code in _BUSY_STATUS:
        return ServerAwayError(
            f"{server[0].upper()}{server[1:]} is busy or not ready: {text}.",
            hint="Try again later, or lower the setting server_parallel.",
        )
    if no_route(error):
        return ModelError(
            f"{server[0].upper()}{server[1:]} does not know what it was asked: {text}.",
            hint="Is it an Ollama server? Check the address: the setting ollama_host. Or update Ollama.",
        )
    return ModelError(
        f'The model "{model}" failed on {server}: {text}.' if model else f"It failed on {server}: {text}.",
        hint="Look at the server's log, then try again.",
    )
