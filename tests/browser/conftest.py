"""The real app in a server of its own, and a real browser that notes whatever it asks for."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser.screens import SCREENS
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
OWN_SCHEMES = ("data:", "blob:")

StartApp = Callable[..., str]


@pytest.fixture(autouse=True)
def _patience() -> Iterator[None]:
    """Wait longer for what is to be seen: the machine may be busy."""
    expect.set_options(timeout=30_000)
    yield
    expect.set_options(timeout=5_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium; without it the test is skipped, or fails when LIGHTRAG_BROWSER_TESTS is 1."""
    path = os.environ.get("LIGHTRAG_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        reason = (
            "Chromium was not found. Install it (Debian: apt install chromium) or name it in "
            "LIGHTRAG_CHROMIUM; with LIGHTRAG_BROWSER_TESTS=1 a missing browser is a failure."
        )
        if os.environ.get("LIGHTRAG_BROWSER_TESTS") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        # Chromium's own sandbox needs rights that containers rarely give; the page is ours.
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def start_app(tmp_path: Path) -> Iterator[StartApp]:
    """Start the app on a data folder and return its address; stopped after the test.

    Variables given by name go before those of every test; an empty one counts as not set.
    """
    servers: list[subprocess.Popen[bytes]] = []

    def start(folder: Path, **variables: str) -> str:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with (tmp_path / "server.log").open("wb") as log:
            server = subprocess.Popen(
                [
                    *(sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")),
                    *("--server.port", str(port), "--server.headless", "true"),
                ],
                cwd=ROOT,
                env=os.environ
                | {
                    "LIGHTRAG_DATA_DIR": str(folder),
                    "LIGHTRAG_LANGUAGE_MODEL": "builtin",
                    "LIGHTRAG_EMBEDDING_MODEL": "builtin",
                }
                | variables,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        servers.append(server)
        address = f"http://127.0.0.1:{port}/"
        until = time.monotonic() + 60
        while not _answers(address):
            assert server.poll() is None, (tmp_path / "server.log").read_text()
            assert time.monotonic() < until, "the app did not start within a minute"
            time.sleep(0.2)
        return address

    yield start
    for server in servers:
        server.terminate()
        server.wait(20)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}_stcore/health", timeout=2) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


class Watched:
    """A page, and everything that went wrong or went out while it was used."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.outside: list[str] = []
        self.problems: list[str] = []
        own = (address, address.replace("http:", "ws:"), *OWN_SCHEMES)
        page.on("request", lambda r: None if r.url.startswith(own) else self.outside.append(r.url))
        page.on("websocket", lambda w: None if w.url.startswith(own) else self.outside.append(w.url))
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("dialog", self._dismiss)

    def _note(self, message: ConsoleMessage) -> None:
        # Opened at an inner page, Streamlit's own script looks for its server below that page first.
        probing = message.location["url"].endswith(("/_stcore/health", "/_stcore/host-config"))
        if message.type == "error" and not probing:
            self.problems.append(message.text)

    def _dismiss(self, dialog: Dialog) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def assert_clean(self) -> None:
        """Nothing was asked of any other address, and the console has no error."""
        assert self.outside == []
        assert self.problems == []


Visit = Callable[[str], Watched]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Open an address in a fresh browser context."""
    contexts = []

    def open_(address: str) -> Watched:
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        context.set_default_timeout(60_000)
        contexts.append(context)
        watched = Watched(context.new_page(), address)
        watched.page.goto(address)
        # The first visit loads the engine: the screens are there before, the heading after.
        expect(watched.page.get_by_test_id("stSidebarNavLink")).to_have_count(SCREENS, timeout=60_000)
        expect(watched.page.locator("h1").first).to_be_visible(timeout=60_000)
        return watched

    yield open_
    for context in contexts:
        context.close()
