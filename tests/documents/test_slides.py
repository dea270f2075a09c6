import io
from collections.abc import Callable

import pytest
from made_files import make_docx
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE

from lightrag_engine.documents import read
from lightrag_engine.errors import DocumentError
from lightrag_engine.records import Document
from lightrag_engine.settings import Settings

ReadFile = Callable[[str], Document]


def test_slides(read_file: ReadFile) -> None:
    """Tables, grouped boxes and speaker notes were missing."""
    document = read_file("pptx_table_notes.pptx")
    assert [
        text for text in ("4 crowns", "Bram Otto", "Ilse Vogt objects") if text not in document.text
    ] == []
    assert document.title == "Ferry plan"
    assert document.text[document.pages[1].start :].startswith("# Fees")


def test_charts_pictures_and_hidden_slides(settings: Settings) -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Passengers"
    data = CategoryChartData()
    data.categories = ["Ansel", "Harrow"]
    data.add_series("2024", (12, 30.5))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 2_000_000, 3_000_000, 3_000_000, data)
    slide._element.set("show", "0")
    target = io.BytesIO()
    deck.save(target)
    document = read("a.pptx", target.getvalue(), settings)
    assert document.text.startswith("# Passengers")
    assert "| Category | 2024 |\n| --- | --- |\n| Ansel | 12.0 |\n| Harrow | 30.5 |" in document.text
    assert document.warnings == ("hidden slides are read too: 1",)


def test_too_many_slides(read_file: ReadFile) -> None:
    deck = Presentation()
    for _ in range(3):
        deck.slides.add_slide(deck.slide_layouts[5])
    target = io.BytesIO()
    deck.save(target)
    with pytest.raises(DocumentError, match=r"a\.pptx has 3 slides; at most 2 are read") as raised:
        read("a.pptx", target.getvalue(), Settings(max_pages=2))
    assert "max_pages" in raised.value.hint


def test_a_word_document_named_pptx(settings: Settings) -> None:
    with pytest.raises(DocumentError, match="is not a PowerPoint presentation: it holds a Word document"):
        read("a.pptx", make_docx(), settings)
