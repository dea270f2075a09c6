"""The faults of small models, each by itself: in one record of a reply, or around all of them.

Those of the record format are the faults of the recorded replies in ``tests/data/language`` and of what users
of such tools report; those of JSON are what models write that no schema holds to the form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

Marks = tuple[str, str, str]  # between fields, between records, at the end
RecordFault = Callable[[str, Sequence[str], str], str]  # record, its cells, mark between fields
JsonFault = Callable[[str, Mapping[str, Any]], str]  # an object as JSON, the object


def record(cells: Sequence[str], field: str) -> str:
    """Return a record as it should be."""
    return "(" + field.join(cell if cell.isdigit() else f'"{cell}"' for cell in cells) + ")"


def _swapped_kind(text: str, cells: Sequence[str], field: str) -> str:
    return text.replace('"relationship"', '"relation"', 1)


def _without_type(text: str, cells: Sequence[str], field: str) -> str:
    return record([*cells[:2], *cells[3:]], field) if cells[0] == "entity" else text


# All that a reader can make good, in the order in which `sloppy` commits them.
RECORD: tuple[RecordFault, ...] = (
    lambda text, cells, field: text,
    lambda text, cells, field: text[1:],
    lambda text, cells, field: text[:-1],
    lambda text, cells, field: text.replace(f'"{cells[1]}"', f"**{cells[1]}**", 1),
    lambda text, cells, field: f"1. {text}",
    lambda text, cells, field: text.replace(field, field[:-1], 1),
    lambda text, cells, field: text.replace(f'"{field}', '"|>', 1),
    lambda text, cells, field: text.replace(f'"{field}', '"</|>', 1),
    lambda text, cells, field: f"（{text[1:-1]}）",
    lambda text, cells, field: text.replace('"', ""),
    lambda text, cells, field: text.replace(f'"{cells[0]}"{field}', "", 1),
    _swapped_kind,
    _without_type,
)
JSON: tuple[JsonFault, ...] = (
    lambda text, item: text[:-1] + ",}",
    lambda text, item: text[:-1],
    lambda text, item: text[:-2] + text[-1],
    lambda text, item: repr(dict(item)),
    lambda text, item: text.replace('": ', '" ', 1),
    lambda text, item: text.replace('", "', '" "', 1),
    lambda text, item: re.sub(r'("description": ")(\w+)', r'\1"\2"', text),
    lambda text, item: re.sub(r'"(name|type)":', r'"entity_\1":', text),
    lambda text, item: text.replace('"description"', "description", 1),
    lambda text, item: text.replace(". ", ".\n", 1),
    lambda text, item: text + " // see the text",
    lambda text, item: text.replace('"', "“", 1).replace('"', "”", 1),
)


def as_notes(entities: Sequence[Mapping[str, Any]], relations: Sequence[Mapping[str, Any]]) -> str:
    """Return a reply in the form that a model falls back to that forgets the one asked for."""
    notes = [f"- **{e['name']}** ({e['type']}): {e['description']}" for e in entities]
    bonds = [f"- {r['source']} → {r['target']}: {r['description']}" for r in relations]
    return "\n".join(["**Entities:**", *notes, "", "**Relations:**", *bonds])


def damaged_records(rows: Sequence[Sequence[str]], marks: Marks, rate: float, chance: Random) -> str:
    """Return rows as records, each damaged with this probability, and so the form of the whole reply."""
    field, separator, completion = marks
    texts = [record(row, field) for row in rows]
    for at, row in enumerate(rows):
        if chance.random() < rate:
            texts[at] = chance.choice(RECORD[1:])(texts[at], row, field)
    between = "\n" if chance.random() < rate else f"{separator}\n"
    body = between.join(texts) + ("" if chance.random() < rate else completion)
    return _wrapped(body, rate, chance, "### Entities and relations", f"{separator}")


def damaged_json(value: Mapping[str, Any], rate: float, chance: Random) -> str:
    """Return an object of lists as JSON, with faults as in `damaged_records`."""
    parts = []
    for key, items in value.items():
        texts = [json.dumps(item, ensure_ascii=False) for item in items]
        for at, item in enumerate(items):
            if isinstance(item, Mapping) and chance.random() < rate:
                texts[at] = chance.choice(JSON)(texts[at], item)
        between = "\n" if chance.random() < rate / 4 else ",\n"
        parts.append(f"{json.dumps(key)}: [\n{between.join(texts)}\n]")
    end = "" if chance.random() < rate / 2 else "\n}"
    return _wrapped("{" + ",\n".join(parts) + end, rate, chance, "Here is the JSON:", "json")


def _wrapped(body: str, rate: float, chance: Random, heading: str, before: str) -> str:
    if chance.random() < rate:
        body = f"```{before if before.isalpha() else ''}\n{body}\n```"
    elif chance.random() < rate and not before.isalpha():
        body = before + body
    if chance.random() < rate:
        body = f"{heading}\n\n{body}"
    return f"{body}\n\nLet me know if you need more!" if chance.random() < rate else body


def careless(
    entities: Sequence[dict[str, Any]], relations: Sequence[dict[str, Any]], rate: float, chance: Random
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return records with faults that no format and no schema prevents.

    Each with a tenth of the probability: a description left empty, an entity related to itself, a record that
    is written over and over.
    """
    some = [{**e, "description": "" if chance.random() < rate / 10 else e["description"]} for e in entities]
    bonds = [{**r, "target": r["source"] if chance.random() < rate / 10 else r["target"]} for r in relations]
    if bonds and chance.random() < rate / 10:
        at = chance.randrange(len(bonds))
        bonds[at + 1 :] = [bonds[at]] * 60
    return some, bonds
