"""The Documents page in a browser: many files at once, taken names, many rows, the way to the graph."""

from __future__ import annotations

import re
import threading
from dataclasses import asdict, replace

from browser.screens import cells, go, settle, upload
from ollama_double import ChatDouble, OllamaDouble
from ollama_double.protocol import ChatCall, Reply
from ollama_double.scripts import well_behaved
from playwright.sync_api import Page, expect

from lightrag_engine import LightRAG, Settings

FERRY = b"Mara Quill founded the Brindle Valley Ferry in 1921 at Port Ansel."
FILES = 200
ROWS = 10_000


def click_row(page: Page, number: int) -> None:
    box = page.get_by_test_id("stDataFrame").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 35 + 18 + 35 * number)
    settle(page)


def test_a_taken_name_is_asked_about_and_an_entity_leads_to_the_graph(start_app, visit, tmp_path):
    watched = visit(start_app(tmp_path / "data"))
    page = watched.page
    go(page, "Documents")
    upload(page, {"ferry.txt": ("text/plain", FERRY)})
    newer = FERRY + b" Ilse Vogt left Hamburg."
    page.locator("input[type=file]").first.set_input_files(
        [{"name": "ferry.txt", "mimeType": "text/plain", "buffer": newer}]
    )
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("ferry.txt")
    dialog.get_by_text("Replace", exact=True).click()
    settle(page)
    dialog.get_by_role("button", name="Continue").click()
    expect(dialog).to_be_hidden()
    # The old one is done, too, until the new one is in its place.
    expect(page.get_by_text("1 document · 1 chunk")).to_contain_text(
        f"{len(newer)} B of files", timeout=60_000
    )
    expect(cells(page, "● done")).to_have_count(1, timeout=60_000)
    settle(page)
    click_row(page, 0)
    expect(page.locator(".passage")).to_contain_text("Ilse Vogt left Hamburg.", timeout=60_000)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").last.click()
    assert download.value.suggested_filename == "ferry.txt"
    assert download.value.path().read_bytes() == newer
    page.locator(".passage a").filter(has_text="Mara Quill").first.click()
    expect(page.get_by_role("heading", name="Mara Quill", exact=True)).to_be_visible()
    assert "entity=mara" in page.url
    watched.assert_clean()


def test_many_files_at_once_leave_the_page_usable(start_app, visit, tmp_path):
    """A bulk of files kept the page waiting, and a reload in the middle of it lost some."""
    watched = visit(start_app(tmp_path / "data"))
    page = watched.page
    go(page, "Documents")
    page.locator("input[type=file]").first.set_input_files(
        [
            {"name": f"{n:03}.txt", "mimeType": "text/plain", "buffer": f"Ilse Vogt {n}.".encode()}
            for n in range(FILES)
        ]
    )
    expect(page.get_by_role("button", name="Pause all")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Pause all").click()
    expect(page.get_by_role("button", name="Resume all")).to_be_visible(timeout=60_000)
    page.reload()
    expect(page.get_by_text(f"{FILES} documents ·")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("the queue is paused")).to_be_visible()
    watched.assert_clean()


def test_ten_thousand_rows_are_found_chosen_and_asked_about(start_app, visit, tmp_path):
    folder = tmp_path / "data"
    settings = Settings(data_dir=folder, language_model="builtin", embedding_model="builtin")
    with LightRAG("default", settings) as rag:
        rag.insert("Mara Quill met Tobias Renn.", ["first.txt"])
        (first,) = rag.documents()
        rows = [
            replace(first, id=f"doc-{n:032x}", name=f"report {n:05}.pdf", names=(f"report {n:05}.pdf",))
            for n in range(ROWS)
        ]
        rag._workspace.documents.put_many({row.id: asdict(row) for row in rows})
    watched = visit(start_app(folder))
    page = watched.page
    go(page, "Documents")
    expect(page.get_by_text("10,001 documents ·")).to_be_visible(timeout=60_000)
    # Words may stand anywhere: ten begin so, one ends so.
    page.get_by_label("Find a document").fill("report 0777")
    expect(page.get_by_text("11 of 10,001 documents")).to_be_visible(timeout=60_000)
    settle(page)
    box = page.get_by_test_id("stDataFrame").first.bounding_box()
    page.mouse.click(box["x"] + 18, box["y"] + 18)
    expect(page.get_by_text("11 documents selected")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Delete …").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("and 3 more")
    dialog.get_by_role("button", name="Delete 11 documents").click()
    expect(page.get_by_text("9,990 documents ·")).to_be_visible(timeout=60_000)
    watched.assert_clean()


def test_indexing_goes_on_whatever_is_clicked(start_app, visit, tmp_path):
    """A click or a reload while documents were read ended the reading in the middle."""
    asked: list[str] = []
    go_on = threading.Event()

    def slow(call: ChatCall) -> Reply:
        asked.append(call.prompt)
        if len(asked) > 2:
            assert go_on.wait(120)
        return well_behaved(call)

    with OllamaDouble([ChatDouble("slow-3b", slow)]) as double:
        address = start_app(
            tmp_path / "data",
            LIGHTRAG_LANGUAGE_MODEL="ollama:slow-3b",
            LIGHTRAG_CHUNK_TOKEN_SIZE="30",
            LIGHTRAG_CHUNK_OVERLAP_TOKEN_SIZE="0",
            LIGHTRAG_SERVER_PARALLEL="1",
            OLLAMA_HOST=double.address,
        )
        watched = visit(address)
        page = watched.page
        go(page, "Documents")
        text = "\n\n".join(
            f"Mara Quill{n} met Tobias Renn{n} on the Heron{n} in 19{n:02}." for n in range(10)
        )
        page.locator("input[type=file]").first.set_input_files(
            [{"name": "ferry.txt", "mimeType": "text/plain", "buffer": text.encode()}]
        )
        expect(page.get_by_text(re.compile("extracting [1-9]")).first).to_be_visible(timeout=60_000)
        for name in ("Overview", "Settings", "Documents"):
            go(page, name)
        page.reload()
        expect(page.get_by_text(re.compile("extracting [1-9]")).first).to_be_visible(timeout=60_000)
        expect(page.get_by_role("button", name="Pause all")).to_be_visible()
        go_on.set()
        expect(cells(page, "● done")).to_have_count(1, timeout=120_000)
        assert len(asked) == len(set(asked)) > 4
        watched.assert_clean()
