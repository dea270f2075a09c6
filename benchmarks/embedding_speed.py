"""How fast is the built-in embedding, for short, medium and long texts?

    python benchmarks/embedding_speed.py FILE…

Cuts the files (plain text, UTF-8) into texts of three lengths, embeds them and prints tokens by second of
processor time, which depends less on what else the machine is doing than the time on the clock.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.table import Table

from lightrag_engine.embedding.builtin import BuiltinEmbedding
from lightrag_engine.embedding.e5.tokenizer import E5Tokenizer
from lightrag_engine.embedding.e5.weights import find_weights, read_weights

# Characters of a text: an entity's name, a paragraph, a chunk.
LENGTHS = {"short": 30, "medium": 500, "long": 4000}
CHARACTERS = 60_000

Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[float, float, Result]:
    """Return processor seconds, clock seconds and the result."""
    processor, clock = time.process_time(), time.perf_counter()
    result = work()
    return time.process_time() - processor, time.perf_counter() - clock, result


def main() -> None:
    """Embed and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--threads", type=int, default=1, help="processor threads of one call")
    arguments = parser.parse_args()
    text = "\n".join(path.read_text(encoding="utf-8") for path in arguments.files)[:CHARACTERS]
    model = BuiltinEmbedding(threads=arguments.threads)
    loading, loading_clock, _ = timed(partial(asyncio.run, model.embed(["first"], "passage")))
    tokenizer = E5Tokenizer(read_weights(find_weights()))

    table = Table("texts", "count", "tokens", "tokens / processor second", "tokens / second")
    for name, length in LENGTHS.items():
        texts = [text[begin : begin + length] for begin in range(0, len(text), length)]
        tokens = sum(len(window) for item in texts for window in tokenizer.windows(item, "passage"))
        processor, clock, _ = timed(partial(asyncio.run, model.embed(texts, "passage")))
        row = (len(texts), tokens, tokens / processor, tokens / clock)
        table.add_row(name, *(f"{value:,.0f}" for value in row))
    console = Console()
    console.print(f"Loading: {loading:.1f} processor seconds, {loading_clock:.1f} s.")
    console.print(table)


if __name__ == "__main__":
    main()
