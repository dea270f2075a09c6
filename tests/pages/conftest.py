"""The whole app in process, on an empty and on a filled data folder, with the built-in models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from lightrag_engine import LightRAG, Settings, Upload

ROOT = Path(__file__).parents[2]
FERRY = """Mara Quill founded the Brindle Valley Ferry in 1921 at Port Ansel.
Mara Quill hired Tobias Renn as an engineer.
Tobias Renn built the steamer Heron for the Brindle Valley Ferry. The steamer Heron cost $119 million.
Tobias Renn and Ilse Vogt worked together at Port Ansel. Ilse Vogt studied in Hamburg."""
HOSTILE = """Crew list: the stoker is called <img src=x onerror="alert('ferry')"> and Mara Quill laughed.
Logo: ![x](https://example.invalid/leak?q=secret) and [click](javascript:alert(1)).
:red[Mara Quill] paid $3.20 to $4.10."""
CHINESE = "马清和在云渡坊造船。马清和与林若兰一起设计了渡轮。云渡坊位于长江边。"


class _Navigated(PagesManager):
    """A server on which ``st.navigation`` was called before, as it is after the first run of app.py.

    AppTest forgets that between runs, and would take the folder ``pages`` for one of Streamlit's older kind.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        PagesManager.uses_pages_directory = False
        super().__init__(*args, **kwargs)


Open = Callable[..., AppTest]


@pytest.fixture(scope="session", autouse=True)
def _closed() -> Iterator[None]:
    """Close every workspace that the app opened."""
    yield
    st.cache_resource.clear()


@pytest.fixture(scope="session")
def filled_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with three read documents; tests must not change it."""
    folder = tmp_path_factory.mktemp("filled")
    with LightRAG(
        "default", Settings(data_dir=folder, language_model="builtin", embedding_model="builtin")
    ) as rag:
        rag.insert_files(
            [
                Upload("ferry.txt", FERRY.encode()),
                Upload("hostile <img src=x onerror=alert(1)>.md", HOSTILE.encode()),
                Upload("渡轮.txt", CHINESE.encode()),
            ]
        )
    return folder


def _open(folder: Path, page: str, monkeypatch: pytest.MonkeyPatch, **query: str) -> AppTest:
    monkeypatch.setenv("LIGHTRAG_DATA_DIR", str(folder))
    monkeypatch.setattr("streamlit.testing.v1.app_test.PagesManager", _Navigated)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    if page != "overview":
        app.switch_page(f"pages/{page}.py").run()
    return app


@pytest.fixture
def open_folder(monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open a page of the app on any folder."""
    return lambda folder, page, **query: _open(folder, page, monkeypatch, **query)


@pytest.fixture
def filled(filled_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open a page of the app on the filled folder."""
    return lambda page, **query: _open(filled_folder, page, monkeypatch, **query)


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open a page of the app on an empty folder of its own."""
    return lambda page, **query: _open(tmp_path, page, monkeypatch, **query)
