"""Answers over HTTP: JSON, errors, streams of lines, and connections that break."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any


class JsonConnection(BaseHTTPRequestHandler):
    """A connection that answers with JSON."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Be quiet."""

    def gone(self) -> None:
        """Note that the client went away in the middle of an answer."""

    def answer(self, value: Mapping[str, Any], status: int = 200) -> None:
        """Send an answer."""
        self.send(status, json.dumps(value).encode(), "application/json; charset=utf-8")

    def refuse(self, status: int, text: str) -> None:
        """Send an error."""
        self.answer({"error": text}, status)

    def unknown_path(self) -> None:
        """Say that there is no such path, as a server without JSON does."""
        self.send(404, b"404 page not found", "text/plain")

    def send(self, status: int, data: bytes, kind: str) -> None:
        """Send a whole answer."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.write(data)

    def begin_stream(self) -> None:
        """Begin an answer of lines."""
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def line(self, line: Mapping[str, Any]) -> None:
        """Send a line of JSON."""
        self.chunk(json.dumps(line).encode() + b"\n")

    def chunk(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.write(b"%x\r\n%s\r\n" % (len(data), data))

    def end_stream(self) -> None:
        """End an answer of lines."""
        self.write(b"0\r\n\r\n")

    def drop(self) -> None:
        """Break the connection."""
        self.close_connection = True
        self.connection.close()

    def write(self, data: bytes) -> None:
        """Write bytes; raises OSError when the client has gone."""
        try:
            self.wfile.write(data)
        except OSError:
            self.gone()
            self.close_connection = True
            raise
