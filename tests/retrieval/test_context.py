from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.records import EntityRow, QueryParam, RelationRow, SourceText
from lightrag_engine.retrieval.budget import FoundTables, PagedRows, cut, fit
from lightrag_engine.retrieval.context import ENTITY_COLUMNS, SOURCE_COLUMNS, Context, csv_text
from lightrag_engine.tokens import count

# NUL is removed on the way in.
CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))


def entity(number: int, description: str = "d", name: str = "n") -> EntityRow:
    return EntityRow(number, name, "person", description, 3, name)


def source(number: int, content: str = "text") -> SourceText:
    return SourceText(number, content, "a.txt", "1", f"c{number}", "d")


@given(cells=st.lists(st.tuples(CELL, CELL), max_size=6))
def test_any_text_survives_a_round_trip_through_csv(cells: list[tuple[str, str]]) -> None:
    rows = [entity(n, description, name) for n, (name, description) in enumerate(cells)]
    text = csv_text(ENTITY_COLUMNS, rows)
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert read[0] == list(ENTITY_COLUMNS)
    assert [(row[1], row[3]) for row in read[1:]] == cells
    assert all(len(row) == len(ENTITY_COLUMNS) for row in read)


def test_pandas_reads_what_we_write() -> None:
    rows = [entity(1, 'He said "stop, now",\nthen left', "big, open, problems")]
    frame = pd.read_csv(io.StringIO(csv_text(ENTITY_COLUMNS, rows)))
    assert frame.loc[0, "description"] == rows[0].description
    assert frame.loc[0, "entity"] == rows[0].entity


def test_frames_have_fixed_types_and_keep_their_columns_when_empty() -> None:
    filled = Context("local", (entity(1),), (RelationRow(1, "a", "b", "k", "d", 2, 3),), (source(1),))
    for context in (filled, Context("local")):
        assert [str(t) for t in context.relations.dtypes] == [
            "int64",
            "str",
            "str",
            "str",
            "str",
            "float64",
            "int64",
        ]
        assert list(context.entities.columns) == list(ENTITY_COLUMNS)
        assert list(context.sources.columns) == list(SOURCE_COLUMNS)
    assert Context("local").is_empty
    assert not filled.is_empty


@given(sizes=st.lists(st.integers(0, 40), max_size=8), budget=st.integers(0, 200))
def test_a_table_is_cut_at_whole_rows_within_its_budget(sizes: list[int], budget: int) -> None:
    rows = [entity(n, "word " * size) for n, size in enumerate(sizes)]
    kept, used = cut(rows, ENTITY_COLUMNS, budget)
    assert kept == tuple(rows[: len(kept)])
    assert used <= budget
    header = count(csv_text(ENTITY_COLUMNS, []))
    if len(kept) < len(rows):
        assert used + count(csv_text(ENTITY_COLUMNS, [rows[len(kept)]])) - header > budget


@pytest.mark.parametrize("available", [100, 500, 2000, 100_000])
def test_the_whole_context_fits_what_is_available(available: int) -> None:
    context = Context(
        "hybrid",
        tuple(entity(n, "many words about this " * 8) for n in range(60)),
        tuple(RelationRow(n, "a", "b", "k", "many words about both " * 8, 1.0, 2) for n in range(200)),
        tuple(source(n, "a long passage " * 60) for n in range(40)),
    )
    fitted = fit(context, QueryParam(), available)
    assert count(fitted.to_csv()) <= max(available, 60)
    assert (fitted.found_entities, fitted.found_relations, fitted.found_sources) == (60, 200, 40)
    if available == 100_000:
        assert count(csv_text(SOURCE_COLUMNS, fitted.source_rows)) <= 4000 + 20


def test_room_that_the_graph_leaves_goes_to_the_sources() -> None:
    sources = tuple(source(n, "a long passage " * 60) for n in range(40))
    alone = fit(Context("naive", source_rows=sources), QueryParam(max_token_for_text_unit=50_000), 3000)
    small = fit(Context("mix", (entity(1),), (), sources), QueryParam(max_token_for_text_unit=50_000), 3000)
    assert len(alone.source_rows) - len(small.source_rows) <= 1
    assert len(alone.source_rows) > 10


def test_a_passage_that_does_not_fit_is_said() -> None:
    fitted = fit(Context("naive", source_rows=(source(1, "word " * 500),)), QueryParam(), 200)
    assert fitted.source_rows == ()
    assert "No passage fits" in fitted.notes[0]


def test_only_rows_that_may_fit_are_made_and_what_is_missing_is_counted() -> None:
    """A question made thousands of rows, with the texts of all their chunks, of which twenty fitted."""
    made: list[int] = []

    def make(ids: Sequence[int], first: int) -> list[SourceText]:
        made.extend(ids)
        return [source(n, "a passage " * 30) for n, _ in enumerate((i for i in ids if i % 3), start=first)]

    rows = PagedRows(range(3000), make)
    assert len(rows) == 3000
    param = QueryParam(max_token_for_text_unit=1000)
    fitted = fit(FoundTables("naive", (), (), rows), param, 5000)
    assert 5 < len(fitted.source_rows) < len(made) < 60
    assert [row.id for row in fitted.source_rows] == list(range(1, len(fitted.source_rows) + 1))
    assert rows.missing == len([n for n in made if n % 3 == 0])
    assert fitted.found_sources == len(rows) == 3000 - rows.missing
    whole = [row.id for row in rows]
    assert [row.id for row in rows] == whole == list(range(1, 2001)), "it can be read again"
