"""Paragraphs of Re-DocRED with gold entities and relations, and what is counted against them.

Each line of a file is a JSON object with ``id``, ``title``, ``text``, ``entities`` (``i``, ``name``,
``aliases``, ``type``) and ``relations`` (``h``, ``t`` index entities). Data: Re-DocRED (MIT), texts from
Wikipedia (CC BY-SA 3.0).

Names are compared by letters and digits alone, case-folded, a leading article off.

*Entities.* Precision: predicted entities that are a gold entity, of all predicted. Recall: gold entities that
some prediction names, of all gold. *Strict* accepts the gold entity's name only; *alias-aware* its
aliases as well. Types are not compared; "by type" gives recall by gold type and precision by predicted type.

*Related pairs.* Undirected and without a relation's name; several gold relations of one pair count once. A
predicted end counts as the gold entity that it names; a pair with an end that is no gold entity is wrong.
Counts are summed over all paragraphs (micro average).

A third of the paragraphs, by a hash of their id, is *held back*: rules are tuned to the others only.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Pair = tuple[str, str]
Row = dict[str, Any]
SAMPLE = Path(__file__).parent / "data" / "redocred"
_PARTS = 3


@dataclass(frozen=True)
class Prediction:
    """What a system found in one paragraph: name -> type, related pairs of names -> the rule."""

    entities: dict[str, str]
    pairs: dict[Pair, str] = field(default_factory=dict)


@dataclass
class Counts:
    """True positives among predictions and among gold items."""

    right: int = 0
    predicted: int = 0
    found: int = 0
    gold: int = 0

    @property
    def precision(self) -> float:
        """Right ones of what was predicted; 0 when nothing was."""
        return self.right / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Found ones of what is gold; 0 when nothing is."""
        return self.found / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


@dataclass
class EntityScore:
    """Totals; recall by gold type, precision by predicted type."""

    total: Counts = field(default_factory=Counts)
    by_gold: dict[str, Counts] = field(default_factory=dict)
    by_predicted: dict[str, Counts] = field(default_factory=dict)


@dataclass
class PairScore:
    """Totals; by pair of gold types; precision and share of the gold pairs by rule."""

    total: Counts = field(default_factory=Counts)
    by_types: dict[str, Counts] = field(default_factory=dict)
    by_rule: dict[str, Counts] = field(default_factory=dict)


def find_paragraphs(folder: Path) -> list[Row]:
    """Return the paragraphs of the first file of such lines in a folder or in the folders in it.

    Raises
    ------
    SystemExit
        When there is none.
    """
    files = [folder] if folder.is_file() else sorted([*folder.glob("*.jsonl"), *folder.glob("*/*.jsonl")])
    for file in files:
        with file.open(encoding="utf-8") as lines:
            first = json.loads(next(lines, "null"))
        if isinstance(first, dict) and {"title", "text", "entities", "relations"} <= set(first):
            content = file.read_text(encoding="utf-8")
            return [json.loads(line) for line in content.splitlines() if line.strip()]
    sys.exit(f"No paragraphs with entities and relations in {folder}: a .jsonl file of Re-DocRED is needed.")


def is_held_back(row: Row) -> bool:
    """Whether a paragraph belongs to the third that no rule is tuned to."""
    return hashlib.blake2b(row["id"].encode(), digest_size=4).digest()[0] % _PARTS == 0


def fold(name: str) -> str:
    """Return the letters and digits of a name, case-folded, without a leading article."""
    return re.sub(r"[\W_]+", "", re.sub(r"^(the|a|an) ", "", name.strip().casefold()))


def folded_pair(a: str, b: str) -> Pair:
    """Return an undirected pair of names."""
    return (a, b) if a <= b else (b, a)


def _names(row: Row, aliases: bool) -> dict[str, int]:
    names: dict[str, int] = {}
    for entity in row["entities"]:
        for name in (entity["name"], *(entity["aliases"] if aliases else ())):
            names.setdefault(fold(name), entity["i"])
    return names


def score_entities(
    rows: Sequence[Row], predictions: Sequence[Prediction], aliases: bool = True
) -> EntityScore:
    """Compare the entities of each paragraph with the gold ones."""
    score = EntityScore()
    for row, prediction in zip(rows, predictions, strict=True):
        names = _names(row, aliases)
        hits = Counter(names[name] for name in prediction.entities if name in names)
        for name, label in prediction.entities.items():
            for counts in (score.total, score.by_predicted.setdefault(label, Counts())):
                counts.predicted += 1
                counts.right += name in names
        for entity in row["entities"]:
            for counts in (score.total, score.by_gold.setdefault(entity["type"], Counts())):
                counts.gold += 1
                counts.found += entity["i"] in hits
    return score


def score_pairs(rows: Sequence[Row], predictions: Sequence[Prediction], aliases: bool = True) -> PairScore:
    """Compare the related pairs of each paragraph with the gold ones."""
    score = PairScore()
    for row, prediction in zip(rows, predictions, strict=True):
        names, types = _names(row, aliases), {str(e["i"]): e["type"] for e in row["entities"]}
        gold = {folded_pair(str(r["h"]), str(r["t"])) for r in row["relations"] if r["h"] != r["t"]}
        predicted: dict[Pair, str] = {}
        for (a, b), rule in prediction.pairs.items():
            ends = (str(names.get(a, a)), str(names.get(b, b)))
            if ends[0] != ends[1]:
                predicted.setdefault(folded_pair(*ends), rule)
        for pair in gold | set(predicted):
            places = [score.total]
            if pair in predicted:
                places.append(score.by_rule.setdefault(predicted[pair], Counts()))
            if pair[0] in types and pair[1] in types:
                kinds = "–".join(sorted(types[end] for end in pair))
                places.append(score.by_types.setdefault(kinds, Counts()))
            for counts in places:
                counts.gold += pair in gold
                counts.predicted += pair in predicted
                counts.right += pair in gold and pair in predicted
                counts.found += pair in gold and pair in predicted
    for counts in score.by_rule.values():
        counts.gold = score.total.gold
    return score
