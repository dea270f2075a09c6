"""How long a model server is waited for, and what is tried again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_random_exponential

from lightrag_engine.settings import Settings

T = TypeVar("T")

logger = logging.getLogger(__name__)

_END: Any = object()
_LONGEST = 300  # characters of an error


class FirstTokenTimeoutError(TimeoutError):
    """A running request had no first token in time."""


class SilenceTimeoutError(TimeoutError):
    """A reply that had begun did not go on in time."""


class BrokenOffError(ConnectionError):
    """A reply ended before it was complete."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits of one running request, in seconds; None is no limit. Waiting for a turn does not count.

    `attempts` and `pause` (seconds before the second attempt, doubling) are for what may pass by itself.
    """

    connect: float | None = 2.0
    first_token: float | None = 600.0
    silence: float | None = 120.0
    attempts: int = 3
    pause: float = 0.5

    @classmethod
    def of(cls, settings: Settings) -> Patience:
        """Return the limits that the settings ask for; 0 is no limit."""
        return cls(
            connect=settings.server_connect_timeout or None,
            first_token=settings.server_first_token_timeout or None,
            silence=settings.server_silence_timeout or None,
        )


def error_text(error: BaseException) -> str:
    """Return what an error says, shortened, or its class when it says nothing."""
    return shortened(str(error)).rstrip(".") or type(error).__name__


def shortened(text: str) -> str:
    """Return a text in one line of a length that fits a message."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def encodable(text: str) -> str:
    """Return a text that can be sent: half a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


async def within(limit: float | None, work: Awaitable[T], late: Callable[[str], Exception]) -> T:
    """Await `work`; raise ``late("… s")`` when it takes longer than `limit` seconds."""
    try:
        async with asyncio.timeout(limit) as scope:
            return await work
    except TimeoutError:
        if scope.expired():
            raise late(f"{limit:g} s") from None
        raise


def retrying(patience: Patience, may_pass: Callable[[BaseException], bool]) -> AsyncRetrying:
    """Return the attempts that a request has, with growing pauses between them."""
    return AsyncRetrying(
        stop=stop_after_attempt(patience.attempts),
        wait=wait_random_exponential(multiplier=2 * patience.pause, min=patience.pause, max=30),
        retry=retry_if_exception(may_pass),
        before_sleep=_log,
        reraise=True,
    )


async def answered(
    request: Callable[[], Awaitable[T]], patience: Patience, may_pass: Callable[[BaseException], bool]
) -> T:
    """Return the answer of a request that is not streamed; it is sent anew after errors that may pass.

    Raises
    ------
    FirstTokenTimeoutError
        When the answer takes longer than a first token may.
    """

    async def once() -> T:
        return await within(patience.first_token, request(), FirstTokenTimeoutError)

    answer: T = await retrying(patience, may_pass)(once)
    return answer


async def patiently(
    begin: Callable[[], AsyncGenerator[T, None]],
    patience: Patience,
    may_pass: Callable[[BaseException], bool],
) -> AsyncGenerator[T, None]:
    """Yield the items of a stream; until its first has come, it is begun anew after errors that may pass.

    Raises
    ------
    FirstTokenTimeoutError, SilenceTimeoutError
        When the stream is slower than `patience` allows.
    """
    async for attempt in retrying(patience, may_pass):
        with attempt:
            stream = begin()
            try:
                item = await within(patience.first_token, anext(stream, _END), FirstTokenTimeoutError)
            except BaseException:
                await stream.aclose()
                raise
    async with aclosing(stream):
        while item is not _END:
            yield item
            item = await within(patience.silence, anext(stream, _END), SilenceTimeoutError)


def _log(state: RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome else None
    pause = state.next_action.sleep if state.next_action else 0.0
    logger.warning(
        "attempt %d failed (%s), next in %.1f s",
        state.attempt_number,
        error_text(error) if error else "no outcome",
        pause,
    )
