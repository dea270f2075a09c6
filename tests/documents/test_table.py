from collections.abc import Callable

import pytest

from lightrag_engine.documents import read
from lightrag_engine.errors import DocumentError
from lightrag_engine.records import Document
from lightrag_engine.settings import Settings

ReadFile = Callable[[str], Document]


def test_semicolons_and_latin1(read_file: ReadFile) -> None:
    document = read_file("semicolon_latin1.csv")
    assert document.text.splitlines() == [
        "Hafen | Kapitän | Gebühr",
        "Hafen: Port Ansel; Kapitän: Jörg Müller; Gebühr: 4,10",
    ]
    assert document.title == "semicolon latin1"


def test_formulas_stay_as_written(read_file: ReadFile) -> None:
    text = read_file("formula_cells.csv").text
    assert "port: =1+1; contact: +15550100; note: @mention" in text
    assert 'contact: =HYPERLINK("https://example.invalid","open"); note: lead tab' in text
    assert "contact: -42; note: plain" in text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("name\tport\nQuill\tAnsel, north\n", "name | port\nname: Quill; port: Ansel, north"),
        ("name|port\nQuill|Ansel\n", "name | port\nname: Quill; port: Ansel"),
        (
            'name,note\nQuill,"two\nlines, one ""cell"""\n',
            'name | note\nname: Quill; note: two lines, one "cell"',
        ),
        ("1911,Quill\n1987,Renn\n", "1911 | Quill\n1987 | Renn"),
        ("name,port\nQuill\nRenn,Ansel,spare\n", "name | port\nname: Quill\nname: Renn; port: Ansel; spare"),
        ("name,port\n\n,\nQuill,\n", "name | port\nname: Quill"),
        ("just one line", "just one line"),
    ],
)
def test_rows(data: str, text: str, settings: Settings) -> None:
    assert read("a.csv", data.encode(), settings).text == text


def test_giant_cell(settings: Settings) -> None:
    document = read("a.csv", b'name,note\nQuill,"' + b"never closed, " * 20_000, settings)
    assert document.text.startswith("name,note\nQuill")
    assert "plain text" in document.warnings[0]


def test_a_workbook_named_csv(settings: Settings) -> None:
    with pytest.raises(DocumentError, match=r"a\.csv is an Excel workbook, not a CSV table"):
        read("a.csv", b"PK\x03\x04" + b"\x00" * 30 + b"xl/workbook.xml", settings)
