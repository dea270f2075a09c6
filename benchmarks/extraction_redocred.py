"""How well the built-in English extractor finds the entities and related pairs of Re-DocRED paragraphs.

Run from the project's root: ``python -m benchmarks.extraction_redocred PATH/dev100.jsonl`` (or set
``REDOCRED_DEV100``). Each line of the file is a JSON object with ``title``, ``text``, ``entities`` (``i``,
``name``, ``aliases``, ``type``) and ``relations`` (``h``, ``t`` index entities). Data: Re-DocRED (MIT), texts
from Wikipedia (CC BY-SA 3.0).

How the scores are computed
---------------------------
Names are compared by letters and digits alone, case-folded, a leading article off.

*Entities.* Precision: predicted entities that are a gold entity, of all predicted. Recall: gold entities that
some prediction names, of all gold. *Strict* accepts the gold entity's name only; *alias-aware* its
aliases as well. Types are not compared; "by type" gives recall by gold type and precision by predicted type.

*Related pairs.* Undirected and without a relation's name; several gold relations of one pair count once.
A predicted end counts as the gold entity that it names (alias-aware); a pair with an end that is
no gold entity is wrong. Counts are summed over all paragraphs (micro average).

*Baseline.* The tagger's entities as they are; every two in one sentence are related.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lightrag_engine.language.builtin.english import parse, read
from lightrag_engine.records import Chunk, Extraction
from lightrag_engine.settings import Settings

Pair = tuple[str, str]


@dataclass(frozen=True)
class Prediction:
    """What a system found in one paragraph: name -> type, related pairs of names and their rules."""

    entities: dict[str, str]
    pairs: dict[Pair, str] = field(default_factory=dict)


def fold(name: str) -> str:
    """Return the letters and digits of a name, case-folded, without a leading article."""
    return re.sub(r"[\W_]+", "", re.sub(r"^(the|a|an) ", "", name.strip().casefold()))


def folded_pair(a: str, b: str) -> Pair:
    """Return an undirected pair of names."""
    return (a, b) if a <= b else (b, a)


class Counts:
    """True positives, predictions and gold items, with the three scores."""

    def __init__(self) -> None:
        self.right = self.predicted = self.found = self.gold = 0

    def row(self) -> str:
        """Precision, recall and F1 as a table's cells."""
        precision = self.right / self.predicted if self.predicted else 0.0
        recall = self.found / self.gold if self.gold else 0.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        return f"{precision:9.3f} {recall:9.3f} {f1:9.3f} {self.predicted:9d} {self.gold:9d}"


def baseline(rows: Sequence[dict[str, Any]]) -> list[Prediction]:
    """Plain entities of the tagger, all pairs of a sentence."""
    predictions = []
    for doc in parse(" ".join(row["text"].split()) for row in rows):
        entities = {fold(ent.text): ent.label_ for ent in doc.ents if fold(ent.text)}
        pairs = {
            folded_pair(a, b): "sentence"
            for sentence in doc.sents
            for a, b in itertools.combinations({fold(ent.text) for ent in sentence.ents} - {""}, 2)
        }
        predictions.append(Prediction(entities, pairs))
    return predictions


def extracted(extraction: Extraction) -> Prediction:
    """Names and pairs of an extraction."""
    entities = {fold(e.entity_name): e.entity_type for e in extraction.entities}
    pairs = {folded_pair(fold(r.src_id), fold(r.tgt_id)): r.rule for r in extraction.relations}
    return Prediction(entities, pairs)


def extractor(rows: Sequence[dict[str, Any]], settings: Settings) -> list[Prediction]:
    """The extractor, each paragraph as one chunk."""
    chunks = (Chunk(row["id"], row["text"], 0, 0, row["id"]) for row in rows)
    return [extracted(read(chunk, row["title"], settings)) for chunk, row in zip(chunks, rows, strict=True)]


def _names(row: dict[str, Any], aliases: bool) -> dict[str, int]:
    names: dict[str, int] = {}
    for entity in row["entities"]:
        for name in (entity["name"], *(entity["aliases"] if aliases else ())):
            names.setdefault(fold(name), entity["i"])
    return names


