"""Token budgets: whole rows up to a limit, and three limits that fit into one prompt together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from lightrag_engine.records import EntityRow, QueryParam, RelationRow, SourceText
from lightrag_engine.retrieval.context import (
    ENTITY_COLUMNS,
    RELATION_COLUMNS,
    SOURCE_COLUMNS,
    Context,
    Row,
    csv_text,
)
from lightrag_engine.storage.sqlite import batches
from lightrag_engine.tokens import count_table

Id = TypeVar("Id")
AnyRow = TypeVar("AnyRow", bound=Row)
Row_co = TypeVar("Row_co", bound=Row, covariant=True)

_PAGE = 8  # rows; of sources no more than that fit, of the others two or three pages

# How the room of a prompt is shared when the three budgets together do not fit: passages are what an
# answer is checked against, so they get half.
_SHARES = {"entities": 0.2, "relations": 0.3, "sources": 0.5}
# The three heading lines and header rows of the context.
_FRAME_TOKENS = 60


class Rows(Protocol[Row_co]):
    """Rows, best first, of which as many are looked at as fit."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Row_co]: ...


class PagedRows(Generic[Id, AnyRow]):
    """Rows that are made a page at a time, as far as somebody reads: of thousands a budget takes a few.

    Parameters
    ----------
    ids
        What the rows are of, best first.
    make
        Returns the rows of some ids, numbered from a number; it leaves out what there is not.

    `missing` counts what was left out so far; `len` takes it off.
    """

    def __init__(self, ids: Sequence[Id], make: Callable[[Sequence[Id], int], Sequence[AnyRow]]) -> None:
        self._ids, self._make = ids, make
        self.missing = 0

    def __len__(self) -> int:
        return len(self._ids) - self.missing

    def __iter__(self) -> Iterator[AnyRow]:
        self.missing, number = 0, 1
        for page in batches(self._ids, _PAGE):
            rows = self._make(page, number)
            self.missing += len(page) - len(rows)
            number += len(rows)
            yield from rows


class Tables(Protocol):
    """The three tables as they were found, before any budget."""

    @property
    def mode(self) -> str: ...
    @property
    def entity_rows(self) -> Rows[EntityRow]: ...
    @property
    def relation_rows(self) -> Rows[RelationRow]: ...
    @property
    def source_rows(self) -> Rows[SourceText]: ...
    @property
    def notes(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class FoundTables:
    """`Tables` of rows that are not made yet."""

    mode: str
    entity_rows: Rows[EntityRow]
    relation_rows: Rows[RelationRow]
    source_rows: Rows[SourceText]
    notes: tuple[str, ...] = ()


def cut(rows: Rows[AnyRow], columns: Sequence[str], budget: int) -> tuple[tuple[AnyRow, ...], int]:
    """Return the first rows that fit into a budget, whole, and how many tokens they take as CSV."""
    kept: list[AnyRow] = []
    used = 0
    header = count_table(csv_text(columns, []))
    for row in rows:
        size = count_table(csv_text(columns, [row])) - header
        if used + size > budget:
            break
        kept.append(row)
        used += size
    return tuple(kept), used


def fit(context: Tables, param: QueryParam, available: int) -> Context:
    """Cut the three tables to their budgets, and to `available` tokens together.

    Room that entities and relations leave goes to the sources.
    """
    wanted = {
        "entities": param.max_token_for_local_context if context.entity_rows else 0,
        "relations": param.max_token_for_global_context if context.relation_rows else 0,
        "sources": param.max_token_for_text_unit if context.source_rows else 0,
    }
    room = max(0, available - _FRAME_TOKENS)
    limits = _share(wanted, room)
    entities, used = cut(context.entity_rows, ENTITY_COLUMNS, limits["entities"])
    relations, more = cut(context.relation_rows, RELATION_COLUMNS, limits["relations"])
    rest = min(wanted["sources"], room - used - more)
    sources, _ = cut(context.source_rows, SOURCE_COLUMNS, rest)
    return Context(
        mode=context.mode,
        entity_rows=entities,
        relation_rows=relations,
        source_rows=sources,
        found_entities=len(context.entity_rows),
        found_relations=len(context.relation_rows),
        found_sources=len(context.source_rows),
        notes=(*context.notes, *_notes(context.source_rows, sources, rest)),
    )


def _share(wanted: dict[str, int], room: int) -> dict[str, int]:
    if sum(wanted.values()) <= room:
        return wanted
    weighted = {name: _SHARES[name] * budget for name, budget in wanted.items()}
    total = sum(weighted.values())
    return {name: min(wanted[name], int(room * part / total)) for name, part in weighted.items()}


def _notes(found: Rows[SourceText], kept: Sequence[SourceText], budget: int) -> list[str]:
    if found and not kept:
        return [f"No passage fits into the budget of {budget:,} tokens: raise it, or use smaller chunks."]
    return []
