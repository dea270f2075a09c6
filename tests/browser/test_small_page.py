"""What must be in sight on a small page: the newest answer, the details beside the graph, every column."""

from __future__ import annotations

from browser.screens import ask, go, settle, upload
from playwright.sync_api import expect

SENTENCES = [
    "Mara Quill founded the Brindle Valley Ferry in 1921 at Port Ansel.",
    "Mara Quill hired Tobias Renn as chief engineer of the Brindle Valley Ferry.",
    "Tobias Renn built the steamer Heron in Hamburg. Ilse Vogt inspected the steamer Heron.",
    "Ilse Vogt studied in Hamburg and moved to Port Ansel. Ilse Vogt met Mara Quill in Port Ansel.",
]
TEXT = "\n\n".join(SENTENCES).encode()


def test_answers_details_and_columns_are_in_sight(start_app, visit, tmp_path):
    watched = visit(start_app(tmp_path / "data"))
    page = watched.page
    page.set_viewport_size({"width": 900, "height": 700})
    go(page, "Documents")
    upload(page, {"ferry.txt": ("text/plain", TEXT)})

    go(page, "Graph")
    page.get_by_label("Find an entity").fill("Tobias Renn")
    expect(page.get_by_role("heading", name="Tobias Renn", exact=True)).to_be_in_viewport()

    go(page, "Chat")
    messages = page.get_by_test_id("stChatMessage")
    for question in ("Who did Mara Quill hire?", "Where did Ilse Vogt study?", "Who built the Heron?"):
        ask(page, question)
        expect(messages.nth(-2)).to_contain_text(question)
        expect(messages.nth(-2)).to_be_in_viewport(ratio=1)
        expect(messages.last.locator("p").first).to_be_in_viewport(ratio=1)
    main = page.get_by_test_id("stMain")
    page.get_by_text("[1] ferry.txt").last.click()
    settle(page)
    main.evaluate("main => main.scrollTo(0, main.scrollHeight)")
    before = main.evaluate("main => main.scrollTop")
    page.get_by_role("tab", name="Sources").last.click()
    settle(page)
    assert main.evaluate("main => main.scrollTop") <= before

    go(page, "Compare")
    page.get_by_role("textbox", name="Question").fill("Who did Mara Quill hire?")
    for mode in ("Local", "Hybrid"):
        page.get_by_role("combobox", name="Modes").fill(mode)
        page.get_by_role("option", name=mode).first.click()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Compare").click()
    settle(page)
    for mode in ("Naive", "Local", "Hybrid", "Mix"):
        box = page.get_by_role("heading", name=mode, exact=True).bounding_box()
        assert box is not None
        assert box["width"] >= 150
    watched.assert_clean()


def test_a_new_workspace_is_made_with_enter_and_opened(start_app, visit, tmp_path):
    watched = visit(start_app(tmp_path / "data"))
    page = watched.page
    page.get_by_role("button", name="New workspace").click()
    name = page.get_by_label("Name", exact=True)
    name.fill("archive")
    name.press("Enter")
    settle(page)
    expect(name).to_be_hidden()
    expect(page.get_by_role("combobox", name="Workspace")).to_have_value("archive")
    page.goto(page.url.split("?")[0])
    settle(page)
    expect(page.get_by_role("combobox", name="Workspace")).to_have_value("archive")
    watched.assert_clean()
