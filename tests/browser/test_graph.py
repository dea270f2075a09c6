"""The graph page in a real browser: clicks, filters, paths, links, places, exports, hostile names."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import pytest
from browser.graph_screen import drawn, heading, mouse, places
from browser.screens import IDLE, settle
from playwright.sync_api import expect

from lightrag_engine import LightRAG, Settings, Upload

SCRIPT = "<img src=x onerror=alert(1)> </script><script>document.title='owned'</script>"
ROWS = [
    ("Mara Quill", "Tobias Renn", "hiring", "Mara Quill hired Tobias Renn."),
    ("Tobias Renn", "Heron", "building", "Tobias Renn built the Heron."),
    ("Heron", "Hamburg", "place", "The Heron was built in Hamburg."),
    ("Ilse Vogt", "Hamburg", "study", "Ilse Vogt studied in Hamburg."),
    ("Mara Quill", "Port Ansel", "home", "Mara Quill lived in Port Ansel."),
    ("Port Ansel", SCRIPT, "a href=javascript:alert(2)", "Said \"x\" <b onmouseover=alert(3)>'y'</b>."),
    ("Port Ansel", "مرفأ أنسل", "name", "اسم المرفأ."),
    ("Port Ansel", "Hallam & Sons <O'Neil>", "owners", "Hallam & Sons own it."),
    ("Port Ansel", "👩‍🚒 Fire brigade", "brigade", "A 👩‍🚒 came."),
    ("Port Ansel", f"Long {'name ' * 58}end", "length", "It is long."),
    *((f"Sailor {n}", "Ilse Vogt", "crew", f"Sailor {n} sailed with Ilse Vogt.") for n in range(6)),
]
TYPES = {"Heron": "product", "Hamburg": "location", "Port Ansel": "location", "مرفأ أنسل": "location"}
SETTINGS = {"language_model": "builtin", "embedding_model": "builtin"}


def csv(head: str, rows: list[tuple[str, ...]]) -> bytes:
    quoted = (",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows)
    return "\n".join([head, *quoted]).encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with an imported graph and a document."""
    folder = tmp_path_factory.mktemp("graph")
    names = sorted({name for row in ROWS for name in row[:2]})
    entities = csv("name,type", [(name, TYPES.get(name, "person")) for name in names])
    with LightRAG("default", Settings(data_dir=folder, **SETTINGS)) as rag:
        rag.import_graph(
            Upload("ferry.csv", csv("source,target,keywords,description", ROWS)), Upload("e.csv", entities)
        )
        rag.insert("Mara Quill met Ada Pell in Bergen.", ["bergen.txt"])
    return folder


