"""Editing the graph, its duplicates and its views by mouse and keyboard, in a real browser."""

from __future__ import annotations

from browser.graph_screen import drawn, heading, mouse, places, relation_mouse
from browser.screens import settle
from playwright.sync_api import expect

from lightrag_engine import LightRAG, Settings, Upload

RELATIONS = b"""source,target,keywords,description
Pierre Curie,Radium,discovery,Pierre Curie discovered radium.
Pierre Curie,Paris,home,Pierre Curie lived in Paris.
Pierre,Paris,home,Pierre had a laboratory in Paris.
Pierre,Radium,discovery,Pierre weighed radium.
Polonium,Radium,discovery,Polonium was found before radium.
"""
ENTITIES = b"""name,type,description
Pierre Curie,person,A physicist.
Pierre,person,Physicist in Paris.
Paris,location,A city.
Radium,concept,An element.
Polonium,concept,Another element.
"""


def test_relations_duplicates_views_and_types_are_worked_on(start_app, visit, tmp_path):
    settings = Settings(data_dir=tmp_path, language_model="builtin", embedding_model="builtin")
    with LightRAG("default", settings) as rag:
        rag.import_graph(Upload("curies.csv", RELATIONS), Upload("names.csv", ENTITIES))
    address = start_app(tmp_path)
    watched = visit(address)
    page = watched.page

    # The overview says that there is something to look at, and leads to it.
    page.get_by_role("link", name="1 possible duplicate to look at").click()
    expect(heading(page, "Graph")).to_be_visible()
    everything = {"Pierre", "Pierre Curie", "Paris", "Radium", "Polonium"}
    assert drawn(page) == everything
    before = places(page)
    page.get_by_role("button", name="Merge", exact=True).click()
    expect(page.get_by_text("No possible duplicates")).to_be_visible()
    assert drawn(page) == everything - {"Pierre"}
    after = places(page)
    assert {key: before[key] for key in after} == after, "nothing else moves"
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("1 possible duplicate", exact=True)).to_be_visible()
    assert drawn(page) == everything
    page.get_by_role("button", name="Not the same").click()
    expect(page.get_by_text("No possible duplicates")).to_be_visible()

    # A relation: a click on its line, then its words and its weight.
    page.mouse.click(*relation_mouse(page, "Polonium – Radium"))
    expect(heading(page, "Polonium – Radium")).to_be_visible()
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("textbox", name="Description", exact=True).fill("Polonium came first.")
    page.get_by_role("textbox", name="About", exact=True).fill("order, chemistry")
    page.get_by_role("spinbutton", name="Weight").fill("4")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Relation · weight 4.0")).to_be_visible()
    expect(page.get_by_text("About order, chemistry")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".passage").filter(has_text="Polonium came first.")).to_be_visible()
    settle(page)
    # Escape closes what has the focus, and a run that just ended may have taken it away from there.
    if page.get_by_role("button", name="Delete relation").is_hidden():
        page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("button", name="Delete relation").click()
    expect(page.get_by_text("Deleted the relation").first).to_be_visible()
    settle(page)
    edges = "host => host.network.body.data.edges.length"
    assert page.locator(".graph").evaluate(edges) == 4

    # The history knows each of them, and takes back just the one.
    page.get_by_role("radio", name="Edits").click()
    expect(page.get_by_text("Changed the weight of the relation “Polonium” – “Radium”")).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).nth(1).click()
    expect(page.get_by_text("(taken back)").first).to_be_visible()
    settle(page)
    assert page.locator(".graph").evaluate(edges) == 5

    # A click in the legend shows a type alone, another one all again.
    page.get_by_role("button", name="● concept 2").click()
    expect(page.get_by_text("of type concept").first).to_be_visible()
    assert drawn(page) == {"Radium", "Polonium"}

    # This view is kept by name, and found again by its name and by its address.
    page.get_by_role("button", name="Views").click()
    page.get_by_label("Save this view as").fill("Elements")
    page.get_by_role("button", name="Save view").click()
    expect(page.get_by_text("Saved the view Elements.")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="● concept 2").click()
    expect(page.get_by_text("of type concept").first).to_be_hidden()
    assert drawn(page) == everything
    page.get_by_role("button", name="Views").click()
    page.get_by_role("button", name="Elements", exact=True).click()
    expect(page.get_by_text("of type concept").first).to_be_visible()
    other = visit(address)
    other.page.goto(page.url)
    assert drawn(other.page) == {"Radium", "Polonium"}
    assert places(other.page) == {key: before[key] for key in ("radium", "polonium")}

    # The view is undone and made again by keyboard, where the drawing has the focus.
    page.keyboard.press("Escape")
    page.locator(".graph").focus()
    page.keyboard.press("Control+z")
    expect(page.get_by_text("of type concept").first).to_be_hidden()
    page.keyboard.press("Control+Shift+z")
    expect(page.get_by_text("of type concept").first).to_be_visible()
    page.mouse.click(*mouse(page, "Radium"))
    expect(heading(page, "Radium")).to_be_visible()
    watched.assert_clean()
    other.assert_clean()
