"""Run the double by hand: ``python -m tests.ollama_double --port 11434 --model sloppy-3b``."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from .protocol import ChatCall, ChatDouble, EmbedDouble, Reply
from .scripts import broken, reasoning, sloppy, well_behaved
from .server import OllamaDouble

CHAT_MODELS: dict[str, Callable[[], ChatDouble]] = {
    "well-behaved": partial(ChatDouble, "well-behaved", well_behaved, context_length=32768),
    "sloppy-3b": partial(ChatDouble, "sloppy-3b", sloppy),
    "reasoning": partial(ChatDouble, "reasoning", reasoning, capabilities=("completion", "thinking")),
    "broken": partial(ChatDouble, "broken", broken),
}


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="A double of an Ollama server, with scripted models")
    parser.add_argument("--port", type=int, default=11434)
    parser.add_argument(
        "--model", action="append", choices=[*CHAT_MODELS], help="chat models to have (default: all)"
    )
    parser.add_argument("--no-embedding", action="store_true", help="have no embedding model")
    parser.add_argument("--dimensions", type=int, default=256, help="of the embedding model")
    parser.add_argument("--first", type=float, default=0.5, help="seconds to the first token")
    parser.add_argument("--gap", type=float, default=0.02, help="seconds between tokens")
    parser.add_argument("--old", action="store_true", help="an older server: only /api/embeddings")
    arguments = parser.parse_args()
    chats = [_paced(CHAT_MODELS[name](), arguments) for name in arguments.model or CHAT_MODELS]
    names = () if arguments.no_embedding else ("hash-embed", "other-embed")
    embeds = [EmbedDouble(name, arguments.dimensions, 2048, delay=arguments.first) for name in names]
    with OllamaDouble([*chats, *embeds], port=arguments.port, old=arguments.old, pull_gap=0.5) as double:
        print(f"{double.address} has {', '.join(double.models)}; stop with Ctrl+C", flush=True)  # noqa: T201
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            return


def _paced(model: ChatDouble, arguments: argparse.Namespace) -> ChatDouble:
    """Return a model that takes its time, as a real one does."""

    def script(call: ChatCall) -> Reply:
        said = model.script(call)
        reply = said if isinstance(said, Reply) else Reply(said)
        return replace(reply, first_delay=arguments.first, gap=arguments.gap)

    return replace(model, script=script)


if __name__ == "__main__":
    main()
