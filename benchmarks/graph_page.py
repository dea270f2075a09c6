"""How long the graph page takes in a real browser: ``python -m benchmarks.graph_page [ENTITIES]``.

A made-up workspace (a Barabási–Albert graph, 10,000 entities by default) is opened by the app in a server of
its own, and Chromium (``LIGHTRAG_CHROMIUM`` or ``/usr/bin/chromium``) visits it once to load everything. Then
it measures, for each number of entities shown: from asking for the page until the drawing has settled, from a
click until the details stand beside it, from a double-click until the neighbours are drawn, and how many
bytes the drawing was sent as.
"""

from __future__ import annotations

import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import networkx as nx
from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.editing import RandomEmbedding
from lightrag_engine import LightRAG, Settings, Upload
from lightrag_engine.embedding.builtin import BuiltinEmbedding

ROOT = Path(__file__).parents[1]
SHOWN = (150, 500, 1000)
REPEATS = 3
_PLACE = """(host, rank) => {
    const { network } = host
    const nodes = network.body.data.nodes.get().sort((a, b) => b.value - a.value)
    for (const node of nodes.slice(rank)) {
        const at = network.canvasToDOM(network.getPositions([node.id])[node.id])
        const inside = at.x > 5 && at.y > 60 && at.x < host.clientWidth - 5 && at.y < host.clientHeight - 5
        if (inside && network.getNodeAt(at) === node.id) return { ...at, name: node.name }
    }
}"""


class _BuiltinInName(RandomEmbedding):
    """Random vectors that the app takes for those of its own model: nothing here is retrieved by them."""

    name = BuiltinEmbedding.name
    dimensions = BuiltinEmbedding.dimensions


def fill(data_dir: Path, entities: int) -> None:
    """Write a workspace with a made-up graph, taken in as two tables."""
    chance = random.Random(7)
    graph = nx.barabasi_albert_graph(entities, 3, seed=7)
    names = {n: f"{chance.choice(_FIRST)} {chance.choice(_LAST)} {n}" for n in graph}
    nodes = "\n".join(f"{name},{chance.choice(_TYPES)},{name} is a name." for name in names.values())
    edges = "\n".join(
        f"{names[a]},{names[b]},{chance.choice(_ABOUT)},{names[a]} met {names[b]}." for a, b in graph.edges
    )
    settings = Settings(data_dir=data_dir, language_model="builtin")
    with LightRAG("default", settings, embedding=_BuiltinInName()) as rag:
        rag.import_graph(
            Upload("corpus.csv", f"source,target,keywords,description\n{edges}".encode()),
            Upload("names.csv", f"name,type,description\n{nodes}".encode()),
        )


_FIRST = ("Mara", "Tobias", "Ilse", "Ada", "Priya", "Chen", "Amara", "Jonas", "Robert", "Helen")
_LAST = ("Quill", "Renn", "Vogt", "Pell", "Raman", "Wenbo", "Okafor", "Lindqvist", "Isbister", "Marsh")
_TYPES = ("person", "organization", "location", "event", "concept", "work", "date")
_ABOUT = ("founding", "trade", "family", "travel", "science", "letters")


@contextmanager
def app(data_dir: Path) -> Iterator[str]:
    """Run the app on a data folder; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.headless", "true"]
    variables = {
        "LIGHTRAG_DATA_DIR": str(data_dir),
        "LIGHTRAG_LANGUAGE_MODEL": "builtin",
        "LIGHTRAG_OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
    }
    server = subprocess.Popen(
        [*command, "--server.port", str(port)],
        cwd=ROOT,
        env=os.environ | variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"http://127.0.0.1:{port}/"
        while not _answers(f"{address}_stcore/health"):
            time.sleep(0.2)
        yield address
    finally:
        server.terminate()
        server.wait(20)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def measure(browser: Browser, address: str, shown: int) -> tuple[float, float, float, int]:
    """Visit the page once; return the seconds to settle, to the details, to the neighbours, and the bytes."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.set_default_timeout(120_000)
    page = context.new_page()
    frames: list[int] = []

    def note(payload: str | bytes) -> None:
        data = payload if isinstance(payload, bytes) else payload.encode()
        if b'"digest"' in data:
            frames.append(len(data))

    page.on("websocket", lambda socket: socket.on("framereceived", note))
    started = time.perf_counter()
    page.goto(f"{address}graph?shown={shown}")
    page.wait_for_selector(".graph[data-settled]")
    settled = time.perf_counter() - started
    _idle(page)
    clicked = _click(page, shown // 10)
    _idle(page)
    expanded = _expand(page, shown // 2)
    context.close()
    return settled, clicked, expanded, frames[0] if frames else 0


def _idle(page: Page) -> None:
    page.wait_for_timeout(400)
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_timeout(400)


def _at(page: Page, rank: int) -> tuple[float, float, str]:
    host = page.locator(".graph")
    place, box = host.evaluate(_PLACE, rank), host.bounding_box()
    if place is None or box is None:
        raise RuntimeError("nothing to click on is in sight")
    return box["x"] + place["x"], box["y"] + place["y"], place["name"]


def _click(page: Page, rank: int) -> float:
    x, y, name = _at(page, rank)
    started = time.perf_counter()
    page.mouse.click(x, y)
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    return time.perf_counter() - started


def _expand(page: Page, rank: int) -> float:
    before = page.locator(".graph").get_attribute("data-settled")
    x, y, _ = _at(page, rank)
    started = time.perf_counter()
    page.mouse.dblclick(x, y)
    page.wait_for_selector(f".graph:not([data-settled='{before}'])")
    return time.perf_counter() - started


def main() -> None:
    """Measure and print the table."""
    entities = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    chromium = os.environ.get("LIGHTRAG_CHROMIUM", "/usr/bin/chromium")
    with tempfile.TemporaryDirectory() as folder:
        data_dir = Settings(data_dir=Path(folder)).data_dir
        fill(data_dir, entities)
        with app(data_dir) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            first = measure(browser, address, SHOWN[0])
            print(f"{entities:,} entities; the first visit, which makes the map: {first[0]:.1f} s\n")
            print("| shown | request to settled, s | click to details, s | double-click, s | bytes |")
            print("| --- | --- | --- | --- | --- |")
            for shown in SHOWN:
                runs = [measure(browser, address, shown) for _ in range(REPEATS)]
                settled, clicked, expanded = (statistics.median(run[n] for run in runs) for n in range(3))
                print(f"| {shown:,} | {settled:.2f} | {clicked:.2f} | {expanded:.2f} | {runs[0][3]:,} |")
            browser.close()


if __name__ == "__main__":
    main()
