"""What a chat model offers to the language tasks that work by prompting."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a request."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """How a reply is asked for.

    `max_tokens` bounds the reply. `schema` is a JSON schema that the reply must follow. `think`: False asks a
    thinking model not to, None leaves it to the model.
    """

    max_tokens: int
    schema: Mapping[str, Any] | None = None
    think: bool | None = False
    temperature: float = 0.0


@dataclass(frozen=True, slots=True)
class ChatPiece:
    """A piece of a streamed reply: text or reasoning; the last one of a stream carries the `usage`."""

    text: str = ""
    thinking: str = ""
    usage: ChatUsage | None = None


@dataclass(frozen=True, slots=True)
class ChatUsage:
    """What a reply cost. `cut_off` is set when it ended at the limit of tokens. Times are seconds."""

    prompt_tokens: int = 0
    reply_tokens: int = 0
    cut_off: bool = False
    load_seconds: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A whole reply: the text without reasoning, the reasoning, what it cost."""

    text: str
    thinking: str
    usage: ChatUsage


class ChatModel(Protocol):
    """A model that answers messages. Several requests may be under way; an implementation bounds them.

    `name` is shown and recorded; `fingerprint` changes when the same request would be answered differently
    (model digest, options). `context_tokens` is the longest prompt plus reply that the model takes.
    """

    name: str
    fingerprint: str
    context_tokens: int

    def stream(self, messages: Sequence[ChatMessage], options: ChatOptions) -> AsyncIterator[ChatPiece]:
        """Yield the reply as it comes; closing the iterator stops the model.

        Raises
        ------
        ModelError
            When the model is missing, cannot be reached, or refuses the request (message and hint say why).
        """
        ...


async def reply(model: ChatModel, messages: Sequence[ChatMessage], options: ChatOptions) -> ChatReply:
    """Return a whole reply."""
    text: list[str] = []
    thinking: list[str] = []
    usage = ChatUsage()
    async for piece in model.stream(messages, options):
        text.append(piece.text)
        thinking.append(piece.thinking)
        usage = piece.usage or usage
    return ChatReply("".join(text), "".join(thinking), usage)
