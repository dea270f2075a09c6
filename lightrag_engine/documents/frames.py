"""How the program and the process that reads talk: frames of a JSON head and raw bytes, over pipes.

JSON and not pickle: what comes from a process that has read a hostile file is looked at, never run.
"""

from __future__ import annotations

import asyncio
import json
import struct
from typing import Any, BinaryIO

Head = dict[str, Any]
# How the process that reads ends itself when it needs too much memory.
EXIT_MEMORY = 77
_LENGTHS = struct.Struct(">IQ")


def packed(head: Head) -> bytes:
    """Return the beginning of a frame: everything but its body, whose length is ``head["body"]``."""
    text = json.dumps(head).encode()
    return _LENGTHS.pack(len(text), head.get("body", 0)) + text


def send(stream: BinaryIO, head: Head, body: bytes = b"") -> None:
    """Write a frame."""
    stream.write(packed({**head, "body": len(body)}))
    stream.write(body)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[Head, bytes] | None:
    """Read a frame; None at the end of the stream, also in the middle of a frame."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head_length, body_length = _LENGTHS.unpack(lengths)
    head, body = stream.read(head_length), stream.read(body_length)
    return (json.loads(head), body) if len(body) == body_length else None


async def send_to(stream: asyncio.StreamWriter, head: Head, body: bytes = b"") -> None:
    """Write a frame.

    Raises
    ------
    OSError
        When the other side is gone.
    """
    stream.write(packed({**head, "body": len(body)}))
    stream.write(body)
    await stream.drain()


async def receive_from(stream: asyncio.StreamReader) -> tuple[Head, bytes]:
    """Read a frame.

    Raises
    ------
    asyncio.IncompleteReadError
        When the other side is gone.
    """
    head_length, body_length = _LENGTHS.unpack(await stream.readexactly(_LENGTHS.size))
    head = json.loads(await stream.readexactly(head_length))
    return head, await stream.readexactly(body_length)
