"""Downloads that a spreadsheet can open without running anything."""

import csv
import io

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.records import EntityRow, RelationRow
from lightrag_engine.retrieval.context import Context
from ui.downloads import csv_bytes, neutral

FORMULAS = ['=HYPERLINK("https://example.invalid")', "+15550100", "-2+3", "@x", "\tx", "\rx", "-42 degrees"]


def rows_of(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize("cell", FORMULAS)
def test_formula_cells_are_neutralised(cell):
    context = Context("local", entity_rows=(EntityRow(1, cell, "concept", cell, 3),))
    _, row = rows_of(csv_bytes(context.entities))
    assert row[1] == row[3] == "'" + cell


def test_numbers_stay_numbers_also_negative_ones():
    relation = RelationRow(1, "a", "b", "k", "d", -2.5, 7)
    _, row = rows_of(csv_bytes(Context("local", relation_rows=(relation,)).relations))
    assert float(row[5]) == -2.5
    assert int(row[6]) == 7


def test_excel_is_told_that_it_is_utf_8():
    data = csv_bytes(pd.DataFrame({"名": ["知识库"]}))
    assert data.startswith(b"\xef\xbb\xbf")
    assert "知识库" in data.decode("utf-8-sig")


def test_the_table_itself_is_not_changed():
    table = pd.DataFrame({"name": ["=1+1"]})
    csv_bytes(table)
    assert table["name"].tolist() == ["=1+1"]


def test_an_empty_table_keeps_its_header():
    assert rows_of(csv_bytes(Context("local").sources)) == [["id", "content", "document", "page"]]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")), min_size=1))
def test_cells_survive_a_csv_reader(cells):
    _, *rows = rows_of(csv_bytes(pd.DataFrame({"n": range(len(cells)), "text": cells})))
    assert [row[1] for row in rows] == [neutral(cell) for cell in cells]
