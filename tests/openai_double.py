"""A small double of an OpenAI-compatible server, over real HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ollama_double.protocol import EmbedDouble, pieces_of, tokens_of


class OpenAIDouble:
    """The double, from ``with`` to the end of its block.

    Parameters
    ----------
    text, reasoning, finish
        What its chat model says, and why it ends; `finish` "" closes the connection without an end.
    embedder
        Its embedding model.
    refusals
        (status, message) pairs that the first requests get instead of an answer.
    templates
        Whether it takes `chat_template_kwargs`.
    """

    def __init__(
        self,
        text: str = "Hi",
        reasoning: str = "",
        finish: str = "stop",
        embedder: EmbedDouble | None = None,
        refusals: Sequence[tuple[int, str]] = (),
        templates: bool = True,
    ) -> None:
        self.text, self.reasoning, self.finish = text, reasoning, finish
        self.embedder = embedder or EmbedDouble("embedder")
        self.refusals = list(refusals)
        self.templates = templates
        self.bodies: list[Mapping[str, Any]] = []
        self.keys: list[str] = []
        handler = type("Handler", (_Handler,), {"double": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def address(self) -> str:
        """The address without ``/v1``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> OpenAIDouble:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    double: OpenAIDouble

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Be quiet."""

    def do_GET(self) -> None:
        models = [{"id": "model", "object": "model", "created": 0, "owned_by": "", "max_model_len": 4096}]
        self._json(200, {"object": "list", "data": models})

    def do_POST(self) -> None:
        double = self.double
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        double.bodies.append(body)
        double.keys.append(self.headers["Authorization"])
        if double.refusals:
            status, message = double.refusals.pop(0)
            return self._json(status, {"error": {"message": message, "code": status}})
        if body["model"] not in ("model", double.embedder.name):
            return self._json(404, {"error": {"message": f"The model {body['model']} does not exist."}})
        if "chat_template_kwargs" in body and not double.templates:
            return self._json(400, {"error": {"message": "Unknown field: chat_template_kwargs"}})
        if self.path == "/v1/embeddings":
            return self._embed(body)
        return self._chat(body)

    def _embed(self, body: Mapping[str, Any]) -> None:
        embedder = self.double.embedder
        for text in body["input"]:
            if tokens_of(text) > embedder.context_length:
                message = "the request exceeds the available context size"
                return self._json(400, {"error": {"message": message}})
            if embedder.fault(text) == "crash":
                return self._json(500, {"error": {"message": "crashed"}})
        rows = [
            {"object": "embedding", "index": i, "embedding": embedder.vector(text)}
            for i, text in enumerate(body["input"])
        ][embedder.missing :]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return self._json(200, {"object": "list", "model": body["model"], "data": rows[::-1], "usage": usage})

    def _chat(self, body: Mapping[str, Any]) -> None:
        double = self.double
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        said = [("reasoning_content", p) for p in pieces_of(double.reasoning)]
        said += [("content", p) for p in pieces_of(double.text)]
        for kind, piece in said[: body["max_tokens"]]:
            self._event(body, [{"index": 0, "delta": {kind: piece}, "finish_reason": None}])
        if not double.finish:
            return
        reason = "length" if len(said) > body["max_tokens"] else double.finish
        self._event(body, [{"index": 0, "delta": {}, "finish_reason": reason}])
        self._event(body, [], {"prompt_tokens": 7, "completion_tokens": len(said), "total_tokens": 0})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, body: Mapping[str, Any], choices: list[Any], usage: Any = None) -> None:
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": body["model"]}
        self.wfile.write(b"data: %s\n\n" % json.dumps({**chunk, "choices": choices, "usage": usage}).encode())

    def _json(self, status: int, answer: Mapping[str, Any]) -> None:
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
