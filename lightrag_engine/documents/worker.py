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
import traceback
import types
from collections.abc import Callable
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
from lightrag_engine.documents.frames import Head, receive, send
from lightrag_engine.documents.limits import Limits
from lightrag_engine.documents.reading import read
from lightrag_engine.errors import DocumentError
from lightrag_engine.uploads import Upload

# The program ends this process in time; should it be gone itself, this does, a little later.
_GRACE_SECONDS = 10
_MB = 2**20


def main() -> None:
    """Serve requests until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the program, which then closes the pipe
    requests, replies = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a parser prints must not get between the replies
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - os.devnull is no path on every system
        base = _address_space()
        send(replies, {"outcome": "ready"})
        while (request := receive(requests)) is not None:
            head, body = request

            def go_on(head: Head = head) -> None:
                if head["seconds"]:
                    faulthandler.dump_traceback_later(
                        head["seconds"] + _GRACE_SECONDS, exit=True, file=nowhere
                    )

            _limit(base + head["memory_mb"] * _MB if head["memory_mb"] else 0)
            done = _serve(head, body, replies, go_on)
            _limit(0)
            faulthandler.cancel_dump_traceback_later()
            del request, body
            limit = head["memory_mb"] * _MB
            if limit and _address_space() - base > limit / 2:
                gc.collect()
            # One that holds on to much is replaced: its limit would come early for the next file.
            grown = bool(limit) and _address_space() - base > limit / 2
            send(replies, {**done, "last": done["outcome"] == "memory" or grown})


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


def _limit(size: int) -> None:
    """Bound the address space; 0 takes the bound away. Windows has no such bound."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        wanted = size or hard
        resource.setrlimit(
            resource.RLIMIT_AS, (min(wanted, hard) if hard != resource.RLIM_INFINITY else wanted, hard)
        )


def _address_space() -> int:
    """Return how much address space this process has, in bytes; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


if __name__ == "__main__":
    main()
