"""How well does the built-in English extractor find the entities and related pairs of Re-DocRED paragraphs?

    python -m benchmarks.extraction [FOLDER] [--rules]

FOLDER holds paragraphs (see `benchmarks.redocred`, which says how they are scored); by default the sample in
``benchmarks/data``. Two thirds of the paragraphs are the ones that rules are tuned to, a third is held back.
``--rules`` also leaves out every rule in turn, and adds every one that is off. The baseline is
the tagger's entities as they are, every two of a sentence related.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.redocred import (
    SAMPLE,
    Counts,
    Prediction,
    Row,
    find_paragraphs,
    fold,
    folded_pair,
    is_held_back,
    score_entities,
    score_pairs,
)
from lightrag_engine.language.builtin.english import Parsed, parse, parsed, read_parsed
from lightrag_engine.language.builtin.english.rules import RULES, rules_in_use
from lightrag_engine.records import Chunk, Extraction
from lightrag_engine.settings import Settings

CONSOLE = Console()
Item = TypeVar("Item")
Parts = dict[str, list[int]]


@dataclass(frozen=True)
class Paragraphs:
    """The paragraphs, each parsed once, and the processor seconds that took."""

    rows: list[Row]
    texts: list[Parsed]
    seconds: float

    @property
    def parts(self) -> Parts:
        """Which paragraphs belong to which part."""
        held = [i for i, row in enumerate(self.rows) if is_held_back(row)]
        tuned = [i for i in range(len(self.rows)) if i not in set(held)]
        return {"tuned to": tuned, "held back": held}


def prepared(rows: list[Row]) -> Paragraphs:
    """Parse the paragraphs, each as a document of one chunk."""
    parse(["Warm up."])
    started = time.process_time()
    texts = [
        parsed(Chunk(row["id"], row["text"], 0, 0, row["id"]))
        for row in track(rows, "Parsing", console=CONSOLE, transient=True)
    ]
    return Paragraphs(rows, texts, time.process_time() - started)


def extracted(paragraphs: Paragraphs, settings: Settings) -> list[Prediction]:
    """Apply the rules to every paragraph."""
    return [
        prediction(read_parsed(text, row["title"], settings))
        for row, text in zip(paragraphs.rows, paragraphs.texts, strict=True)
    ]


def prediction(extraction: Extraction) -> Prediction:
    """Return the names and pairs of an extraction."""
    entities = {fold(e.entity_name): e.entity_type for e in extraction.entities}
    pairs = {folded_pair(fold(r.src_id), fold(r.tgt_id)): r.rule for r in extraction.relations}
    return Prediction(entities, pairs)


def baseline(paragraphs: Paragraphs) -> list[Prediction]:
    """Return the plain entities of the tagger, all pairs of a sentence."""
    found = []
    for text in paragraphs.texts:
        entities = {fold(ent.text): ent.label_ for doc in text.docs for ent in doc.ents if fold(ent.text)}
        pairs = {
            folded_pair(a, b): "sentence"
            for doc in text.docs
            for sentence in doc.sents
            for a, b in itertools.combinations({fold(ent.text) for ent in sentence.ents} - {""}, 2)
        }
        found.append(Prediction(entities, pairs))
    return found


def cells(counts: Counts) -> list[str]:
    """Return precision, recall and F1, then how many were predicted and are gold."""
    return [
        *(f"{value:.3f}" for value in (counts.precision, counts.recall, counts.f1)),
        f"{counts.predicted:,}",
        f"{counts.gold:,}",
    ]


def _table(title: str, first: str, rows: Iterable[tuple[str, Counts]]) -> None:
    table = Table(first, "precision", "recall", "F1", "predicted", "gold", title=title, title_justify="left")
    for name, counts in rows:
        table.add_row(name, *cells(counts))
    CONSOLE.print(table)


def _systems(paragraphs: Paragraphs) -> dict[str, list[Prediction]]:
    return {
        "tagger, all pairs of a sentence": baseline(paragraphs),
        "built-in": extracted(paragraphs, Settings()),
        "built-in without country rules": extracted(paragraphs, Settings(country_rules=False)),
        "built-in with every number (count)": extracted(paragraphs, Settings(extraction_rules=("count",))),
    }


def _of(items: Sequence[Item], part: Sequence[int]) -> list[Item]:
    return [items[i] for i in part]


def _totals(paragraphs: Paragraphs, systems: dict[str, list[Prediction]]) -> None:
    measures: dict[str, Callable[[list[Row], list[Prediction]], Counts]] = {
        "Entities, alias-aware": lambda rows, found: score_entities(rows, found).total,
        "Entities, strict": lambda rows, found: score_entities(rows, found, aliases=False).total,
        "Related pairs, alias-aware": lambda rows, found: score_pairs(rows, found).total,
        "Related pairs, strict": lambda rows, found: score_pairs(rows, found, aliases=False).total,
    }
    for title, measure in measures.items():
        _table(
            title,
            "",
            (
                (f"{name}, {part}", measure(_of(paragraphs.rows, chosen), _of(found, chosen)))
                for name, found in systems.items()
                for part, chosen in paragraphs.parts.items()
            ),
        )


def _details(paragraphs: Paragraphs, found: list[Prediction]) -> None:
    """By type for all paragraphs; by rule for those that rules are tuned to."""
    entities, pairs = score_entities(paragraphs.rows, found), score_pairs(paragraphs.rows, found)
    _table("Entities by gold type: recall", "type", sorted(entities.by_gold.items()))
    _table("Entities by predicted type: precision", "type", sorted(entities.by_predicted.items()))
    _table("Related pairs by gold types", "types", sorted(pairs.by_types.items()))
    tuned = paragraphs.parts["tuned to"]
    by_rule = score_pairs(_of(paragraphs.rows, tuned), _of(found, tuned)).by_rule
    _table("Related pairs by the rule that names them, tuned to", "rule", sorted(by_rule.items()))


def _ablation(paragraphs: Paragraphs, found: list[Prediction]) -> None:
    """What F1 loses without a rule that is on, or gains with one that is off, in thousandths."""

    def measured(predictions: list[Prediction], part: str) -> tuple[float, float]:
        chosen = paragraphs.parts[part]
        rows, kept = _of(paragraphs.rows, chosen), _of(predictions, chosen)
        return score_entities(rows, kept).total.f1, score_pairs(rows, kept).total.f1

    with_all = {part: measured(found, part) for part in paragraphs.parts}
    table = Table("rule", "weight", "entities", "held back", "pairs", "held back", "what it says")
    table.title = "What each rule adds to F1, in thousandths"
    used = {rule.name for rule in rules_in_use(Settings())}
    for rule in track(RULES.values(), "Leaving out each rule", console=CONSOLE, transient=True):
        on = rule.name in used
        changed = extracted(paragraphs, Settings(extraction_rules=(f"-{rule.name}" if on else rule.name,)))
        gains = []
        for i in (0, 1):
            for part, before in with_all.items():
                difference = before[i] - measured(changed, part)[i]
                gains.append(f"{1000 * (difference if on else -difference):+.1f}")
        weight = f"{rule.weight:.1f}" if rule.kind == "relation" else ""
        table.add_row(rule.name if on else f"{rule.name} (off)", weight, *gains, rule.meaning)
    CONSOLE.print(table)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=SAMPLE, help="folder with paragraphs")
    parser.add_argument("--rules", action="store_true", help="leave out each rule in turn")
    arguments = parser.parse_args()
    paragraphs = prepared(find_paragraphs(arguments.folder))
    systems = _systems(paragraphs)
    found = systems["built-in"]
    started = time.process_time()
    extracted(paragraphs, Settings())
    seconds = time.process_time() - started
    _totals(paragraphs, systems)
    _details(paragraphs, found)
    if arguments.rules:
        _ablation(paragraphs, found)
    characters = sum(len(row["text"]) for row in paragraphs.rows)
    whole = paragraphs.seconds + seconds
    CONSOLE.print(
        f"{len(paragraphs.rows)} paragraphs, {characters:,} characters: parsing {paragraphs.seconds:.1f} s, "
        f"rules {seconds:.1f} s of processor; {characters / whole:,.0f} characters a second"
    )


if __name__ == "__main__":
    main()
