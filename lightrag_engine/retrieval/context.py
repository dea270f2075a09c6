"""The retrieved context: three tables, as rows, as frames and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from lightrag_engine.records import EntityRow, RelationRow, SourceText

ENTITY_COLUMNS = ("id", "entity", "type", "description", "rank")
RELATION_COLUMNS = ("id", "source", "target", "keywords", "description", "weight", "rank")
SOURCE_COLUMNS = ("id", "content", "document", "page")
Row = EntityRow | RelationRow | SourceText


def csv_text(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """Return a table as CSV (RFC 4180, lines end in CR LF) with a header row.

    Any CSV reader gives back the same cells: commas, quotes and line breaks are quoted.
    """
    out = io.StringIO()
    # With any other line end, Python would leave a bare carriage return inside a cell unquoted.
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([getattr(row, column) for column in columns] for row in rows)
    return out.getvalue()


def frame(columns: Sequence[str], rows: Sequence[Row]) -> pd.DataFrame:
    """Return a table as a pandas frame with a fixed type a column; empty tables keep their columns."""
    data = pd.DataFrame([[getattr(row, c) for c in columns] for row in rows], columns=list(columns))
    kinds = {"id": "int64", "rank": "int64", "weight": "float64"}
    return data.astype({c: kinds.get(c, "str") for c in columns})


@dataclass(frozen=True, slots=True)
class Context:
    """What retrieval found, cut to its budgets: exactly what a model is given and what a person is shown.

    `found_…` count the rows before the budgets were applied; `notes` are sentences for a person.
    """

    mode: str
    entity_rows: tuple[EntityRow, ...] = ()
    relation_rows: tuple[RelationRow, ...] = ()
    source_rows: tuple[SourceText, ...] = ()
    found_entities: int = 0
    found_relations: int = 0
    found_sources: int = 0
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all was found."""
        return not (self.entity_rows or self.relation_rows or self.source_rows)

    @property
    def entities(self) -> pd.DataFrame:
        """Entities table: id, entity, type, description, rank (degree)."""
        return frame(ENTITY_COLUMNS, self.entity_rows)

    @property
    def relations(self) -> pd.DataFrame:
        """Relations table: id, source, target, keywords, description, weight, rank."""
        return frame(RELATION_COLUMNS, self.relation_rows)

    @property
    def sources(self) -> pd.DataFrame:
        """Sources table: id (the n of a citation ``[n]``), content, document, page."""
        return frame(SOURCE_COLUMNS, self.source_rows)

    def to_csv(self) -> str:
        """Return the three tables as CSV, each under a heading line, as a model is given them."""
        tables = (
            ("Entities", ENTITY_COLUMNS, self.entity_rows),
            ("Relations", RELATION_COLUMNS, self.relation_rows),
            ("Sources", SOURCE_COLUMNS, self.source_rows),
        )
        return "\n".join(f"-----{title}-----\n{csv_text(columns, rows)}" for title, columns, rows in tables)
