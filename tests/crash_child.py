"""Indexes texts in a process of its own, which a test may kill at any moment.

    python crash_child.py DATA_DIR LOG index TEXT…
    python crash_child.py DATA_DIR LOG change TEXT

*change* puts the text in the place of 0.txt and deletes 2.txt. Either may be begun again at any moment.

Appends a line to LOG for every chunk that the scripted language has read.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from doubles import HashEmbedding, ScriptedLanguage

from lightrag_engine import LightRAG, Settings
from lightrag_engine.records import Chunk, Extraction


class LoggingLanguage(ScriptedLanguage):
    """Reads slowly, and says what it has read."""

    def __init__(self, log: Path) -> None:
        super().__init__()
        self._log = log

    async def extract(self, chunk: Chunk, title: str) -> Extraction:
        await asyncio.sleep(0.02)
        extraction = await super().extract(chunk, title)
        with self._log.open("a", encoding="utf-8") as file:
            file.write(f"{chunk.id}\n")
        return extraction


def main() -> None:
    """Index or change documents and wait for everything that is under way."""
    data_dir, log, action, *texts = sys.argv[1:]
    settings = Settings(data_dir=Path(data_dir), chunk_token_size=16, chunk_overlap_token_size=0)
    with LightRAG("w", settings, language=LoggingLanguage(Path(log)), embedding=HashEmbedding()) as rag:
        if action == "index":
            rag.insert(texts, [f"{n}.txt" for n in range(len(texts))])
            return
        rag.submit_text(texts[0], "0.txt", same_name="replace")
        for status in rag.documents():
            if "2.txt" in status.names:
                rag.delete_document(status.id)
        rag.wait_for_documents([status.id for status in rag.documents()])


if __name__ == "__main__":
    main()
