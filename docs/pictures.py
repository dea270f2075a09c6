"""Takes the pictures of the README from the running app: ``python -m docs.pictures`` writes them here."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

from benchmarks.graph_page import app
from lightrag_engine import LightRAG, Settings
from lightrag_engine.uploads import sample_files

FOLDER = Path(__file__).parent
SHOTS = (
    (
        "screenshot.png",
        "light",
        "graph?types=person&types=organization&types=location&entity=clara%20whitlock",
    ),
    ("graph-paths.png", "dark", "graph?scope=paths&focus=clara%20whitlock&focus=nanjing"),
    ("graph-duplicates.png", "light", "graph?beside=Duplicates&entity=nanjing&entity=%E5%8D%97%E4%BA%AC"),
    ("graph-analysis.png", "dark", "graph?section=Analysis"),
    ("chat.png", "light", "chat"),
)
QUESTION = "Who paid for the observatory, and who was its director?"


def main() -> None:
    """Index the samples, open each page in its state, and write a picture of it."""
    chromium = os.environ.get("LIGHTRAG_CHROMIUM", "/usr/bin/chromium")
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), language_model="builtin", embedding_model="builtin")
        with LightRAG("default", settings) as rag:
            rag.insert_files(sample_files())
        with app(Path(folder)) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for name, theme, place in SHOTS:
                size: ViewportSize = {"width": 1400, "height": 880}
                page = browser.new_page(viewport=size, color_scheme="dark" if theme == "dark" else "light")
                page.set_default_timeout(120_000)
                page.goto(f"{address}{place}")
                _settle(page)
                if place == "chat":
                    _ask(page)
                page.screenshot(path=FOLDER / name)
                page.close()
            browser.close()


def _ask(page: Page) -> None:
    box = page.get_by_test_id("stChatInput").get_by_role("textbox")
    box.fill(QUESTION)
    box.press("Enter")
    _settle(page)
    page.get_by_role("button", name="[1]").or_(page.get_by_text("[1] ")).first.click()
    _settle(page)


def _settle(page: Page) -> None:
    page.wait_for_selector("h1")
    page.wait_for_timeout(3_000)
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_timeout(6_000)


if __name__ == "__main__":
    main()
