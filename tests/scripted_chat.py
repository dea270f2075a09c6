"""A chat model that replies from a script and remembers what it was asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace

from lightrag_engine.language.chat import ChatMessage, ChatOptions, ChatPiece, ChatUsage
from lightrag_engine.tokens import count


@dataclass(frozen=True)
class Said:
    """A scripted reply; `cut_off`: it ended at the limit of tokens."""

    text: str = ""
    thinking: str = ""
    cut_off: bool = False


@dataclass(frozen=True)
class Request:
    """What the model was asked."""

    messages: tuple[ChatMessage, ...]
    options: ChatOptions

    @property
    def text(self) -> str:
        """All messages as one text."""
        return "\n".join(message.content for message in self.messages)

    @property
    def last(self) -> str:
        """The content of the last message."""
        return self.messages[-1].content


Line = str | Said | Exception
Script = Callable[[Request], Line]


class ScriptedChat:
    """Replies with the lines of a script in turn, the last one for ever, or with what a function returns.

    `requests` holds what was asked, `closed` counts the streams that were left before their end.
    """

    def __init__(
        self,
        *script: Line | Script,
        context_tokens: int = 32_000,
        name: str = "scripted-chat",
        piece_size: int = 7,
    ) -> None:
        self.name = name
        self.fingerprint = f"{name}-1"
        self.context_tokens = context_tokens
        self.requests: list[Request] = []
        self.closed = 0
        self._script = list(script)
        self._piece_size = piece_size

    async def stream(self, messages: Sequence[ChatMessage], options: ChatOptions) -> AsyncIterator[ChatPiece]:
        request = Request(tuple(messages), options)
        self.requests.append(request)
        line = self._script.pop(0) if len(self._script) > 1 else self._script[0]
        if not isinstance(line, str | Said | Exception):
            line = line(request)
        if isinstance(line, Exception):
            raise line
        said = Said(line) if isinstance(line, str) else line
        usage = ChatUsage(
            prompt_tokens=sum(count(message.content) for message in messages),
            reply_tokens=count(said.text) + count(said.thinking),
            cut_off=said.cut_off,
            seconds=0.5,
        )
        pieces = [ChatPiece(thinking=said.thinking)] if said.thinking else []
        size = self._piece_size
        pieces += [ChatPiece(said.text[at : at + size]) for at in range(0, len(said.text), size)]
        finished = False
        try:
            for piece in pieces:
                yield piece
            finished = True
            yield replace(ChatPiece(), usage=usage)
        finally:
            self.closed += not finished
