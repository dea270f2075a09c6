"""From three files to an answer with evidence, in the real app and a real browser."""

from __future__ import annotations

import io
import re

from browser.screens import EDGE_PLACE, NODE_PLACE, SCREENS, ask, cells, click_in_graph, go, settle, upload
from docx import Document
from fpdf import FPDF
from playwright.sync_api import expect

TEXT = b"""Mara Quill founded the Brindle Valley Ferry in 1921 at Port Ansel.
Mara Quill hired Tobias Renn as chief engineer of the Brindle Valley Ferry."""
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def pdf() -> bytes:
    document = FPDF()
    document.set_font("helvetica", size=12)
    for text in (
        "Tobias Renn built the steamer Heron in Hamburg. Ilse Vogt inspected the steamer Heron.",
        "Ilse Vogt studied in Hamburg and moved to Port Ansel. Ilse Vogt met Mara Quill in Port Ansel.",
    ):
        document.add_page()
        document.multi_cell(0, text=text)
    return bytes(document.output())


def docx() -> bytes:
    document = Document()
    document.add_heading("The north office", 1)
    document.add_paragraph("Ada Pell runs the north office in Bergen. Ada Pell reports to Mara Quill.")
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def test_from_files_to_answers(start_app, visit, tmp_path):
    watched = visit(start_app(tmp_path / "data"))
    page = watched.page
    expect(page.get_by_role("button", name="Load the sample documents")).to_be_visible()

    go(page, "Documents")
    upload(
        page,
        {
            "ferry.txt": ("text/plain", TEXT),
            "steamer.pdf": ("application/pdf", pdf()),
            "office.docx": (DOCX, docx()),
        },
    )
    page.reload()
    settle(page)
    expect(cells(page, "● done")).to_have_count(3)

    go(page, "Graph")
    drawing = page.locator(".graph")
    expect(drawing.locator("canvas")).to_be_visible()
    labels = drawing.evaluate("host => host.network.body.data.nodes.get().map((node) => node.short)")
    assert {"Mara Quill", "Ilse Vogt", "Ada Pell"} <= set(labels)

    drawing.evaluate("host => { window.kept = host.network }")
    click_in_graph(page, NODE_PLACE, "Mara Quill")
    expect(page.get_by_role("heading", name="Mara Quill")).to_be_visible()
    expect(page.locator("mark.person").filter(has_text="Mara Quill").first).to_be_visible()
    expect(page.get_by_text("ferry.txt").first).to_be_visible()
    assert "entity=mara" in page.url

    click_in_graph(page, EDGE_PLACE)
    expect(page.get_by_role("heading", name=" – ")).to_be_visible()
    page.get_by_label("Find an entity").fill("ils")
    page.get_by_role("button", name="Ilse Vogt").first.click()
    settle(page)
    expect(page.get_by_role("heading", name="Ilse Vogt", exact=True)).to_be_visible()
    expect(page.get_by_text("steamer.pdf, p. 1").first).to_be_visible()
    # Neither clicks nor search made the drawing anew.
    assert drawing.evaluate("host => window.kept === host.network")

    go(page, "Chat")
    ask(page, "Who did Mara Quill hire?")
    answer = page.get_by_test_id("stChatMessage").nth(1)
    expect(answer).to_contain_text("Tobias Renn")
    page.get_by_text(re.compile(r"^\[\d+\] ferry\.txt")).first.click()
    expect(page.locator("mark.used").first).to_contain_text("Mara Quill")
    for name in ("Entities", "Relations", "Sources"):
        expect(page.get_by_role("tab", name=name)).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download entities as CSV").click()
    assert download.value.path().read_bytes().startswith(b"\xef\xbb\xbfid,entity,")

    page.get_by_role("radio", name="Naive").or_(page.get_by_role("button", name="Naive")).first.click()
    settle(page)
    expect(page.get_by_text("Naive: the passages nearest")).to_be_visible()
    ask(page, "Where did Ilse Vogt study?")
    expect(page.get_by_test_id("stChatMessage").nth(3)).to_contain_text("Hamburg")
    expect(page.get_by_text("Naive · Built-in")).to_be_visible()
    expect(page.get_by_test_id("stChatMessage").nth(1)).to_contain_text("Tobias Renn")
    # A number in an earlier answer opens its evidence.
    expect(page.locator(".passage")).to_have_count(0)
    page.get_by_test_id("stChatMessage").nth(1).get_by_role("button", name="Citation [1]").first.click()
    settle(page)
    expect(page.locator(".passage mark.used").first).to_contain_text("Mara Quill")
    watched.assert_clean()


def test_a_link_to_an_inner_page_works_on_a_server_just_started(start_app, visit, tmp_path):
    address = start_app(tmp_path / "data")
    page = visit(f"{address}compare?mode=mix").page
    expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(SCREENS)
    expect(page.get_by_test_id("stSidebarNavLink").first).to_contain_text("Overview")
    expect(page.get_by_role("heading", name="Compare")).to_be_visible()
    expect(page.get_by_role("combobox", name="Workspace")).to_be_visible()
