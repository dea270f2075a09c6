"""A workspace is renamed, copied, exported, deleted and imported again, with the mouse."""

from __future__ import annotations

from browser.screens import go, settle
from playwright.sync_api import expect

from lightrag_engine import LightRAG, Settings, Workspaces

NAME = "知识库 <img src=x onerror=alert(1)>"


def test_the_life_of_a_workspace(start_app, visit, tmp_path):
    folder = tmp_path / "data"
    with LightRAG("press", Settings(data_dir=folder, embedding_model="builtin")) as rag:
        rag.insert("Mara Quill founded the Brindle Valley Ferry.", ["ferry.txt"])
    watched = visit(start_app(folder))
    page = watched.page
    dialog = page.get_by_role("dialog")
    go(page, "Workspaces")

    page.get_by_role("button", name="Rename …").click()
    dialog.get_by_label("New name").fill(NAME)
    dialog.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("combobox", name="Workspace")).to_have_value(NAME)
    expect(dialog).to_have_count(0)

    page.get_by_role("button", name="Duplicate …").click()
    dialog.get_by_label("Name of the copy").fill("copy")
    dialog.get_by_role("button", name="Duplicate").click()
    expect(page.get_by_text("Made “copy”.")).to_be_visible()
    expect(dialog).to_have_count(0)

    page.get_by_role("button", name="Export …").click()
    dialog.get_by_role("button", name="Make the archive").click()
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Download").click()
    archive = tmp_path / "exported.zip"
    download.value.save_as(archive)
    dialog.get_by_role("button", name="Close").click()
    settle(page)

    page.get_by_role("button", name="Delete …").click()
    dialog.get_by_role("button", name="Delete for good").click()
    expect(dialog.get_by_text("That is not its name.")).to_be_visible()
    dialog.get_by_label("Type its name to confirm").fill(NAME)
    dialog.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_role("combobox", name="Workspace")).to_have_value("copy")
    assert [info.name for info in Workspaces(folder).all()] == ["copy"]

    settle(page)
    page.locator("input[type=file]").set_input_files(archive)
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("combobox", name="Workspace")).to_have_value(NAME)
    settle(page)
    go(page, "Documents")
    expect(page.get_by_text("1 documents").or_(page.get_by_text("1 document"))).to_be_visible()

    # Going on to the page failed in a workspace that the address names.
    go(page, "Workspaces")
    page.get_by_label("Name", exact=True).first.fill("samples")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("combobox", name="Workspace")).to_have_value("samples")
    settle(page)
    go(page, "Documents")
    page.get_by_role("button", name="Load the sample documents").click()
    expect(page.get_by_text("3 documents ·")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("Reading 3 new documents")).to_be_visible()
    expect(page.get_by_role("combobox", name="Workspace")).to_have_value("samples")
    watched.assert_clean()
