"""A dry run: what does a model make of one chunk?"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from lightrag_engine.language.base import LanguageModel
from lightrag_engine.language.health import HealthReport, summarise_health
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

# What two readings of one text may differ by without meaning anything.
_CHANCE = 0.1
_LEAST_MORE = 2  # records


@dataclass(frozen=True, slots=True)
class ModelTest:
    """What a model read from one chunk, and how that went.

    `source` says which chunk, `problems` what was mended or left out; `health` has the numbers, empty where
    no chat model was asked. Its `seconds` leave out the loading of the model, those here do not.
    """

    model: str
    source: str
    chunk_tokens: int
    entities: tuple[EntityRecord, ...]
    relations: tuple[RelationRecord, ...]
    seconds: float
    health: HealthReport
    problems: tuple[str, ...]

    @property
    def usable(self) -> int:
        """How many records it brought: entities that stand in the text, and relations."""
        return len(self.entities) - self.health.ungrounded + len(self.relations)


@dataclass(frozen=True, slots=True)
class FormatComparison:
    """What a model read from one chunk in either format of extraction replies.

    `better` is the format that it gets right, empty when neither; `verdict` says so and why, in a sentence.
    """

    json: ModelTest
    records: ModelTest
    better: str
    verdict: str


def compare(as_json: ModelTest, as_records: ModelTest) -> FormatComparison:
    """Say which format a model gets right: by what is usable, then by what was lost, then by what it costs.

    Differences that chance makes do not count: of usable records less than a tenth or than two, of tokens
    less than a tenth. Where nothing speaks for either it is JSON, to which a server can hold a model.
    """
    ways = {"json": as_json, "records": as_records}
    right = [name for name, test in ways.items() if test.usable and not test.health.failed]
    if not right:
        return FormatComparison(as_json, as_records, "", "It gets neither right: try a larger model.")
    if len(right) == 1:
        verdict = f"It gets {right[0]} right; the other format gave nothing that could be used."
        return FormatComparison(as_json, as_records, right[0], verdict)
    few, many = sorted((as_json.usable, as_records.usable))
    lost = {name: test.health.truncated + test.health.dropped for name, test in ways.items()}
    cost = {name: test.health.prompt_tokens + test.health.reply_tokens for name, test in ways.items()}
    if many - few >= max(_LEAST_MORE, _CHANCE * many):
        better = max(ways, key=lambda name: ways[name].usable)
        why = f"{many} records of it can be used, of the other one {few}"
    elif lost["json"] != lost["records"]:
        better = min(lost, key=lambda name: lost[name])
        why = f"{lost[better]} of its records were lost, of the other one {max(lost.values())}"
    elif abs(cost["json"] - cost["records"]) >= _CHANCE * max(cost.values()):
        better = min(cost, key=lambda name: cost[name])
        why = f"both bring as much, with {cost[better]:,} tokens instead of {max(cost.values()):,}"
    else:
        better, why = "json", "both bring as much for as many tokens, and a server can hold a model to it"
    return FormatComparison(as_json, as_records, better, f"It gets {better} right: {why}.")


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
    return ModelTest(
        model=language.name,
        source=source,
        chunk_tokens=chunk.tokens,
        entities=extraction.entities,
        relations=extraction.relations,
        seconds=seconds,
        health=summarise_health([extraction.health] if extraction.health else []),
        problems=extraction.problems,
    )
