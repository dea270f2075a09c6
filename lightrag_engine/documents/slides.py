"""PowerPoint files: a page a slide, as light Markdown."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from lightrag_engine.documents.clean import clean, has_words
from lightrag_engine.documents.content import Content, join_pages
from lightrag_engine.documents.limits import Limits, beyond
from lightrag_engine.documents.packages import core_title, open_package
from lightrag_engine.documents.titles import markdown_title

SLIDES = "a PowerPoint presentation"


def read_pptx(data: bytes, name: str, limits: Limits) -> Content:
    """Read a presentation, a page a slide: titles, text boxes (grouped ones too), tables, charts and notes.

    Shapes come from top to bottom. Of a picture its alternative text is kept. Hidden slides are read and
    said.

    Raises
    ------
    DocumentError
        When it is not a presentation, damaged, encrypted or has too many slides.
    """
    with open_package(data, name, SLIDES, limits) as archive:
        title = core_title(archive)
    from pptx import Presentation

    slides = list(Presentation(io.BytesIO(data)).slides)
    if len(slides) > limits.max_pages:
        raise beyond(
            f"{name} has {len(slides):,} slides; at most {limits.max_pages:,} are read.",
            "max_pages",
            "Split the file",
        )
    text, starts = join_pages([clean("\n".join(_slide(slide))).strip() for slide in slides])
    hidden = [str(number) for number, slide in enumerate(slides, 1) if slide.element.get("show") == "0"]
    warnings = (f"hidden slides are read too: {', '.join(hidden)}",) if hidden else ()
    return Content(text, title or markdown_title(text), pages=starts, warnings=warnings)


def _slide(slide: Any) -> Iterator[str]:
    title = slide.shapes.title
    for shape in _in_order(slide.shapes):
        heading = title is not None and shape.shape_id == title.shape_id
        yield from _shape(shape, heading)
    if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) and has_words(frame.text):
        yield f"\n### Notes\n{frame.text}"


def _in_order(shapes: Iterable[Any]) -> list[Any]:
    return sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0))


def _shape(shape: Any, heading: bool) -> Iterator[str]:
    if hasattr(shape, "shapes"):  # a group
        for inner in _in_order(shape.shapes):
            yield from _shape(inner, False)
    elif getattr(shape, "has_chart", False):
        yield from _chart(shape.chart)
    elif getattr(shape, "has_table", False):
        yield _table([[cell.text for cell in row.cells] for row in shape.table.rows]) + "\n"
    elif shape.has_text_frame and has_words(shape.text_frame.text):
        text = shape.text_frame.text.strip()
        yield f"# {' '.join(text.split())}\n" if heading else text
    elif (properties := shape._element.find(".//{*}cNvPr")) is not None and properties.get("descr"):
        yield str(properties.get("descr"))


def _chart(chart: Any) -> Iterator[str]:
    title = chart.chart_title.text_frame.text if chart.has_title and chart.chart_title.has_text_frame else ""
    yield f"\n### Chart {title}".rstrip()
    try:
        plot = chart.plots[0]
    except (IndexError, ValueError):
        return  # a kind of chart that the library does not know
    series = [(str(one.name or ""), list(one.values)) for one in plot.series]
    rows = [
        [str(category), *("" if n >= len(values) else str(values[n]) for _, values in series)]
        for n, category in enumerate(plot.categories)
    ]
    yield _table([["Category", *(one for one, _ in series)], *rows]) + "\n"


def _table(rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(' '.join(cell.split()) for cell in row)} |" for row in rows]
    if lines:
        lines.insert(1, f"|{' --- |' * len(rows[0])}")
    return "\n".join(lines)
