"""Factories that every test may use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from doubles import HashEmbedding, ScriptedLanguage
from hypothesis import settings as hypothesis_settings

from lightrag_engine import LightRAG, Settings

# Machines are noisy: how long an example takes says nothing about whether it is right. On CI the examples are
# the same each time, so that a change is judged by itself; elsewhere they are new ones.
hypothesis_settings.register_profile("lightrag", deadline=None, derandomize="CI" in os.environ)
hypothesis_settings.load_profile("lightrag")

# A test server shares the machine with all other tests: it may take longer to answer than one of a person.
os.environ.setdefault("LIGHTRAG_SERVER_CONNECT_TIMEOUT", "20")

MakeRag = Callable[..., LightRAG]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run browser tests last: Playwright keeps an event loop in the main thread until the end."""
    items.sort(key=lambda item: "browser" in item.path.parts)


@pytest.fixture
def make_rag(tmp_path: Path) -> Iterator[MakeRag]:
    """Open workspaces with scripted models; all are closed at the end."""
    opened: list[LightRAG] = []

    def make(
        workspace: str = "test", language: Any = None, embedding: Any = None, **settings: Any
    ) -> LightRAG:
        settings.setdefault("data_dir", tmp_path)
        settings.setdefault("chunk_retry_seconds", 0.01)
        rag = LightRAG(
            workspace,
            Settings(**settings),
            language=language or ScriptedLanguage(),
            embedding=embedding or HashEmbedding(),
        )
        opened.append(rag)
        return rag

    yield make
    for rag in opened:
        rag.close()


@pytest.fixture
def rag(make_rag: MakeRag) -> LightRAG:
    """An empty workspace with scripted models."""
    return make_rag()