def test_an_analyst_looks_around(start_app, visit, folder, tmp_path):
    address = start_app(folder)
    watched = visit(address)
    page = watched.page
    page.goto(f"{address}graph?scope=around&focus=heron")
    assert drawn(page) == {"Heron", "Tobias Renn", "Hamburg"}
    first = places(page)
    page.locator(".graph").evaluate("host => { window.kept = host.network }")

    # A click selects and fills the panel; nothing is drawn anew.
    page.mouse.click(*mouse(page, "Hamburg"))
    expect(heading(page, "Hamburg")).to_be_visible()
    assert page.url.endswith("entity=hamburg")

    # A double click expands; what was there stays where it was.
    page.mouse.dblclick(*mouse(page, "Hamburg"))
    expect(page.get_by_text("and 1 entity you asked for")).to_be_visible()
    assert drawn(page) == {"Heron", "Tobias Renn", "Hamburg", "Ilse Vogt"}
    tip = "host => host.network.body.data.nodes.get('ilse vogt').title"
    assert "6 more not shown: double-click to show them" in page.locator(".graph").evaluate(tip)
    assert {key: places(page)[key] for key in first} == first
    assert page.locator(".graph").evaluate("host => window.kept === host.network")

    # Back, forward, and reload.
    page.get_by_role("button", name="undo").click()
    expect(page.get_by_text("entity you asked for")).to_be_hidden()
    page.get_by_role("button", name="redo").click()
    expect(page.get_by_text("and 1 entity you asked for")).to_be_visible()
    page.reload()
    assert drawn(page) == {"Heron", "Tobias Renn", "Hamburg", "Ilse Vogt"}
    assert {key: places(page)[key] for key in first} == first

    # Shift-click takes a second one: how are they connected?
    page.mouse.click(*mouse(page, "Heron"))
    expect(heading(page, "Heron")).to_be_visible()
    settle(page)
    page.keyboard.down("Shift")
    page.mouse.click(*mouse(page, "Ilse Vogt"))
    page.keyboard.up("Shift")
    expect(heading(page, "2 entities")).to_be_visible()
    page.get_by_role("button", name="Paths between").click()
    expect(page.get_by_text("1 shortest path between Heron and Ilse Vogt, 2 steps")).to_be_visible()
    expect(page.locator(".passage").filter(has_text="Ilse Vogt studied in Hamburg.")).to_be_visible()
    assert drawn(page) == {"Heron", "Hamburg", "Ilse Vogt"}

    # Dragging keeps an entity where it was put, in another visit too.
    x, y = mouse(page, "Hamburg")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 60, steps=6)
    page.mouse.up()
    moved = places(page)["hamburg"]
    assert moved != first["hamburg"]
    settle(page)
    other = visit(address)
    other.page.goto(f"{address}graph?types=location")
    assert places(other.page)["hamburg"] == pytest.approx(moved, abs=0.2)
    assert drawn(other.page) == {"Hamburg", "Port Ansel", "مرفأ أنسل", "Bergen"}

    # By keyboard alone: "/" goes to the search, arrows go through what was found and through the drawing,
    # escape lets go.
    page = other.page
    page.keyboard.press("/")
    expect(page.get_by_label("Find an entity", exact=True)).to_be_focused()
    page.keyboard.type("sailor")
    hits = page.locator(".st-key-found_entities [data-testid^=stBaseButton]")
    expect(hits.first).to_have_text("Sailor 0")
    settle(page)
    page.keyboard.press("ArrowDown")
    expect(page.locator(":focus")).to_have_text("Sailor 0")
    page.keyboard.press("ArrowRight")
    expect(page.locator(":focus")).to_have_text("Sailor 1")
    page.keyboard.press("Enter")
    expect(heading(page, "Sailor 1")).to_be_visible()
    page.get_by_role("button", name="Sailor 1", exact=True).focus()
    page.keyboard.press("Escape")
    expect(page.get_by_label("Find an entity", exact=True)).to_be_focused()
    page.get_by_label("Find an entity", exact=True).fill("")
    settle(page)
    page.locator(".graph").focus()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Nothing chosen yet")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(heading(page, "Port Ansel")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(heading(page, "Hamburg")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Nothing chosen yet")).to_be_visible()

    # By document, through the filters.
    page.get_by_role("button", name="Filters").click()
    page.get_by_role("combobox", name="In documents").fill("bergen")
    page.get_by_role("option", name="bergen.txt").click()
    page.wait_for_selector(IDLE)
    expect(page.get_by_text("of type location, in bergen.txt").first).to_be_visible()
    watched.assert_clean()
    other.assert_clean()


