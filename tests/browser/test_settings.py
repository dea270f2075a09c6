"""A model of the server is chosen, tested and got in the settings, and then answers in the chat."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

from browser.screens import ask, go, settle, upload
from ollama_double import ChatDouble, EmbedDouble, OllamaDouble, sloppy, well_behaved
from playwright.sync_api import Locator, Page, expect

TEXT = b"""Mara Quill founded the Brindle Valley Ferry in 1921 at Port Ansel.
Mara Quill hired Tobias Renn as chief engineer of the Brindle Valley Ferry."""


class SlowPull:
    """What the server sends while it gets the model ``late``, half of it before `go_on` is set."""

    def __init__(self, double: OllamaDouble) -> None:
        self.double = double
        self.go_on = threading.Event()

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        yield {"status": "pulling manifest"}
        yield {"status": "pulling abc", "digest": "abc", "total": 2_000_000_000, "completed": 1_000_000_000}
        self.go_on.wait(60)
        self.double.models["late:latest"] = ChatDouble("late", well_behaved)
        yield {"status": "success"}


def tab(page: Page, name: str) -> Locator:
    """Open a tab and return what it holds."""
    page.get_by_role("tab", name=name, exact=True).click()
    settle(page)
    panel = page.get_by_role("tabpanel").and_(page.locator(":visible"))
    expect(panel.first).to_be_visible()
    return panel.first


def choose(page: Page, label: str, option: str) -> None:
    box = page.get_by_role("combobox", name=label, exact=True)
    # The list closes when the page scrolls, which a click would make it do.
    box.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    box.click()
    page.get_by_role("option", name=option).click()


def seen(page: Page, text: str) -> None:
    expect(page.get_by_text(text)).to_be_visible(timeout=30_000)


def test_from_choosing_a_model_to_its_answer(start_app, visit, tmp_path):
    with OllamaDouble([ChatDouble("sloppy-3b", sloppy), EmbedDouble("embed", 64, 2048)]) as double:
        double.pull = pull = SlowPull(double)
        address = start_app(
            tmp_path / "data",
            LIGHTRAG_LANGUAGE_MODEL="",
            LIGHTRAG_EMBEDDING_MODEL="",
            LIGHTRAG_MAX_PAGES="300",
            OLLAMA_HOST=double.address,
        )
        watched = visit(address)
        page = watched.page
        go(page, "Settings")

        # Another model is got: with progress, and also while the page is left.
        tab(page, "Server").get_by_label("Name of the model").fill("late")
        page.get_by_role("button", name="Pull").click()
        seen(page, "late · pulling abc · 1.0 GB of 2.0 GB")
        go(page, "Overview")
        go(page, "Settings")
        tab(page, "Server")
        seen(page, "late · pulling abc · 1.0 GB of 2.0 GB")
        pull.go_on.set()
        seen(page, "late is on the server.")
        settle(page)

        # It is tested, and chosen.
        models = tab(page, "Models")
        choose(page, "Model to test", "late:latest · Ollama, local")
        page.get_by_role("button", name="Test this model").click()
        seen(page, "1 chunk read")
        choose(page, "Language model", "late:latest · Ollama, local")
        models.get_by_role("button", name="Save").first.click()
        seen(page, "Saved: Language model.")
        settle(page)
        expect(page.get_by_test_id("stSidebar").get_by_text("late:latest")).to_be_visible()

        # A name that is no model is refused, and stays.
        page.get_by_role("combobox", name="Language model", exact=True).fill("nonsense")
        page.keyboard.press("Enter")
        models.get_by_role("button", name="Save").first.click()
        seen(page, "“Language model” cannot be 'nonsense'")
        expect(page.get_by_role("combobox", name="Language model", exact=True)).to_have_value("nonsense")

        # Numbers: refused, corrected, taken back to the default. What the environment fixes is locked.
        reading = tab(page, "Chunking and extraction")
        size = reading.get_by_label("Chunk size (tokens)")
        for value, said in (("50", "must be smaller"), ("600", "Saved: Chunk size (tokens).")):
            size.fill(value)
            reading.get_by_role("button", name="Save").click()
            seen(page, said)
            settle(page)
            expect(size).to_have_value(value)
        reading.get_by_role("button", name="Back to the defaults").click()
        settle(page)
        expect(size).to_have_value("1200")
        expect(tab(page, "Limits").get_by_label("Most pages or slides")).to_be_disabled()
        page.reload()
        settle(page)
        expect(page.get_by_role("tab", name="Limits")).to_have_attribute("aria-selected", "true")

        # The model reads and answers.
        go(page, "Documents")
        upload(page, {"ferry.txt": ("text/plain", TEXT)})
        go(page, "Chat")
        ask(page, "Who founded the Brindle Valley Ferry?")
        expect(page.get_by_test_id("stChatMessage").nth(1)).to_contain_text("Mara Quill founded")
        expect(page.get_by_test_id("stChatMessage").nth(1)).to_contain_text("late:latest")
        assert {str(body["model"]) for body in double.bodies("/api/chat")} == {"late:latest"}
        watched.assert_clean()
