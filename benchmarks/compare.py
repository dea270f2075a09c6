"""How long four modes compared take, against the slowest of them alone: a ratio.

Run: ``python benchmarks/compare.py``. A scripted model takes a second to its first word and writes twenty
words a second, several requests at a time, as a model server does; retrieval and embedding are real.
Exits with 1 when the ratio is above 1.3.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from lightrag_engine import LightRAG, Settings
from lightrag_engine.embedding.builtin import BuiltinEmbedding
from lightrag_engine.language.builtin import BuiltinLanguage
from lightrag_engine.records import Message
from lightrag_engine.retrieval.context import Context

MODES = ("naive", "local", "global", "mix")
QUESTION = "How did Clara Whitlock and Chen Wenbo work together on the discovery of the comet?"
MOST = 1.3
_FIRST_WORD, _BETWEEN, _WORDS = 1.0, 0.05, 40
_ROUNDS = 3


class SlowLanguage(BuiltinLanguage):
    """Reads as the built-in language does, and writes like a slow model."""

    name = "slow"

    async def answer(
        self, question: str, context: Context, history: Sequence[Message] = (), response_type: str = ""
    ) -> AsyncIterator[str]:
        """Yield words, slowly."""
        await asyncio.sleep(_FIRST_WORD)
        for word in range(_WORDS):
            await asyncio.sleep(_BETWEEN)
            yield f"word{word} "


def main() -> int:
    """Print the seconds of each mode alone and of all together, and their ratio."""
    settings = Settings(
        data_dir=Path(tempfile.mkdtemp()), language_model="builtin", embedding_model="builtin"
    )
    language = SlowLanguage(settings)
    with LightRAG("bench", settings, language=language, embedding=BuiltinEmbedding()) as rag:
        samples = sorted((Path(__file__).parents[1] / "data" / "samples").glob("*_*.*"))
        rag.insert_files(samples)
        rag.query(QUESTION)  # everything is loaded
        alone = {mode: min(_seconds(rag, mode) for _ in range(_ROUNDS)) for mode in MODES}
        together = min(_compared(rag) for _ in range(_ROUNDS))
    for mode, seconds in alone.items():
        print(f"{mode:>8} alone  {seconds:6.2f} s")
    ratio = together / max(alone.values())
    print(f"{len(MODES)} compared    {together:6.2f} s")
    print(f"ratio to the slowest alone: {ratio:.2f} (at most {MOST})")
    return 0 if ratio <= MOST else 1


def _seconds(rag: LightRAG, mode: str) -> float:
    started = time.perf_counter()
    rag.query(QUESTION, rag.query_param(mode=mode))
    return time.perf_counter() - started


def _compared(rag: LightRAG) -> float:
    started = time.perf_counter()
    comparison = rag.compare(QUESTION, MODES)
    assert len(comparison.answered) == len(MODES)
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