def test_hostile_and_awkward_names_are_text_on_the_page_and_in_exports(
    start_app, visit, browser, folder, tmp_path
):
    address = start_app(folder)
    watched = visit(address)
    page = watched.page
    page.goto(f"{address}graph?scope=around&focus=port%20ansel&entity=port%20ansel")
    names = drawn(page)
    assert {SCRIPT, "مرفأ أنسل", "👩‍🚒 Fire brigade"} < names
    # A tooltip shows the characters themselves: names were escaped twice, as &amp; and &#x27;.
    page.mouse.move(*mouse(page, "Hallam & Sons <O'Neil>"))
    tip = page.locator(".vis-tooltip")
    expect(tip).to_contain_text("Hallam & Sons <O'Neil>")
    assert any(len(name) > 250 for name in names)
    page.locator(".graph").evaluate(
        """host => host.network.body.data.nodes.getIds().forEach((id) => {
            const at = host.network.canvasToDOM(host.network.getPositions([id])[id])
            host.network.interactionHandler._checkShowPopup(at)
        })"""
    )
    page.get_by_role("button", name="Export").click()
    files = {}
    for label, ending in (("HTML", ".html"), ("SVG", ".svg"), ("GraphML", ".graphml"), ("GEXF", ".gexf")):
        with page.expect_download() as download:
            page.get_by_role("button", name=label).first.click()
        files[ending] = tmp_path / f"view{ending}"
        download.value.save_as(files[ending])
    # The whole graph as PNG, though only a part of it is drawn.
    page.get_by_text("The whole graph", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG picture").click()
    assert download.value.suggested_filename == "graph.png"
    header = download.value.path().read_bytes()[:24]
    assert header.startswith(b"\x89PNG")
    size = [int.from_bytes(header[start : start + 4], "big") for start in (16, 20)]
    assert 1600 < max(size) <= 8192
    expect(page.get_by_text(f"Saved as graph.png, {size[0]} × {size[1]} pixels.")).to_be_visible()
    for read, ending in ((nx.read_graphml, ".graphml"), (nx.read_gexf, ".gexf")):
        assert len(read(files[ending])) == len(names)
    page.keyboard.press("Escape")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a picture").click()
        page.get_by_role("button", name="What is in sight, as PNG").click()
    seen = download.value.path().read_bytes()
    assert seen.startswith(b"\x89PNG")

    # Zoomed in, a picture of what is in sight holds less than one of all that is drawn.
    page.locator(".graph").evaluate("host => host.network.focus('port ansel', { scale: 4 })")
    shapes = {}
    for part in ("What is in sight, as SVG", "All that is drawn, as SVG", "All that is drawn, as PNG"):
        page.get_by_role("button", name="Save as a picture").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=part).click()
        picture = download.value.path().read_bytes()
        if part.endswith("SVG"):
            root = ElementTree.fromstring(picture)
            tags = Counter(element.tag.rpartition("}")[2] for element in root.iter())
            assert set(tags) <= {"svg", "title", "rect", "g", "line", "circle", "polygon", "text"}
            shapes[part[:3]] = tags["circle"] + tags["polygon"]
            texts = "".join(root.itertext())
        else:
            assert picture.startswith(b"\x89PNG")
    assert 0 < shapes["Wha"] < shapes["All"] == len(names)
    assert SCRIPT in texts
    page.get_by_role("button", name="Save as a picture").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="All that is drawn, as PNG")).to_be_hidden()
    assert "owned" not in page.title()
    watched.assert_clean()

    # Opened from disk, with no network: the page draws, and nothing of the names runs or is fetched.
    context = browser.new_context(offline=True)
    try:
        for ending in (".html", ".svg"):
            page = context.new_page()
            wrong: list[str] = []
            page.on("dialog", lambda dialog, wrong=wrong: (wrong.append(dialog.message), dialog.dismiss()))
            page.on("pageerror", lambda error, wrong=wrong: wrong.append(str(error)))
            page.on("request", lambda request, wrong=wrong: wrong.append(request.url))
            page.goto(files[ending].as_uri())
            page.wait_for_timeout(500)
            if ending == ".html":
                labels = page.evaluate("network.body.data.nodes.get().map((node) => node.label)")
                assert "👩‍🚒 Fire brigade" in labels
                assert page.evaluate("document.querySelectorAll('#mynetwork canvas').length") == 1
            else:
                assert page.locator("circle, polygon").count() == len(names)
            assert page.locator("img, a, b").count() == 0
            assert "owned" not in page.title()
            assert [what for what in wrong if what != files[ending].as_uri()] == []
    finally:
        context.close()
