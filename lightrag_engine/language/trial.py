"""A dry run: what does a model make of one chunk?"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from lightrag_engine.language.base import LanguageModel
from lightrag_engine.language.health import summarise_health
from lightrag_engine.names import content_id
from lightrag_engine.records import Chunk, EntityRecord, RelationRecord
from lightrag_engine.tokens import count

SAMPLE = (
    "The Skerry Point Observatory stands on Westray, one of the Orkney Islands. Its second director, "
    "Clara Whitlock, began the Northern Survey in 1912 and was awarded the Dunbar Medal of the Royal "
    "Meridian Society for it. The lens was ground by Ingrid Halvorsen, an optician from Bergen, out of "
    "glass that Marsh & Dole had cast in Sunderland. In February 1927 Whitlock and her student Chen Wenbo "
    "discovered a comet there."
)


@dataclass(frozen=True, slots=True)
class ModelTest:
    """What a model read from one chunk, and how that went.

    `source` says which chunk, `report` has the numbers in one line, `verdicts` are advice, `problems` what
    was mended or left out.
    """

    model: str
    source: str
    chunk_tokens: int
    entities: tuple[EntityRecord, ...]
    relations: tuple[RelationRecord, ...]
    seconds: float
    report: str
    verdicts: tuple[str, ...]
    problems: tuple[str, ...]


def typical(tokens: Sequence[int]) -> int:
    """Return which of a document's chunks stands for it: the one in the middle of those of usual length.

    The first one often holds a title and contents, the last one is often short.

    Examples
    --------
    >>> typical([1200, 1200, 1200, 80])
    1
    """
    usual = [number for number, size in enumerate(tokens) if 2 * size >= max(tokens)]
    return usual[len(usual) // 2]


async def try_model(language: LanguageModel, chunk: Chunk | None, title: str, source: str) -> ModelTest:
    """Have a language read one chunk of the document with this title, or a sample when there is none.

    Raises
    ------
    ModelError
        When the model cannot be reached.
    """
    chunk = chunk or Chunk(content_id("chunk", SAMPLE), SAMPLE, count(SAMPLE), 0, "trial")
    started = time.perf_counter()
    extraction = await language.extract(chunk, title)
    seconds = time.perf_counter() - started
    health = summarise_health([extraction.health] if extraction.health else [])
    return ModelTest(
        model=language.name,
        source=source,
        chunk_tokens=chunk.tokens,
        entities=extraction.entities,
        relations=extraction.relations,
        seconds=seconds,
        report=health.text,
        verdicts=health.verdicts,
        problems=extraction.problems,
    )
