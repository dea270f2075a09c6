"""Examples in the extraction prompt: a short passage and the answer to it, in either format."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, replace

from lightrag_engine.language.parsing import Delimiters


@dataclass(frozen=True)
class ExtractionExample:
    """A passage with what should be read from it.

    `entities` are (name, type, description); `relations` (source, target, description, keywords, strength),
    the keywords in one text, separated by commas.
    """

    text: str
    entities: tuple[tuple[str, str, str], ...]
    relations: tuple[tuple[str, str, str, str, float], ...] = ()
    content_keywords: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the example, its themes not included."""
        return tuple(name for name, _, _ in self.entities)


DEFAULT_EXAMPLES = (
    ExtractionExample(
        text="Ottilie Brandt opened the Salt Lantern, a bakery in Weiring, in 1987. Her nephew Jonas runs it "
        "now and buys his flour from the Kessel Mill.",
        entities=(
            (
                "Ottilie Brandt",
                "person",
                "Ottilie Brandt opened the Salt Lantern in 1987; Jonas is her nephew.",
            ),
            ("Salt Lantern", "organization", "The Salt Lantern is a bakery in Weiring, opened in 1987."),
            ("Weiring", "location", "Weiring is where the Salt Lantern stands."),
            ("Jonas", "person", "Jonas, nephew of Ottilie Brandt, runs the Salt Lantern."),
            ("Kessel Mill", "organization", "The Kessel Mill sells flour to the Salt Lantern."),
        ),
        relations=(
            ("Ottilie Brandt", "Salt Lantern", "Ottilie Brandt opened the Salt Lantern.", "founding", 9),
            ("Salt Lantern", "Weiring", "The Salt Lantern is in Weiring.", "place", 6),
            ("Jonas", "Ottilie Brandt", "Jonas is the nephew of Ottilie Brandt.", "family", 7),
            ("Kessel Mill", "Salt Lantern", "The Kessel Mill supplies flour.", "trade, supply", 5),
        ),
        content_keywords=("family business", "baking"),
    ),
)


def fitting(example: ExtractionExample, types: Collection[str]) -> ExtractionExample:
    """Return an example without the entities whose type is not asked for, and without their relations."""
    entities = tuple(entity for entity in example.entities if entity[1] in types)
    names = {name for name, _, _ in entities}
    relations = tuple(r for r in example.relations if r[0] in names and r[1] in names)
    return replace(example, entities=entities, relations=relations)


def as_json(example: ExtractionExample) -> str:
    """Return the answer of an example as one JSON object."""
    return json.dumps(
        {
            "entities": [
                {"name": name, "type": kind, "description": description}
                for name, kind, description in example.entities
            ],
            "relations": [
                {
                    "source": source,
                    "target": target,
                    "description": description,
                    "keywords": [word.strip() for word in keywords.split(",")],
                    "strength": int(strength),
                }
                for source, target, description, keywords, strength in example.relations
            ],
            "content_keywords": list(example.content_keywords),
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def as_records(example: ExtractionExample, delimiters: Delimiters) -> str:
    """Return the answer of an example as delimited records."""
    rows = [("entity", *entity) for entity in example.entities]
    lines = [delimiters.field.join(f'"{field}"' for field in row) for row in rows]
    for source, target, description, keywords, strength in example.relations:
        fields = ("relationship", source, target, description, keywords)
        quoted = delimiters.field.join(f'"{field}"' for field in fields)
        lines.append(f"{quoted}{delimiters.field}{strength:g}")
    lines.append(f'"content_keywords"{delimiters.field}"{", ".join(example.content_keywords)}"')
    return f"{delimiters.record}\n".join(f"({line})" for line in lines) + delimiters.completion
