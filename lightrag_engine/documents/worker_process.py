"""One process that reads files, seen from the program."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Any, Self

from lightrag_engine.documents.frames import EXIT_MEMORY, Head, receive_from, send_to

logger = logging.getLogger(__name__)

_SCRIPT = Path(__file__).with_name("worker.py")
_START_SECONDS = 120.0  # a cold disk and a busy machine
_END_SECONDS = 2.0
_ANSWER_SECONDS = 10.0
_BUFFER = 2**20
_SHOWN_ERRORS = 4000


class WorkerEnded(Exception):  # noqa: N818 - an event, told to a person by whoever knows the file
    """The process ended by itself; `how` says in words how, `of_memory` that it needed too much of it."""

    def __init__(self, how: str, of_memory: bool = False) -> None:
        super().__init__(how)
        self.how, self.of_memory = how, of_memory


class WorkerProcess:
    """A started process. One conversation at a time; belongs to one event loop."""

    def __init__(self, process: asyncio.subprocess.Process, errors: IO[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._errors = process, errors
        self._requests, self._replies = process.stdin, process.stdout

    @classmethod
    async def start(cls) -> Self:
        """Start a process and wait until it can work.

        Raises
        ------
        WorkerEnded, TimeoutError, OSError
            When it cannot be started.
        """
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        hidden: dict[str, Any] = {}
        if sys.platform == "win32":
            hidden["creationflags"] = subprocess.CREATE_NO_WINDOW
        try:
            # -P: the folder of the script holds modules with common names.
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", str(_SCRIPT),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, limit=_BUFFER, **hidden,
            )  # fmt: skip
        except BaseException:
            errors.close()
            raise
        worker = cls(process, errors)
        try:
            async with asyncio.timeout(_START_SECONDS):
                await worker.receive()
        except BaseException:
            await worker.kill()
            raise
        return worker

    async def answers(self) -> bool:
        """Whether an idle process is still there: the system may have ended it, for its memory."""
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                await self.send({"task": "ping"}, b"")
                await self.receive()
        except (WorkerEnded, TimeoutError):
            return False
        return True

    async def send(self, head: Head, body: bytes) -> None:
        """Send a request.

        Raises
        ------
        WorkerEnded
        """
        try:
            await send_to(self._requests, head, body)
        except OSError:
            raise await self._ended() from None

    async def receive(self) -> tuple[Head, bytes]:
        """Wait for a reply.

        Raises
        ------
        WorkerEnded
        """
        try:
            return await receive_from(self._replies)
        except (asyncio.IncompleteReadError, OSError):
            raise await self._ended() from None

    async def kill(self) -> None:
        """End it at once, whatever it does."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._gone()

    async def close(self) -> None:
        """Let it end: it does so when its input closes."""
        self._requests.close()
        try:
            async with asyncio.timeout(_END_SECONDS):
                await self._process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        await self._gone()

    async def _gone(self) -> None:
        try:
            self._requests.close()
            await self._process.wait()
            with contextlib.suppress(OSError):
                await self._requests.wait_closed()
        finally:
            self._errors.close()

    async def _ended(self) -> WorkerEnded:
        code = await self._process.wait()
        if code == EXIT_MEMORY:
            return WorkerEnded("out of memory", of_memory=True)
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace")[-_SHOWN_ERRORS:].strip()
        logger.warning("the process that reads files ended with %s%s", code, f":\n{said}" if said else "")
        if code >= 0:
            return WorkerEnded(f"exit code {code}")
        with contextlib.suppress(ValueError):
            return WorkerEnded(f"signal {signal.Signals(-code).name}")
        return WorkerEnded(f"signal {-code}")
