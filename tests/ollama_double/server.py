"""The server: routes, limits and faults of the real one."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from http.server import ThreadingHTTPServer
from typing import Any

from .connection import JsonConnection
from .listing import Model, details, full_name, listed
from .protocol import ChatCall, ChatDouble, EmbedDouble, Reply, Request, pieces_of, tokens_of
from .scripts import well_behaved

DEFAULT_CONTEXT = 4096
_LAYER = {"status": "pulling 3e4cb1417446", "digest": "sha256:3e4cb1417446", "total": 2_497_280_480}
PULL: tuple[Mapping[str, Any], ...] = (
    {"status": "pulling manifest"},
    _LAYER,
    *({**_LAYER, "completed": step * 249_728_048} for step in range(1, 11)),
    {"status": "verifying sha256 digest"},
    {"status": "writing manifest"},
    {"status": "success"},
)


class OllamaDouble:
    """The double, from ``with`` to the end of its block.

    Parameters
    ----------
    models
        What it has.
    port
        0: any free one.
    slots, queue
        How many chats run at once, and how many may wait before others are refused with 503.
    old
        An older server: no ``/api/embed``, no `capabilities`.
    refusals
        (status, error) pairs that the first chat or embedding requests get instead of an answer.
    pull
        The lines that ``/api/pull`` sends; without them it sends some, one every `pull_gap` seconds, and has
        the model then.

    Attributes
    ----------
    requests
        Every request with a body, in order.
    most_at_once
        How many chats ran at the same time.
    aborted
        How many replies were given up because the client had gone.
    """

    host, family = "127.0.0.1", socket.AF_INET

    def __init__(
        self,
        models: Sequence[Model] = (),
        port: int = 0,
        slots: int = 4,
        queue: int = 512,
        old: bool = False,
        refusals: Iterable[tuple[int, str]] = (),
        pull: Sequence[Mapping[str, Any]] = (),
        pull_gap: float = 0.0,
    ) -> None:
        self.models = {full_name(model.name): model for model in models}
        self.old = old
        self.requests: list[Request] = []
        self.refusals = list(refusals)
        self.pull = pull
        self.pull_gap = pull_gap
        self.slots = threading.Semaphore(slots)
        self.limit = slots + queue
        self.lock = threading.Lock()
        self.present = 0
        self.running = 0
        self.most_at_once = 0
        self.aborted = 0
        self.loaded: dict[str, int] = {}
        self.closing = threading.Event()
        self._server = _Server((self.host, port), _Handler, self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def address(self) -> str:
        """The address, such as http://127.0.0.1:40123."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def bodies(self, path: str) -> list[Mapping[str, Any]]:
        """Return the bodies of the requests to a path."""
        return [request.body for request in self.requests if request.path == path]

    def __enter__(self) -> OllamaDouble:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], handler: Any, double: OllamaDouble) -> None:
        self.double = double
        self.address_family = double.family
        super().__init__(address, handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Show what went wrong, except for clients that go away: they are part of the tests."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(JsonConnection):
    server: _Server

    def gone(self) -> None:
        with self.server.double.lock:
            self.server.double.aborted += 1

    def _wait(self, seconds: float) -> None:
        if seconds:
            self.server.double.closing.wait(seconds)

    def do_GET(self) -> None:  # noqa: N802
        double = self.server.double
        models = double.models.values()
        if self.path == "/api/version":
            self.answer({"version": "0.1.20" if double.old else "0.13.5"})
        elif self.path == "/api/tags":
            self.answer({"models": [listed(model) for model in models]})
        elif self.path == "/api/ps":
            loaded = [
                (m, double.loaded[full_name(m.name)]) for m in models if full_name(m.name) in double.loaded
            ]
            self.answer({"models": [{**listed(m), "context_length": length} for m, length in loaded]})
        else:
            self.unknown_path()

    def do_POST(self) -> None:  # noqa: N802
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
        double = self.server.double
        with double.lock:
            double.requests.append(Request(self.path, body))
        routes = {"/api/chat": self._chat, "/api/show": self._show, "/api/pull": self._pull}
        routes["/api/embeddings"] = self._old_embed
        if not double.old:
            routes["/api/embed"] = self._embed
        if self.path not in routes:
            return self.unknown_path()
        if self.path in ("/api/chat", "/api/embed", "/api/embeddings"):
            with double.lock:
                refusal = double.refusals.pop(0) if double.refusals else None
            if refusal is not None:
                return self.refuse(*refusal)
        if self.path == "/api/pull":
            return self._pull(body)
        model = double.models.get(full_name(str(body.get("model", ""))))
        if model is None:
            return self.refuse(404, f"model '{body.get('model')}' not found")
        return routes[self.path](body, model)

    def _show(self, body: Mapping[str, Any], model: Model) -> None:
        info: dict[str, Any] = {
            "general.architecture": model.family,
            f"{model.family}.context_length": model.context_length,
        }
        if isinstance(model, ChatDouble):
            info[f"{model.family}.embedding_length"] = 2048
        elif model.tells_dimensions:
            info[f"{model.family}.embedding_length"] = model.dimensions
        answer: dict[str, Any] = {"details": details(model), "model_info": info}
        if not self.server.double.old:
            answer["capabilities"] = list(model.capabilities)
        if isinstance(model, ChatDouble) and model.remote_host:
            answer["remote_host"] = model.remote_host
        self.answer(answer)

    def _pull(self, body: Mapping[str, Any], model: Model | None = None) -> None:
        double = self.server.double
        self.begin_stream()
        for line in double.pull or PULL:
            self.line(line)
            self._wait(0.0 if double.pull else double.pull_gap)
        if not double.pull:
            name = str(body.get("model", ""))
            got = EmbedDouble(name, 64, 2048) if "embed" in name else ChatDouble(name, well_behaved)
            double.models.setdefault(full_name(name), got)
        self.end_stream()

    def _embed(self, body: Mapping[str, Any], model: Model) -> None:
        given = body.get("input", "")
        texts = [given] if isinstance(given, str) else list(given)
        if isinstance(model, ChatDouble):
            return self.refuse(501, "this model does not support embeddings")
        for text in texts:
            if tokens_of(text) > model.context_length and body.get("truncate") is False:
                return self.refuse(400, "the input length exceeds the context length")
            if refusal := _embed_refusal(model, text):
                return self.refuse(*refusal)
        self._wait(model.delay)
        vectors = [model.vector(text) for text in texts][model.missing :]
        return self.answer({"model": body["model"], "embeddings": vectors, "total_duration": 1})

    def _old_embed(self, body: Mapping[str, Any], model: Model) -> None:
        if isinstance(model, ChatDouble):
            return self.refuse(501, "this model does not support embeddings")
        if refusal := _embed_refusal(model, body["prompt"]):
            return self.refuse(*refusal)
        return self.answer({"embedding": model.vector(body["prompt"])})

    def _chat(self, body: Mapping[str, Any], model: Model) -> None:
        double = self.server.double
        if isinstance(model, EmbedDouble):
            return self.refuse(400, f'"{body["model"]}" does not support chat')
        think = body.get("think")
        if think and "thinking" not in model.capabilities:
            return self.refuse(400, f'"{body["model"]}" does not support thinking')
        if think is not None and model.think_refused:
            return self.refuse(400, f'think value "{think}" is not supported for this model')
        with double.lock:
            full = double.present >= double.limit
            double.present += not full
        if full:
            return self.refuse(503, "server busy, please try again.  maximum pending requests exceeded")
        try:
            with double.slots:
                with double.lock:
                    double.running += 1
                    double.most_at_once = max(double.most_at_once, double.running)
                try:
                    self._reply(body, model)
                finally:
                    with double.lock:
                        double.running -= 1
        finally:
            with double.lock:
                double.present -= 1

    def _reply(self, body: Mapping[str, Any], model: ChatDouble) -> None:
        options = body.get("options") or {}
        window = min(int(options.get("num_ctx", DEFAULT_CONTEXT)), model.context_length)
        self.server.double.loaded[full_name(model.name)] = window
        messages = tuple((m["role"], m.get("content", "")) for m in body["messages"])
        if sum(tokens_of(text) for _, text in messages) > window:
            if body.get("truncate") is False:
                return self.refuse(400, "the input length exceeds the context length")
            messages = _cut(messages, window)
        said = model.script(ChatCall(messages, body.get("format"), body.get("think")))
        reply = said if isinstance(said, Reply) else Reply(said)
        if reply.page:
            return self.send(reply.status, reply.page.encode(), "text/html")
        if reply.status != 200:
            return self.refuse(reply.status, reply.error)
        self._wait(reply.first_delay)
        used = sum(tokens_of(text) for _, text in messages)
        room = min(int(options.get("num_predict", 10**9)), window - used)
        return self._send_reply(body, reply, used, room)

    def _send_reply(self, body: Mapping[str, Any], reply: Reply, used: int, room: int) -> None:
        said = [("thinking", p) for p in pieces_of(reply.thinking)]
        said += [("content", p) for p in pieces_of(reply.text)]
        done = {
            "model": body["model"],
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "done_reason": "length" if len(said) > room else "stop",
            "prompt_eval_count": used,
            "eval_count": min(len(said), room),
            "total_duration": 2_000_000_000,
            "load_duration": 500_000_000,
            "prompt_eval_duration": 500_000_000,
            "eval_duration": 1_000_000_000,
        }
        said = said[:room]
        if body.get("stream") is False:
            whole = {kind: "".join(p for k, p in said if k == kind) for kind in ("content", "thinking")}
            return self.answer({**done, "message": {"role": "assistant", **whole}})
        self.begin_stream()
        if reply.raw_line:
            self.chunk(reply.raw_line.encode() + b"\n")
            return self.end_stream()
        for number, (kind, piece) in enumerate(said):
            if number == reply.drop_after:
                return self.drop()
            if number == reply.error_after:
                self.line({"error": reply.error})
                return self.end_stream()
            self.line(
                {
                    "model": body["model"],
                    "message": {"role": "assistant", "content": "", kind: piece},
                    "done": False,
                }
            )
            self._wait(reply.gap)
        self.line(done)
        return self.end_stream()


def _embed_refusal(model: EmbedDouble, text: str) -> tuple[int, str] | None:
    return {
        "nan_error": (500, "failed to encode response: json: unsupported value: NaN"),
        "nan_400": (400, "embedding contains NaN or Inf values"),
        "crash": (500, "llama runner process no longer running: 2"),
    }.get(model.fault(text))


def _cut(messages: tuple[tuple[str, str], ...], window: int) -> tuple[tuple[str, str], ...]:
    """Lose the oldest messages in silence, then the beginning of the last, like the real server."""
    kept = list(messages)
    while len(kept) > 1 and sum(tokens_of(text) for _, text in kept) > window:
        oldest = next((i for i, (role, _) in enumerate(kept[:-1]) if role != "system"), 0)
        del kept[oldest]
    role, text = kept[-1]
    while tokens_of(text) > window:
        text = text[len(text) // 2 :]
    return (*kept[:-1], (role, text))
