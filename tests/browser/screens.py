"""What a person does on the screens, for the browser tests."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

SCREENS = len(list((Path(__file__).parents[2] / "pages").glob("*.py")))
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
# Where vis-network has drawn a thing: its place in the canvas, in pixels.
NODE_PLACE = """(host, label) => {
    const { network } = host
    const node = network.body.data.nodes.get().find((node) => node.short === label)
    return node && network.canvasToDOM(network.getPositions([node.id])[node.id])
}"""
EDGE_PLACE = """(host, label) => {
    const { network } = host
    const places = network.getPositions()
    for (const edge of network.body.data.edges.get()) {
        if (label && !edge.title.startsWith(label)) continue
        for (const part of [0.5, 0.4, 0.6, 0.3, 0.7]) {
            const [a, b] = [places[edge.from], places[edge.to]]
            const at = network.canvasToDOM({ x: a.x + part * (b.x - a.x), y: a.y + part * (b.y - a.y) })
            if (network.getNodeAt(at) === undefined && network.getEdgeAt(at) === edge.id) return at
        }
    }
}"""


def settle(page: Page) -> None:
    """Wait until the script has run; short pauses let a run that is about to begin begin."""
    page.wait_for_timeout(300)
    page.wait_for_selector(IDLE)
    page.wait_for_timeout(200)
    page.wait_for_selector(IDLE)


def go(page: Page, name: str) -> None:
    """Follow the navigation to a screen."""
    page.get_by_test_id("stSidebarNavLink").filter(has_text=name).click()
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    settle(page)


def cells(page: Page, text: str) -> Locator:
    """Return the cells of tables that hold just this text."""
    return page.locator("[data-testid=stDataFrame] [role=gridcell]").filter(has_text=text)


def upload(page: Page, files: dict[str, tuple[str, bytes]]) -> None:
    """Hand files, name to type and bytes, to the uploader all at once, and wait until they are read."""
    page.locator("input[type=file]").first.set_input_files(
        [{"name": name, "mimeType": kind, "buffer": data} for name, (kind, data) in files.items()]
    )
    expect(cells(page, "● done")).to_have_count(len(files), timeout=120_000)
    settle(page)


def click_in_graph(page: Page, script: str, label: str = "") -> None:
    """Click with the mouse on what the script finds in the drawing."""
    host = page.locator(".graph")
    expect(host.locator("canvas")).to_be_visible()
    page.wait_for_timeout(800)
    place, box = host.evaluate(script, label), host.bounding_box()
    assert place is not None, f"{label or 'a relation'} is not drawn"
    assert box is not None
    page.mouse.click(box["x"] + place["x"], box["y"] + place["y"])
    settle(page)


def ask(page: Page, question: str) -> None:
    """Type a question and wait for the whole answer."""
    messages = page.get_by_test_id("stChatMessage")
    before = messages.count()
    page.get_by_test_id("stChatInputTextArea").fill(question)
    page.keyboard.press("Enter")
    expect(messages).to_have_count(before + 2, timeout=60_000)
    settle(page)
