"""What the double's models are asked and what they say."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

_TOKEN = re.compile(r"\w+|[^\w\s]")
_PIECE = re.compile(r"\s*\S+\s?|\s+")


def tokens_of(text: str) -> int:
    """Return how many tokens a text has for the double's models: words and signs."""
    return len(_TOKEN.findall(text))


def pieces_of(text: str) -> list[str]:
    """Return a text as the pieces in which it is streamed: a word each."""
    return _PIECE.findall(text)


@dataclass(frozen=True)
class Request:
    """A request as it came."""

    path: str
    body: Mapping[str, Any]


@dataclass(frozen=True)
class ChatCall:
    """What a chat model gets: the messages that fitted, the format, whether it is to think."""

    messages: tuple[tuple[str, str], ...]
    format: Any = None
    think: Any = None

    @property
    def prompt(self) -> str:
        """All messages in one text."""
        return "\n\n".join(text for _, text in self.messages)


@dataclass(frozen=True)
class Reply:
    """What a chat model says, and what goes wrong meanwhile.

    `status` and `error`: refused before the reply begins (status 200: an error line as the first one);
    `page`: refused with a web page, as by a proxy.
    `error_after` and `drop_after` count pieces: an error line, or the connection closed without an end.
    Times in seconds: before the first piece, between pieces.
    """

    text: str = ""
    thinking: str = ""
    status: int = 200
    error: str = ""
    page: str = ""
    error_after: int | None = None
    drop_after: int | None = None
    first_delay: float = 0.0
    gap: float = 0.0
    raw_line: str = ""  # sent as it is in place of the reply


ChatScript = Callable[[ChatCall], "str | Reply"]


@dataclass(frozen=True)
class ChatDouble:
    """A chat model of the double. Without `capabilities` it is one of an older server."""

    name: str
    script: ChatScript
    context_length: int = 8192
    capabilities: tuple[str, ...] = ("completion",)
    family: str = "llama"
    parameter_size: str = "3.2B"
    remote_host: str = ""
    think_refused: bool = False  # answers 400 to any `think`, whatever its capabilities say


@dataclass(frozen=True)
class EmbedDouble:
    """An embedding model: bags of hashed words.

    `fault` returns for a text: "nan" (a vector of NaN), "null", "zero", "nan_error" (status 500), "nan_400",
    "crash" (status 500) or "". `missing`: vectors left out at the front of each answer. `longer`: more
    dimensions in the answers than told. `delay`: seconds before an answer.
    """

    name: str
    dimensions: int = 64
    context_length: int = 512
    family: str = "bert"
    fault: Callable[[str], str] = field(default=lambda text: "")
    missing: int = 0
    longer: int = 0
    tells_dimensions: bool = True
    delay: float = 0.0
    capabilities: tuple[str, ...] = ("embedding",)

    def vector(self, text: str) -> list[float] | list[None]:
        """Return the vector of a text, not of unit length."""
        size = self.dimensions + self.longer
        fault = self.fault(text)
        if fault == "null":
            return [None] * size
        row = [float("nan") if fault == "nan" else 0.0] * size
        if fault != "zero":
            for word in re.findall(r"\w+", text.casefold()):
                row[zlib.crc32(word.encode()) % size] += 1.0
        return row
