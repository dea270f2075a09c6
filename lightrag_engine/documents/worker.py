"""The process that reads files: run as a script by `isolated`, never imported by the program.

It takes one request at a time from standard input and ends when that closes, with the program or before.
Nothing it needs is imported twice: a process is used for many documents, and libraries are loaded when the
first file of their format comes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import faulthandler
import gc
import os
import signal
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

if __name__ == "__main__":
    # A package without its __init__: that would load vector store, models and all, for 4 seconds and 170 MB.
    _package = types.ModuleType("lightrag_engine")
    _package.__path__ = [str(Path(__file__).parents[1])]
    sys.modules["lightrag_engine"] = _package
    # openpyxl would load it, only to know its number types.
    sys.modules["numpy"] = None  # type: ignore[assignment]

from lightrag_engine.documents.archives import Archive, Skipped
from lightrag_engine.documents.frames import EXIT_MEMORY, Head, receive, send
from lightrag_engine.documents.limits import Limits
from lightrag_engine.documents.reading import read
from lightrag_engine.errors import DocumentError
from lightrag_engine.uploads import Upload

# The program ends this process in time; should it be gone itself, this does, a little later.
_GRACE_SECONDS = 10
_MB = 2**20
_MARGIN = 256 * _MB
_LOOK_SECONDS = 0.05


def main() -> None:
    """Serve requests until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the program, which then closes the pipe
    requests, replies = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a parser prints must not get between the replies
    bound = _MemoryBound()
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - os.devnull is no path on every system
        send(replies, {"outcome": "ready"})
        while (request := receive(requests)) is not None:
            head, body = request
            if head["task"] == "ping":
                send(replies, {"outcome": "ready"})
                continue

            def go_on(head: Head = head) -> None:
                if head["seconds"]:
                    faulthandler.dump_traceback_later(
                        head["seconds"] + _GRACE_SECONDS, exit=True, file=nowhere
                    )

            with bound.of(head["memory_mb"] * _MB):
                done = _serve(head, body, replies, go_on)
            faulthandler.cancel_dump_traceback_later()
            del request, body
            # One that holds on to much is replaced: its limit would come early for the next file.
            last = done["outcome"] == "memory" or bound.holds_much(head["memory_mb"] * _MB)
            send(replies, {**done, "last": last})


class _MemoryBound:
    """Ends this process when it needs too much memory, beyond what it had when it began.

    A thread looks how much is in use. The system's bound on address space stands a little higher, for a
    single huge request and for a library that lets no other thread run. Alone it would not do: Python 3.11
    can loop for ever in an exception handler when there is not even memory for a number.
    """

    def __init__(self) -> None:
        self._limit = 0
        self._serving = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()
        self._base, self._base_space = _memory()

    @contextlib.contextmanager
    def of(self, limit: int) -> Iterator[None]:
        """Bound what is needed meanwhile, in bytes; 0 for no bound."""
        if not limit:
            yield
            return
        self._limit = limit
        _limit_space(self._base_space + limit + max(limit // 4, _MARGIN))
        self._serving.set()
        try:
            yield
        finally:
            self._serving.clear()
            _limit_space(0)

    def holds_much(self, limit: int) -> bool:
        """Return whether more than half of the limit stays in use."""
        if not limit or _memory()[0] - self._base <= limit // 2:
            return False
        gc.collect()
        return _memory()[0] - self._base > limit // 2

    def _watch(self) -> None:
        while self._serving.wait():
            if _memory()[0] - self._base > self._limit:
                os._exit(EXIT_MEMORY)
            time.sleep(_LOOK_SECONDS)


def _serve(head: Head, body: bytes, replies: BinaryIO, go_on: Callable[[], None]) -> Head:
    """Do what is asked; return the final reply, after those with the results.

    `go_on` starts the time limit: for a file to read, or for each that comes out of an archive.
    """
    try:
        go_on()
        limits = Limits(**head["limits"])
        if head["task"] == "read":
            document = read(head["name"], body, limits)
            fields = dataclasses.asdict(document)
            text = fields.pop("text").encode()
            send(replies, {"outcome": "document", "document": fields}, text)
            return {"outcome": "done"}
        for item in Archive(Upload(head["name"], body), limits).documents():
            if isinstance(item, Skipped):
                send(replies, {"outcome": "skipped", "name": item.name, "reason": item.reason})
            else:
                send(replies, {"outcome": "upload", "name": item.name}, item.data)
            go_on()
    except DocumentError as error:
        return {"outcome": "refused", "message": str(error), "hint": error.hint}
    except MemoryError:
        return {"outcome": "memory"}
    except Exception as error:  # noqa: BLE001 - told to the program, which tells a person
        traceback.print_exc()
        return {"outcome": "failed", "reason": f"{type(error).__name__}: {error}"}
    return {"outcome": "done"}


def _limit_space(size: int) -> None:
    """Bound the address space; 0 takes the bound away. Windows has no such bound."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        if not size or (hard != resource.RLIM_INFINITY and size > hard):
            size = hard
        resource.setrlimit(resource.RLIMIT_AS, (size, hard))


def _memory() -> tuple[int, int]:
    """Return how much memory and how much address space is in use, in bytes; 0 where no system tells."""
    try:
        space, resident = Path("/proc/self/statm").read_text().split()[:2]
        page = os.sysconf("SC_PAGE_SIZE")
        return int(resident) * page, int(space) * page
    except (OSError, ValueError, AttributeError):
        return 0, 0


if __name__ == "__main__":
    main()
