"""How long do edits and the search for duplicates take in a large graph?

    python -m benchmarks.editing [ENTITIES]

Builds a workspace of made-up names (10,000 by default: people, institutions and places that share many
words, with two relations each, and one entity that a tenth of all are related to) and prints the seconds of:
finding duplicates, merging and renaming the best-connected entity, undoing both. Vectors are random, of 384
dimensions.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import zlib
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from lightrag_engine import Keywords, LightRAG, Message, Settings
from lightrag_engine.embedding.base import Role, Vectors
from lightrag_engine.records import Chunk, EntityRecord, Extraction, RelationRecord
from lightrag_engine.retrieval.context import Context

_HUB = "Central Ferry Board"
_LINES = 300  # of a document


class LineReader:
    """Reads lines ``name | type | related name …``."""

    name = fingerprint = "lines"
    max_prompt_tokens = sys.maxsize

    async def extract(self, chunk: Chunk, title: str) -> Extraction:
        """Return an entity a line, and its relations."""
        rows = [line.split(" | ") for line in chunk.content.splitlines() if line.count(" | ") > 1]
        return Extraction(
            chunk.id,
            tuple(EntityRecord(row[0], row[1], f"{row[0]} is there.", chunk.id) for row in rows),
            tuple(
                RelationRecord(row[0], other, f"{row[0]} knows {other}.", ("knows",), 1.0, chunk.id)
                for row in rows
                for other in row[2:]
                if other != row[0]
            ),
        )

    async def keywords(self, question: str, history: Sequence[Message] = ()) -> Keywords:
        """Return none: nothing is asked here."""
        return Keywords()

    async def summarise(self, name: str, descriptions: Sequence[str], max_tokens: int) -> str:
        """Return the first description."""
        return descriptions[0]

    def answer_prompt(
        self, question: str, context: str, history: Sequence[Message] = (), response_type: str = ""
    ) -> str:
        """Return nothing: nothing is asked here."""
        return ""

    async def answer(
        self, question: str, context: Context, history: Sequence[Message] = (), response_type: str = ""
    ) -> AsyncIterator[str]:
        """Yield nothing."""
        yield ""


class RandomEmbedding:
    """A vector for every text that has nothing to do with it."""

    name = "random"
    dimensions = 384

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return rows of unit length."""
        rows = [np.random.default_rng(zlib.crc32(t.encode())).normal(size=self.dimensions) for t in texts]
        matrix = np.asarray(rows, dtype=np.float32).reshape(len(texts), self.dimensions)
        unit: Vectors = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        return unit


def made_up(number: int) -> dict[str, str]:
    """Return so many names with their types."""
    chance = random.Random(1)
    syllables = [
        a + b for a in ("Br", "D", "F", "Gr", "K", "L", "M", "Qu", "R", "S", "T", "V") for b in "aeiou"
    ]
    endings = ("nna", "rtin", "lla", "nner", "well", "rton", "ssen", "lker", "rgh", "nd")
    names = {_HUB: "organization"}
    while len(names) < number:
        first, last = (chance.choice(syllables) + chance.choice(endings) for _ in range(2))
        kind = chance.choice(["person", "person", "organization", "location"])
        institution = chance.choice(["University", "Institute", "Ministry", "Museum", "Bank", "Society"])
        shown = {"person": f"{first} {last}", "organization": f"{institution} of {first}"}
        names[shown.get(kind, f"{first}{last.lower()}")] = kind
    return names


def main() -> None:
    """Build and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("entities", nargs="?", type=int, default=10_000)
    names = made_up(parser.parse_args().entities)
    chance, listed = random.Random(2), list(names)
    lines = [
        " | ".join([name, kind, *chance.sample(listed, 2), *([_HUB] if chance.random() < 0.1 else [])])
        for name, kind in names.items()
    ]
    texts = ["\n".join(lines[start : start + _LINES]) for start in range(0, len(lines), _LINES)]
    table = Table("", "seconds", "of processor")
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder))
        with LightRAG("benchmark", settings, language=LineReader(), embedding=RandomEmbedding()) as rag:
            rag.insert(texts)
            hub = max(rag.graph.degree, key=lambda pair: pair[1])

            def measure(what: str, work: Callable[[], object]) -> None:
                started, used = time.perf_counter(), time.process_time()
                work()
                seconds = time.perf_counter() - started, time.process_time() - used
                table.add_row(what, *(f"{s:.1f}" for s in seconds))

            measure("find duplicates", rag.suggest_duplicates)
            measure("retype an entity", lambda: rag.retype_entity(listed[1], "work"))
            measure(
                f"merge into one of {hub[1]:,} relations", lambda: rag.merge_entities(listed[1:2], hub[0])
            )
            measure("undo", rag.undo)
            measure("rename it", lambda: rag.rename_entity(hub[0], "Ferry Board"))
            measure("undo", rag.undo)
            counts = rag.counts()
    console = Console()
    console.print(f"{counts.entities:,} entities, {counts.relations:,} relations")
    console.print(table)


if __name__ == "__main__":
    main()
