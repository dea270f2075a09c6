"""A dry run: what does a model make of one chunk?"""

from __future__ import annotations

import time
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

    `report` has the numbers in one line, `verdicts` are advice, `problems` what was mended or left out.
    """

    model: str
    chunk_tokens: int
    entities: tuple[EntityRecord, ...]
    relations: tuple[RelationRecord, ...]
    seconds: float
    report: str
    verdicts: tuple[str, ...]
    problems: tuple[str, ...]


async def try_model(language: LanguageModel, text: str) -> ModelTest:
    """Have a language read one chunk with this text, or a sample when there is none.

    Raises
    ------
    ModelError
        When the model cannot be reached.
    """
    content = text or SAMPLE
    chunk = Chunk(content_id("chunk", content), content, count(content), 0, "trial")
    started = time.perf_counter()
    extraction = await language.extract(chunk, "")
    seconds = time.perf_counter() - started
    health = summarise_health([extraction.health] if extraction.health else [])
    return ModelTest(
        model=language.name,
        chunk_tokens=chunk.tokens,
        entities=extraction.entities,
        relations=extraction.relations,
        seconds=seconds,
        report=health.text,
        verdicts=health.verdicts,
        problems=extraction.problems,
    )
