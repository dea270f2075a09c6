import datetime

import pytest
from made_files import changed_zip, make_xlsx

from lightrag_engine.documents import read
from lightrag_engine.documents.cell_text import cell_text
from lightrag_engine.errors import DocumentError
from lightrag_engine.settings import Settings

DAY = datetime.datetime(2024, 5, 3)


def test_rows_under_a_header(settings: Settings) -> None:
    rows = [
        ["Fee list 2024"],
        [],
        [None, "Port", "Fee", "Since", "Share"],
        [None, "Ansel", 1234.5, DAY, 0.256],
        [None, "Harrow", None, DAY.replace(hour=14, minute=30), True],
    ]
    data = make_xlsx({"Fees": rows, "Empty": []}, {"C4": '#,##0.00 "€"', "E4": "0.0%"})
    document = read("a.xlsx", data, settings)
    assert document.text == (
        "## Fees\n\nFee list 2024\nPort | Fee | Since | Share\n"
        "Port: Ansel; Fee: 1,234.50 €; Since: 2024-05-03; Share: 25.6%\n"
        "Port: Harrow; Since: 2024-05-03 14:30; Share: TRUE"
    )
    assert document.warnings == ()


def test_hidden_sheets_are_read_and_said(settings: Settings) -> None:
    data = make_xlsx({"Shown": [["a", "b"], [1, 2]], "Hidden": [["c", "d"], [3, 4]]}, hidden=["Hidden"])
    document = read("a.xlsx", data, settings)
    assert "## Hidden\n\nc | d\nc: 3; d: 4" in document.text
    assert document.warnings == ("hidden sheets are read too: Hidden",)


def formula_sheet(cells: str) -> bytes:
    return changed_zip(
        make_xlsx({"S": [["x", "y"], [1, 2]]}),
        {
            "xl/worksheets/sheet1.xml": (
                '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension '
                f'ref="A1:XFD1048576"/><sheetData><row r="1">{cells}</row></sheetData></worksheet>'
            )
        },
    )


def test_formulas_by_their_stored_result(settings: Settings) -> None:
    cells = '<c r="A1"><f>1+1</f><v>2</v></c><c r="B1" t="str"><f>"a"</f><v>a</v></c>'
    document = read("a.xlsx", formula_sheet(cells), settings)
    assert document.text == "## S\n\n2 | a"
    assert document.warnings == ()


def test_formulas_that_were_never_calculated_are_said(settings: Settings) -> None:
    empty = '<c r="B1" t="str"><f>""</f><v></v></c>'
    cells = f'<c r="A1"><v>7</v></c>{empty}<c r="C1"><f>SUM(A1)</f><v></v></c><c r="D1" s="0"><f>A1</f></c>'
    document = read("a.xlsx", formula_sheet(cells), settings)
    assert document.text == "## S\n\n7"
    assert document.warnings == (
        "2 formulas have no stored result: open and save the file in a spreadsheet program",
    )


@pytest.mark.parametrize(
    ("setting", "message"),
    [("max_table_rows", "more than 4 rows"), ("max_table_cells", "more than 4 filled")],
)
def test_limits_count_for_all_sheets_and_for_csv(setting: str, message: str) -> None:
    limits = Settings(**{setting: 4})
    data = make_xlsx({"A": [["a", "b"], [1, 2]], "B": [["c", "d"], [3, 4], [5, 6]]})
    for name, content in [("a.xlsx", data), ("a.csv", b"a,b\n" * 9)]:
        with pytest.raises(DocumentError, match=message) as raised:
            read(name, content, limits)
        assert f"raise the setting {setting} (LIGHTRAG_{setting.upper()})" in raised.value.hint


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (3, "General", "3"),
        (0.1 + 0.2, "General", "0.3"),
        (1234567.891, "#,##0.0", "1,234,567.9"),
        (-1234.5, "#,##0.00", "-1,234.50"),
        (-3, "0;(0)", "(3)"),
        (0, '0;-0;"none"', "none"),
        (0.256, "0%", "26%"),
        (1.5, "0.0##", "1.5"),
        (7, "00000", "00007"),
        (1234567, '0.0,, "M"', "1.2 M"),
        (12.5, "[$€-407] #,##0.00", "€ 12.50"),
        (12.5, '_-* #,##0.00\\ "€"_-', "12.50 €"),
        (-0.001, "0.00", "0.00"),
        (1.5, "# ?/?", "1.5"),
        (15000, "0.00E+00", "15000"),
        (2.5, "[Red]0.0", "2.5"),
        (5, '"week" 0', "week 5"),
        (5, ";;;", "5"),
        (5, "0" * 400, "5"),
        (datetime.time(14, 30), "h:mm", "14:30"),
        ("text", "0.00", "text"),
        ("#DIV/0!", "0.00", "#DIV/0!"),
    ],
)
def test_cells_as_shown(value: object, number_format: str, shown: str) -> None:
    assert cell_text(value, number_format) == shown


def test_text_named_xlsx(settings: Settings) -> None:
    with pytest.raises(DocumentError, match="is not an Excel workbook: it holds plain text"):
        read("a.xlsx", b"a;b", settings)
