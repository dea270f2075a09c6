"""A question set over a reload in the middle of its run."""

from __future__ import annotations

import re
import threading

from browser.screens import go, settle, upload
from ollama_double import ChatDouble, EmbedDouble, OllamaDouble
from ollama_double.protocol import ChatCall, Reply
from ollama_double.scripts import well_behaved
from playwright.sync_api import expect

TEXT = b"""Mara Quill founded the Brindle Valley Ferry in 1921 at Port Ansel.
Mara Quill hired Tobias Renn as chief engineer of the Brindle Valley Ferry."""
QUESTIONS = 20
TABLE = "question,expected\n" + "\n".join(
    f"{n}: who founded the Brindle Valley Ferry?,Mara Quill" for n in range(QUESTIONS)
)
HALF = QUESTIONS // 2


class Halting:
    """Counts the answers to each prompt; from the tenth question on it waits to be told to go on."""

    def __init__(self) -> None:
        self.answers: dict[str, int] = {}
        self.go_on = threading.Event()
        self._lock = threading.Lock()

    def __call__(self, call: ChatCall) -> str | Reply:
        if "-----Sources-----" in call.prompt:
            asked = re.findall(r"(\d+): who founded", call.prompt)[-1]
            if int(asked) >= HALF:
                assert self.go_on.wait(120)
            with self._lock:
                self.answers[call.prompt] = self.answers.get(call.prompt, 0) + 1
        return well_behaved(call)


def test_twenty_questions_with_a_reload_in_the_middle(start_app, visit, tmp_path):
    model = Halting()
    with OllamaDouble([ChatDouble("halting-3b", model), EmbedDouble("embed", 64, 2048)]) as double:
        address = start_app(
            tmp_path / "data",
            LIGHTRAG_LANGUAGE_MODEL="",
            LIGHTRAG_EMBEDDING_MODEL="",
            LIGHTRAG_SERVER_PARALLEL="4",
            OLLAMA_HOST=double.address,
        )
        watched = visit(address)
        page = watched.page
        go(page, "Documents")
        upload(page, {"ferry.txt": ("text/plain", TEXT)})
        go(page, "Evaluate")
        page.get_by_label("Name of the set").fill("Ferry")
        page.get_by_role("textbox", name="Questions").fill(TABLE)
        page.get_by_role("button", name="Save the set").click()
        expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
        settle(page)
        page.get_by_role("button", name="Run", exact=True).click()

        total = 2 * QUESTIONS
        expect(page.get_by_text(f"{2 * HALF} of {total} answers").first).to_be_visible(timeout=120_000)
        page.reload()
        expect(page.get_by_text(f"{2 * HALF} of {total} answers").first).to_be_visible(timeout=60_000)
        model.go_on.set()
        expect(page.get_by_text(f"{total} of {total} answers · took").first).to_be_visible(timeout=120_000)
        expect(page.get_by_role("tab", name="Summary")).to_be_visible()
        settle(page)
        assert set(model.answers.values()) == {1}
        assert len(model.answers) == total
        watched.assert_clean()
