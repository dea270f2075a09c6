"""Token budgets: whole rows up to a limit, and three limits that fit into one prompt together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from lightrag_engine.records import QueryParam, SourceText
from lightrag_engine.retrieval.context import (
    ENTITY_COLUMNS,
    RELATION_COLUMNS,
    SOURCE_COLUMNS,
    Context,
    Row,
    csv_text,
)
from lightrag_engine.tokens import count

AnyRow = TypeVar("AnyRow", bound=Row)

# How the room of a prompt is shared when the three budgets together do not fit: passages are what an
# answer is checked against, so they get half.
_SHARES = {"entities": 0.2, "relations": 0.3, "sources": 0.5}
# The three heading lines and header rows of the context.
_FRAME_TOKENS = 60


def cut(rows: Sequence[AnyRow], columns: Sequence[str], budget: int) -> tuple[tuple[AnyRow, ...], int]:
    """Return the first rows that fit into a budget, whole, and how many tokens they take as CSV."""
    used = 0
    header = count(csv_text(columns, []))
    for number, row in enumerate(rows):
        size = count(csv_text(columns, [row])) - header
        if used + size > budget:
            return tuple(rows[:number]), used
        used += size
    return tuple(rows), used


def fit(context: Context, param: QueryParam, available: int) -> Context:
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


def _notes(found: Sequence[SourceText], kept: Sequence[SourceText], budget: int) -> list[str]:
    if found and not kept:
        return [f"No passage fits into the budget of {budget:,} tokens: raise it, or use smaller chunks."]
    return []
