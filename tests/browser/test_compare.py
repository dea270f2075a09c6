"""Answers from a slow model at once, one touched while others come; a blind vote, a report offline."""

from __future__ import annotations

import re
import threading
import urllib.parse

from browser.screens import go, settle, upload
from ollama_double import ChatDouble, EmbedDouble, OllamaDouble
from ollama_double.protocol import ChatCall, Reply
from ollama_double.scripts import well_behaved
from playwright.sync_api import expect

TEXT = b"""Mara Quill founded the Brindle Valley Ferry in 1921 at Port Ansel.
Mara Quill hired Tobias Renn as chief engineer of the Brindle Valley Ferry."""
MODES = ("naive", "local", "hybrid", "mix")
SLOW_ANSWER = f"Mara Quill founded it {' '.join(f'word{n}' for n in range(60))} at Port Ansel [1]."
QUESTION = "Who founded the Brindle Valley Ferry?"


class Slow:
    """Answers only once all answers were asked for: one after another, none would come.

    While `held`, answers with entities to read come word by word and slowly, that of *naive* at once.
    """

    def __init__(self, together: int) -> None:
        self.together = together
        self.asked = 0
        self.keywords = 0
        self.held = False
        self.all_asked = threading.Event()
        self._lock = threading.Lock()

    def __call__(self, call: ChatCall) -> str | Reply:
        if "-----Sources-----" in call.prompt:
            with self._lock:
                self.asked += 1
                if self.asked >= self.together:
                    self.all_asked.set()
            assert self.all_asked.wait(60), "the answers were not asked for at the same time"
            entities = call.prompt.partition("-----Entities-----")[2].partition("-----Relations-----")[0]
            if self.held and "Mara" in entities:
                return Reply(SLOW_ANSWER, gap=0.25)
        elif "high_level_keywords" in call.prompt:
            with self._lock:
                self.keywords += 1
        return well_behaved(call)


def test_compared_voted_evaluated_and_taken_away(start_app, visit, browser, tmp_path):
    slow = Slow(len(MODES))
    with OllamaDouble([ChatDouble("slow-3b", slow), EmbedDouble("embed", 64, 2048)]) as double:
        address = start_app(
            tmp_path / "data",
            LIGHTRAG_LANGUAGE_MODEL="",
            LIGHTRAG_EMBEDDING_MODEL="",
            LIGHTRAG_SERVER_PARALLEL="8",
            OLLAMA_HOST=double.address,
        )
        watched = visit(address)
        page = watched.page
        go(page, "Documents")
        upload(page, {"ferry.txt": ("text/plain", TEXT)})

        # An address reproduces the page: four modes at the same time, with one call for keywords.
        query = urllib.parse.urlencode({"question": QUESTION, "modes": ",".join(MODES)})
        slow.held = True
        page.goto(f"{address}compare?{query}")
        # One column is complete: a click in it while the three others are being written.
        citation = page.get_by_text(re.compile(r"^\[1\] ferry\.txt")).first
        citation.click()
        expect(page.get_by_text("Whole passage").first).to_be_visible()
        expect(page.get_by_text(re.compile("word3 word4"))).to_have_count(3)
        expect(page.get_by_text(re.compile("word59"))).to_have_count(0)

        # A reload finds them still being written, and asks nothing again.
        page.reload()
        expect(page.get_by_text(re.compile("word5 word6"))).to_have_count(3)
        expect(page.get_by_role("tab", name="Who found what")).to_be_visible(timeout=60_000)
        settle(page)
        expect(page.get_by_text(re.compile("word59 at Port Ansel"))).to_have_count(3)
        assert slow.keywords == 1
        assert slow.asked == len(MODES)
        for mode in MODES:
            expect(page.get_by_role("heading", name=mode.capitalize(), exact=True)).to_be_visible()
        expect(page.get_by_text("Mara Quill founded the Brindle Valley Ferry")).not_to_have_count(0)
        expect(page.get_by_role("button", name="Stop")).to_be_hidden()

        # A click in one column leaves the others as they are.
        page.evaluate(
            "() => { window.kept = [...document.querySelectorAll('h3')].map(h => [h, h.innerText]) }"
        )
        page.get_by_role("tab", name=re.compile("^Sources")).first.click()
        page.get_by_text(re.compile(r"^\[1\] ferry\.txt")).first.click()
        settle(page)
        assert page.evaluate("window.kept.every(([h, text]) => h.isConnected && h.innerText === text)")
        assert slow.asked == len(MODES)

        # The map without a variant, and what only one found.
        page.get_by_role("tab", name="Who found what").click()
        settle(page)
        expect(page.get_by_role("img", name=re.compile("^Map of the entities"))).to_be_visible()

        # The report opens with the network blocked.
        page.get_by_role("tab", name="Report", exact=True).click()
        with page.expect_download() as download:
            page.get_by_role("button", name="Report as HTML").click()
        file = tmp_path / "comparison.html"
        download.value.save_as(file)
        offline = browser.new_context(offline=True)
        asked: list[str] = []
        report = offline.new_page()
        report.on("request", lambda request: asked.append(request.url))
        report.goto(file.as_uri())
        expect(report.get_by_role("heading", name="Comparison of answers")).to_be_visible()
        expect(report.get_by_text("Mara Quill founded").first).to_be_visible()
        assert report.locator("svg").count() >= 6
        assert [url for url in asked if not url.startswith("file:")] == []
        offline.close()

        # What was found, in the graph.
        page.get_by_role("tab", name="Who found what").click()
        page.get_by_role("button", name="Open these in the graph").click()
        expect(page.get_by_role("heading", name="Graph", exact=True)).to_be_visible()
        settle(page)
        assert "scope=evidence" in page.url
        expect(page.get_by_text(re.compile("^4 of 4 entities and 4 relations"))).to_be_visible()
        page.go_back()
        expect(page.get_by_role("heading", name="Compare", exact=True)).to_be_visible()
        settle(page)
        assert slow.asked == len(MODES)

        # A blind vote.
        slow.held = False
        page.get_by_text("Blind: shuffle the answers").click()
        page.get_by_role("button", name="Compare", exact=True).click()
        expect(page.get_by_role("button", name="Vote", exact=True)).to_be_visible()
        settle(page)
        expect(page.get_by_role("heading", name="Answer A", exact=True)).to_be_visible()
        expect(page.get_by_role("heading", name=re.compile("Naive|Local|Hybrid|Mix"))).to_have_count(0)
        page.get_by_role("button", name="Answer B", exact=True).or_(
            page.get_by_role("radio", name="Answer B", exact=True)
        ).first.click()
        settle(page)
        page.get_by_role("button", name="Vote", exact=True).click()
        expect(page.get_by_role("heading", name=re.compile("^Answer B · "))).to_be_visible()
        settle(page)

        watched.assert_clean()
