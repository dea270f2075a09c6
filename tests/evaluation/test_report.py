"""Reports: one file each, whole, and safe whatever documents and models say."""

from __future__ import annotations

import re
import resource
import signal
from pathlib import Path

import pytest
from conftest import MakeRag
from evaluation.conftest import JudgingLanguage
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html
from markdown_it import MarkdownIt

from lightrag_engine import Question, SettingsError
from lightrag_engine.evaluation.difference import union_graph
from lightrag_engine.evaluation.document import (
    Answer,
    Figure,
    Heading,
    Paragraph,
    Table,
    as_html,
    as_markdown,
    write_report,
)
from lightrag_engine.evaluation.figures import COLOURS, DARK, matrix_svg, seconds_svg, union_places, union_svg
from lightrag_engine.evaluation.report import comparison_report, run_report
from lightrag_engine.evaluation.summary import compare_runs

HOSTILE = (
    "Mara Quill <img src=x onerror=alert(1)> hired Tobias Renn | and paid $3. "
    "![logo](https://example.invalid/leak) <script>alert(1)</script> 马清和 built the Heron."
)


def check_page(page: str) -> None:
    """Nothing is fetched and no script can run."""
    tree = html.fromstring(page)
    assert not tree.xpath("//script|//img|//iframe|//link|//object|//a|//*[local-name()='image']")
    assert not tree.xpath("//@*[starts-with(name(), 'on')]")
    assert not tree.xpath("//@href|//@src|//@*[local-name()='href']")
    assert "default-src 'none'" in page


def test_a_comparison_is_one_file(make_rag: MakeRag) -> None:
    rag = make_rag(language=JudgingLanguage())
    rag.insert(HOSTILE, ["crew <b>.txt"])
    comparison = rag.compare("What of Mara Quill <script>alert(2)</script>?", ["naive", "local", "mix"])
    blocks = comparison_report(
        comparison, rag.measure(comparison), rag.judge(comparison), rag.vote(comparison, ["mix"], blind=True)
    )
    page, text = as_html(blocks), as_markdown(blocks)
    check_page(page)
    said = html.fromstring(page).text_content()
    for wanted in ("Mara Quill", "马清和", "Naive", "crew <b>.txt", "comprehensiveness", "top_k", "Python"):
        assert wanted in said
    assert "Best: Mix (blind)." in said
    assert page.count("<svg") >= 6
    rendered = html.fromstring(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))
    assert not rendered.xpath("//script|//a|//b")
    assert all(source.startswith("data:image/svg+xml;base64,") for source in rendered.xpath("//img/@src"))
    assert text.count("](data:image/svg+xml;base64,") >= 6


def test_a_run_is_one_file(make_rag: MakeRag) -> None:
    rag = make_rag(language=JudgingLanguage())
    rag.insert(HOSTILE, ["crew.txt"])
    questions = [
        Question("What of <b>Mara Quill</b>?", ("Tobias Renn",), ("crew.txt",)),
        Question("x " * 9000),
    ]
    first = rag.evaluate(questions, ["naive", "local"], judge=True)
    rag.insert("Mara Quill sold the Heron.", ["sale.txt"])
    second = rag.evaluate(questions[:1], ["naive", "local"], name="Other")
    blocks = run_report(first, compare_runs(first, second))
    check_page(as_html(blocks))
    said = html.fromstring(as_html(blocks)).text_content()
    for wanted in ("Win rates", "Tobias Renn", "leaves no room", "Since the earlier run", "not finished"):
        assert wanted in said
    assert "<b>" not in as_markdown(blocks)


def test_an_answer_keeps_its_form_but_leads_nowhere() -> None:
    page = as_html(
        [Answer("# Big\n\n- **one** [1]\n- [two](javascript:alert(1)) <https://x.invalid>\n\n`a<b`")]
    )
    check_page(page)
    assert "<strong>one</strong> [1]" in page
    assert "<li>" in page
    assert "a&lt;b" in page


@given(st.text(max_size=80))
def test_no_text_breaks_out(text: str) -> None:
    blocks = [Heading(text), Paragraph(text), Answer(text), Table((text, "b"), ((text, "1"),))]
    figure = Figure(matrix_svg([text, "b"], ((1.0, None), (None, 1.0))), text)
    page = as_html([*blocks, figure])
    check_page(page)
    markdown = as_markdown([Table((text, "b"), ((text, "1"),))])
    assert len(markdown.strip("\n").split("\n")) == 3
    for line in markdown.strip("\n").split("\n"):
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3


@pytest.mark.parametrize("labels", [["a", "b"], ["<&'\"", "\x00\ufffe", "很长的名字" * 20]])
def test_pictures_are_sound_xml(labels: list[str]) -> None:
    matrix = tuple(tuple(0.5 for _ in labels) for _ in labels)
    for svg in (matrix_svg(labels, matrix, DARK), seconds_svg([(name, 0.1, 0.2, 0.0) for name in labels])):
        etree.fromstring(svg.encode())


def test_an_entity_has_the_colours_of_the_variants_that_found_it(make_rag: MakeRag) -> None:
    rag = make_rag()
    rag.insert("Mara Quill hired Tobias Renn & Sons. Tobias Renn & Sons built the Heron.", ["a.txt"])
    comparison = rag.compare("What of Mara Quill?", ["local", "mix"], answers=False)
    graph = union_graph(comparison)
    svg = union_svg(graph, {0: "Local", 1: "Mix"})
    root = etree.fromstring(svg.encode())
    titles = [element.text for element in root.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == len(graph)
    assert any(title.endswith(": Local, Mix") for title in titles)
    assert COLOURS[0] in svg
    assert svg == union_svg(union_graph(comparison), {0: "Local", 1: "Mix"})  # always the same picture


def test_the_union_stands_as_the_map_does(make_rag: MakeRag) -> None:
    rag = make_rag()
    rag.insert("Mara Quill hired Tobias Renn. Tobias Renn built the Heron. Ilse Vogt sold it.", ["a.txt"])
    graph = union_graph(rag.compare("What of Mara Quill?", ["local", "mix"], answers=False))
    on_map = rag.explorer.map_places()
    places = union_places(graph, on_map)
    assert len(places) == len(graph) > 1
    for axis in (0, 1):
        assert sorted(places, key=lambda key: places[key][axis]) == sorted(
            places, key=lambda key: on_map[key][axis]
        )
    # One that is not on the map any more is drawn all the same.
    gone = min(places)
    less = union_places(graph, {key: place for key, place in on_map.items() if key != gone})
    assert set(less) == set(places)
    assert all(-1 <= value <= 1 for place in less.values() for value in place)


def test_a_report_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    """A disk that became full half-way left half a report in the place of the old one."""
    path = write_report([Heading("Before")], tmp_path / "r.md")
    before = path.read_bytes()
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit[1]))
    try:
        with pytest.raises(SettingsError, match="could not be written"):
            write_report([Heading("After"), Paragraph("word " * 5000)], path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, old)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