def score_entities(
    rows: Sequence[dict[str, Any]], predictions: Sequence[Prediction], aliases: bool
) -> tuple[Counts, Counter[str], Counter[str], Counter[str], Counter[str]]:
    """Return the totals, then by gold type (found, all) and by predicted type (right, all)."""
    total = Counts()
    found_of, gold_of, right_of, predicted_of = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for row, prediction in zip(rows, predictions, strict=True):
        names = _names(row, aliases)
        hit = {names[name] for name in prediction.entities if name in names}
        total.right += sum(name in names for name in prediction.entities)
        total.predicted += len(prediction.entities)
        total.found += len(hit)
        total.gold += len(row["entities"])
        gold_of.update(e["type"] for e in row["entities"])
        found_of.update(e["type"] for e in row["entities"] if e["i"] in hit)
        predicted_of.update(prediction.entities.values())
        right_of.update(label for name, label in prediction.entities.items() if name in names)
    return total, found_of, gold_of, right_of, predicted_of


def score_pairs(
    rows: Sequence[dict[str, Any]], predictions: Sequence[Prediction]
) -> tuple[Counts, dict[str, Counts], dict[str, Counts]]:
    """Return the totals, by pair of gold types, and precision by rule."""
    total, by_type, by_rule = Counts(), dict[str, Counts](), dict[str, Counts]()
    for row, prediction in zip(rows, predictions, strict=True):
        names, types = _names(row, True), {str(e["i"]): e["type"] for e in row["entities"]}
        gold = {folded_pair(str(r["h"]), str(r["t"])) for r in row["relations"] if r["h"] != r["t"]}
        predicted: dict[Pair, str] = {}
        for (a, b), rule in prediction.pairs.items():
            ends = (str(names.get(a, a)), str(names.get(b, b)))
            if ends[0] != ends[1]:
                predicted.setdefault(folded_pair(*ends), rule)
        for pair in predicted:
            for counts in (total, by_rule.setdefault(predicted[pair], Counts())):
                counts.predicted += 1
                counts.right += pair in gold
                counts.found += pair in gold
        total.gold += len(gold)
        for pair in gold | {p for p in predicted if p[0] in types and p[1] in types}:
            counts = by_type.setdefault("–".join(sorted(types[i] for i in pair)), Counts())
            counts.gold += pair in gold
            counts.predicted += pair in predicted
            counts.right += pair in gold and pair in predicted
            counts.found += pair in gold and pair in predicted
    for counts in by_rule.values():
        counts.gold = total.gold
    return total, by_type, by_rule


def _table(title: str, rows: Iterable[tuple[str, str]]) -> None:
    print(f"\n{title:<44}{'P':>10}{'R':>10}{'F1':>10}{'predicted':>10}{'gold':>10}")
    for name, cells in rows:
        print(f"{name:<44} {cells}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; return the exit code."""
    parser = argparse.ArgumentParser(
        description="Score the built-in English extractor on Re-DocRED paragraphs."
    )
    parser.add_argument(
        "data", nargs="?", default=os.environ.get("REDOCRED_DEV100", ""), help="the dev100.jsonl"
    )
    path = Path(parser.parse_args(arguments).data)
    if not path.is_file():
        print("Give the path of dev100.jsonl as an argument or in REDOCRED_DEV100.", file=sys.stderr)
        return 2
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    parse(["Warm up."])
    started = time.process_time()
    default = extractor(rows, Settings())
    seconds = time.process_time() - started
    systems = {
        "tagger's entities, all pairs of a sentence": baseline(rows),
        "extractor": default,
        "extractor without country rules": extractor(rows, Settings(country_rules=False)),
    }
    for kind, aliases in (("alias-aware", True), ("strict", False)):
        _table(
            f"Entities, {kind}", [(n, score_entities(rows, p, aliases)[0].row()) for n, p in systems.items()]
        )
    _table("Related pairs", [(n, score_pairs(rows, p)[0].row()) for n, p in systems.items()])
    _, found, gold, right, predicted = score_entities(rows, default, True)
    print("\nExtractor's entities by gold type: recall")
    print("  ".join(f"{t} {found[t] / gold[t]:.3f} ({gold[t]})" for t in sorted(gold)))
    print("Extractor's entities by predicted type: precision")
    print("  ".join(f"{t} {right[t] / predicted[t]:.3f} ({predicted[t]})" for t in sorted(predicted)))
    for name in ("extractor", "extractor without country rules"):
        _, by_type, by_rule = score_pairs(rows, systems[name])
        _table(f"Pairs by gold types, {name}", [(t, c.row()) for t, c in sorted(by_type.items())])
        _table(f"Pairs by rule, {name}", [(t, c.row()) for t, c in sorted(by_rule.items())])
    print(f"\n{sum(len(row['text']) for row in rows) / seconds:,.0f} characters a second of processor time")
    return 0


if __name__ == "__main__":
    sys.exit(main())
