"""Reading where a parser that hangs, crashes or eats memory cannot take the program down.

Files go to processes of their own (`worker`), started when first needed, used for many files, ended at the
time limit and when a read is cancelled. Small files of plain formats are read in a thread: starting a process
would cost more than they do, and their readers have no loops that do not end.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from lightrag_engine.documents.archives import Skipped
from lightrag_engine.documents.formats import format_of_name
from lightrag_engine.documents.frames import Head
from lightrag_engine.documents.limits import Limits, beyond
from lightrag_engine.documents.names import safe_name
from lightrag_engine.documents.reading import read
from lightrag_engine.documents.worker_process import WorkerEnded, WorkerProcess
from lightrag_engine.errors import DocumentError
from lightrag_engine.records import Document, PageStart
from lightrag_engine.settings import Settings
from lightrag_engine.uploads import Upload

_SIMPLER = "Split the file or save it in a simpler format"


class Reader:
    """Reads files in processes of their own. Belongs to one event loop; `close` ends the processes.

    Parameters
    ----------
    at_once : int
        How many files are read at the same time; further ones wait. Processes are started as needed.
    """

    def __init__(self, at_once: int = 2) -> None:
        self._turns = asyncio.Semaphore(at_once)
        self._idle: list[WorkerProcess] = []
        self._closed = False

    async def read(self, name: str, data: bytes, settings: Settings) -> Document:
        """Read a file; see `reading.read` for the parameters. Cancelling ends the process that reads.

        Raises
        ------
        DocumentError
            As `reading.read`, and when it took too long, needed too much memory, or the parser crashed.
        """
        format_ = format_of_name(name)
        if len(data) > settings.max_file_bytes or (format_ and len(data) <= format_.safe_bytes):
            return await asyncio.to_thread(read, name, data, settings)
        replies = [reply async for reply in self._ask("read", name, data, settings)]
        head, text = replies[0]  # else an error was raised
        return _document(head["document"], text)

    async def expand(self, upload: Upload, settings: Settings) -> AsyncGenerator[Upload | Skipped, None]:
        """Yield what is inside an archive or e-mail; see `archives.Archive.documents`.

        Raises
        ------
        DocumentError
            As `read`.
        """
        async with aclosing(self._ask("expand", upload.name, upload.data, settings)) as replies:
            async for head, body in replies:
                if head["outcome"] == "upload":
                    yield Upload(head["name"], body)
                else:
                    yield Skipped(head["name"], head["reason"])

    async def close(self) -> None:
        """End the idle processes; busy ones end with what they do."""
        self._closed = True
        idle, self._idle = self._idle, []
        for worker in idle:
            await worker.close()

    async def _ask(
        self, task: str, name: str, data: bytes, settings: Settings
    ) -> AsyncGenerator[tuple[Head, bytes], None]:
        """Yield the replies to a request, without the final one."""
        name = safe_name(name)
        seconds, memory = settings.read_timeout_seconds, settings.read_memory_mb
        request = {
            "task": task,
            "name": name,
            "limits": dataclasses.asdict(Limits.of(settings)),
            "seconds": seconds,
            "memory_mb": memory,
        }
        async with self._turns:
            worker = await self._take(name)
            kept = False
            try:
                async with asyncio.timeout(seconds or None):
                    await worker.send(request, data)
                while True:
                    async with asyncio.timeout(seconds or None):
                        head, body = await worker.receive()
                    if "last" not in head:
                        yield head, body
                        continue
                    kept = not head["last"] and not self._closed
                    break
            except TimeoutError:
                raise _too_slow(name, seconds) from None
            except WorkerEnded as error:
                raise (
                    _too_big(name, memory) if error.of_memory else _crashed(name, error.how, memory)
                ) from None
            finally:
                if kept:
                    self._idle.append(worker)
                else:
                    await worker.kill()
        _check(head, name, memory)

    async def _take(self, name: str) -> WorkerProcess:
        while self._idle:
            worker = self._idle.pop()
            try:
                if await worker.answers():
                    return worker
            except BaseException:
                await worker.kill()
                raise
            await worker.kill()  # tidied away
        try:
            return await WorkerProcess.start()
        except (WorkerEnded, TimeoutError, OSError) as error:
            reason = str(error) or type(error).__name__
            raise DocumentError(
                f"{name} cannot be read: the process that reads files did not start ({reason}).",
                hint="Try again; if the machine is short of memory, close other programs first.",
            ) from error


def _document(fields: dict[str, Any], text: bytes) -> Document:
    pages = tuple(PageStart(**page) for page in fields.pop("pages"))
    warnings = tuple(fields.pop("warnings"))
    return Document(**fields, pages=pages, warnings=warnings, text=text.decode())


def _check(head: Head, name: str, memory_mb: int) -> None:
    match head["outcome"]:
        case "refused":
            raise DocumentError(head["message"], hint=head["hint"])
        case "memory":
            raise _too_big(name, memory_mb)
        case "failed":
            raise DocumentError(
                f"{name} cannot be read: {head['reason']}.",
                hint="Open it in the program it was made with, save it anew and add that.",
            )


def _too_slow(name: str, seconds: float) -> DocumentError:
    return beyond(f"{name} took longer than {seconds:g} s to be read.", "read_timeout_seconds", _SIMPLER)


def _too_big(name: str, memory_mb: int) -> DocumentError:
    return beyond(
        f"{name} needed more than {memory_mb:,} MB of memory to be read.", "read_memory_mb", _SIMPLER
    )


def _crashed(name: str, how: str, memory_mb: int) -> DocumentError:
    return beyond(
        f"{name} cannot be read: its parser crashed ({how}). The file is damaged"
        + (f", or needed more than {memory_mb:,} MB of memory." if memory_mb else "."),
        "read_memory_mb",
        "Open it in the program it was made with and save it anew",
    )
