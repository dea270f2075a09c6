"""What a person sees and does on the graph screen, for the browser tests."""

from __future__ import annotations

from browser.screens import EDGE_PLACE, NODE_PLACE, settle
from playwright.sync_api import Locator, Page


def drawn(page: Page) -> set[str]:
    settled(page)
    script = "host => host.network.body.data.nodes.get().map((node) => node.name)"
    return set(page.locator(".graph").evaluate(script))


def settled(page: Page) -> Locator:
    settle(page)
    page.wait_for_selector(".graph[data-settled]")
    return page.locator(".graph")


def places(page: Page) -> dict[str, tuple[float, float]]:
    found = settled(page).evaluate(
        "host => Object.entries(host.network.getPositions()).map(([key, { x, y }]) => [key, [x, y]])"
    )
    return {key: tuple(place) for key, place in found}


def mouse(page: Page, name: str) -> tuple[float, float]:
    """Return where an entity is on the page."""
    return _at(page, NODE_PLACE, name)


def relation_mouse(page: Page, names: str) -> tuple[float, float]:
    """Return where the line between two entities can be hit; `names` are theirs with " – " between them."""
    return _at(page, EDGE_PLACE, names)


def _at(page: Page, script: str, name: str) -> tuple[float, float]:
    host = settled(page)
    page.wait_for_timeout(500)
    place, box = host.evaluate(script, name), host.bounding_box()
    assert place is not None, f"{name} is not drawn"
    assert box is not None
    return box["x"] + place["x"], box["y"] + place["y"]


def heading(page: Page, name: str) -> Locator:
    return page.get_by_role("heading", name=name, exact=True)
