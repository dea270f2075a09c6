"""A graph that comes as tables, of entities and relations: from Gephi, GraphRAG, our own export or a person.

The tables become one *table document*: each row is a line of its text and a chunk of its own, with the
records that the row states. So passages, vectors, merging and deleting work as for any other document.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lightrag_engine.documents.clean import clean
from lightrag_engine.documents.sniffing import TEXT, kind_of
from lightrag_engine.documents.table import delimiter_of
from lightrag_engine.documents.text import decode
from lightrag_engine.errors import DocumentError
from lightrag_engine.names import clean_name, fold_name
from lightrag_engine.records import UNKNOWN_TYPE

MEDIA_TYPE = "application/vnd.lightrag.graph-table+json"
_MAGIC = b'{"lightrag graph table":1,'
_MOST_ROWS = 200_000
_LONGEST_CELL = 20_000
_NAME = ("name", "title", "entity", "label", "id", "node", "key")
_TYPE = ("type", "entity_type", "category", "kind", "class", "group")
_SAID = ("description", "summary", "text", "notes", "note")
_SOURCE = ("source", "src", "from", "source_name", "subject", "head", "start")
_TARGET = ("target", "tgt", "dst", "to", "target_name", "object", "tail", "end")
_ABOUT = ("keywords", "relation", "relationship", "predicate", "label", "name", "type", "rel_type")
_WEIGHT = ("weight", "strength", "value", "score")
_DIRECTIONS = frozenset({"directed", "undirected", "mutual"})  # what Gephi writes into Type


@dataclass(frozen=True, slots=True)
class TableEntity:
    """A row that states an entity."""

    name: str
    type: str
    description: str


@dataclass(frozen=True, slots=True)
class TableRelation:
    """A row that states a relation."""

    source: str
    target: str
    keywords: tuple[str, ...]
    description: str
    weight: float


@dataclass(frozen=True, slots=True)
class GraphTable:
    """Entities and relations as rows, and what was noticed on reading them, as sentences for a person."""

    entities: tuple[TableEntity, ...]
    relations: tuple[TableRelation, ...]
    warnings: tuple[str, ...] = ()

    def to_bytes(self) -> bytes:
        """Return the table as the bytes of a document; the same tables always give the same bytes."""
        rest = {
            "entities": [[e.name, e.type, e.description] for e in self.entities],
            "relations": [
                [r.source, r.target, list(r.keywords), r.description, r.weight] for r in self.relations
            ],
            "warnings": list(self.warnings),
        }
        return _MAGIC + json.dumps(rest, ensure_ascii=False)[1:].encode("utf-8", "replace")

    def rows(self) -> list[TableEntity | TableRelation]:
        """Return all rows, entities first."""
        return [*self.entities, *self.relations]

    def lines(self) -> list[str]:
        """Return what each of the `rows` says, as a line of text."""
        return [*map(_entity_line, self.entities), *map(_relation_line, self.relations)]


def is_graph_table(data: bytes) -> bool:
    """Return whether bytes are those of a `GraphTable`."""
    return data.startswith(_MAGIC)


def from_bytes(data: bytes, name: str) -> GraphTable:
    """Read back what `GraphTable.to_bytes` has written.

    Raises
    ------
    DocumentError
        When the bytes are damaged.
    """
    try:
        held = json.loads(data)
        return GraphTable(
            tuple(TableEntity(*map(str, row)) for row in held["entities"]),
            tuple(
                TableRelation(str(a), str(b), tuple(map(str, about)), str(said), float(weight))
                for a, b, about, said, weight in held["relations"]
            ),
            tuple(map(str, held["warnings"])),
        )
    except (ValueError, TypeError, KeyError) as error:
        raise DocumentError(
            f"{name} is a damaged graph table.", hint="Import the CSV files again."
        ) from error


def read_graph_table(
    relations: bytes, entities: bytes = b"", *, relations_name: str = "", entities_name: str = ""
) -> GraphTable:
    """Read a table of relations, and one of entities if there is one.

    Columns are found by their names, in any order and case: *source* and *target* (also src, from, subject
    …), and as far as they are there *keywords* (relation, label …), *description* and *weight*; for entities
    *name* (title, label, id …), *type* and *description*. Ends may be given by the id of an entity whose
    table also has a name. The delimiter may be comma, semicolon, tab or bar.

    Raises
    ------
    DocumentError
        When a table is empty, no table at all, or lacks its columns; the message says which it has.
    """
    shown = entities_name or "The table of entities"
    nodes, names, warnings = _entities(_rows(entities, shown), shown) if entities.strip() else ([], {}, [])
    shown = relations_name or "The table of relations"
    edges, more = _relations(_rows(relations, shown), shown, names)
    return GraphTable(tuple(nodes), tuple(edges), (*warnings, *more))


def _rows(data: bytes, name: str) -> list[dict[str, str]]:
    if (kind := kind_of(data)) != TEXT:
        raise DocumentError(f"{name} is {kind}, not a CSV table.", hint="Save it as CSV and import that.")
    text = clean(decode(data).text)
    try:
        read = list(csv.reader(io.StringIO(text), delimiter=delimiter_of(text)))
    except csv.Error as error:
        raise DocumentError(
            f"{name} cannot be read as a table: {error}.", hint="Save it as CSV in UTF-8 and try again."
        ) from error
    filled = [row for row in read if any(cell.strip() for cell in row)]
    if len(filled) < 2:
        raise DocumentError(
            f"{name} has no rows.", hint="The first line names the columns, each further line is a row."
        )
    if len(filled) > _MOST_ROWS:
        raise DocumentError(
            f"{name} has {len(filled) - 1:,} rows, at most {_MOST_ROWS:,} are read.", hint="Split it."
        )
    head = [cell.strip().casefold().replace(" ", "_") for cell in filled[0]]
    return [dict(zip(head, map(_cell, row), strict=False)) for row in filled[1:]]


def _cell(text: str) -> str:
    """Return a cell without what our own export puts in front to keep a spreadsheet from running it."""
    line = " ".join(text.split())[:_LONGEST_CELL]
    return line[1:] if len(line) > 1 and line[0] == "'" and line[1] in "=+-@" else line


def _entities(
    rows: Sequence[Mapping[str, str]], table: str
) -> tuple[list[TableEntity], dict[str, str], list[str]]:
    """Return the entities, the name behind every id, and what was noticed."""
    column = _column(rows, _NAME, table, "a name (name, title, label or id)")
    kind, said = _optional(rows, _TYPE), _optional(rows, _SAID)
    id_columns = [other for other in ("id", "key") if other in rows[0] and other != column]
    found: list[TableEntity] = []
    names: dict[str, str] = {}
    for row in rows:
        name = clean_name(row.get(column) or next(filter(None, map(row.get, id_columns)), ""))
        if not fold_name(name):
            continue
        type_ = " ".join(row.get(kind, "").casefold().split())[:60]
        found.append(TableEntity(name, type_ or UNKNOWN_TYPE, row.get(said, "")))
        for id_column in id_columns:
            if row.get(id_column):
                names.setdefault(row[id_column], name)
    return found, names, _left_out(len(rows) - len(found), table, "without a usable name")


def _relations(
    rows: Sequence[Mapping[str, str]], table: str, names: Mapping[str, str]
) -> tuple[list[TableRelation], list[str]]:
    source = _column(rows, _SOURCE, table, "a source (source, from or subject)")
    target = _column(rows, _TARGET, table, "a target (target, to or object)")
    said, weight = _optional(rows, _SAID), _optional(rows, _WEIGHT)
    about = _about_column(rows, {source, target, said, weight})
    found: list[TableRelation] = []
    nameless = alone = weightless = 0
    for row in rows:
        ends = [clean_name(names.get(row.get(end, ""), row.get(end, ""))) for end in (source, target)]
        if not all(map(fold_name, ends)):
            nameless += 1
            continue
        if fold_name(ends[0]) == fold_name(ends[1]):
            alone += 1
            continue
        heavy = _number(row.get(weight, "")) if weight else 1.0
        weightless += heavy is None
        words = _words(row.get(about, ""))
        described = row.get(said, "")
        found.append(TableRelation(ends[0], ends[1], words, described, 1.0 if heavy is None else heavy))
    return found, [
        *_left_out(nameless, table, "without two usable names"),
        *_left_out(alone, table, "that relate an entity to itself"),
        *([f"{weightless:,} rows of {table} have no usable weight: 1 was taken."] if weightless else []),
    ]


def _about_column(rows: Sequence[Mapping[str, str]], used: Iterable[str]) -> str:
    for column in _ABOUT:
        if column not in rows[0] or column in used:
            continue
        values = {row.get(column, "").casefold() for row in rows}
        if not values <= _DIRECTIONS | {""}:
            return column
    return ""


def _column(rows: Sequence[Mapping[str, str]], wanted: Sequence[str], table: str, what: str) -> str:
    if column := _optional(rows, wanted):
        return column
    there = ", ".join(column or "(empty)" for column in list(rows[0])[:12])
    raise DocumentError(
        f"{table} has no column with {what}.",
        hint=f"It has: {there[:300]}. The first line of the file must name the columns.",
    )


def _optional(rows: Sequence[Mapping[str, str]], wanted: Sequence[str]) -> str:
    return next((column for column in wanted if column in rows[0]), "")


def _number(text: str) -> float | None:
    try:
        value = float(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= 1e9 else None


def _words(text: str) -> tuple[str, ...]:
    parts = [part.strip() for part in text.replace(";", ",").split(",")]
    return tuple(dict.fromkeys(part[:80] for part in parts if part))[:20]


def _left_out(count: int, table: str, why: str) -> list[str]:
    return [f"{count:,} {'row' if count == 1 else 'rows'} of {table} {why}: left out."] if count else []


def _entity_line(entity: TableEntity) -> str:
    kind = f" ({entity.type})" if entity.type != UNKNOWN_TYPE else ""
    return f"{entity.name}{kind}{_sentence(entity.description)}"


def _relation_line(relation: TableRelation) -> str:
    about = f" ({', '.join(relation.keywords)})" if relation.keywords else ""
    return f"{relation.source} – {relation.target}{about}{_sentence(relation.description)}"


def _sentence(text: str) -> str:
    return f": {text}" if text else ""
