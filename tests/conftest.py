"""Factories that every test may use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from doubles import HashEmbedding, ScriptedLanguage
from hypothesis import settings as hypothesis_settings
from ollama_double import ChatDouble, EmbedDouble, OllamaDouble, broken, sloppy, well_behaved
from served import Open

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


@pytest.fixture
def server() -> Iterator[OllamaDouble]:
    """A double of the server with chat models of several kinds and two embedding models."""
    models = [
        ChatDouble(name="good", script=well_behaved),
        ChatDouble(name="sloppy", script=sloppy),
        ChatDouble(name="broken", script=broken),
        EmbedDouble(name="embed", dimensions=32),
        EmbedDouble(name="other-embed", dimensions=48),
    ]
    with OllamaDouble(models) as double:
        yield double


@pytest.fixture
def open_rag(tmp_path: Path, server: OllamaDouble) -> Iterator[Open]:
    """Open workspaces that use the double's models; all are closed at the end."""
    opened: list[LightRAG] = []

    def open_(workspace: str = "w", **settings: object) -> LightRAG:
        rag = LightRAG(
            workspace,
            Settings(
                **{
                    "data_dir": tmp_path,
                    "ollama_host": server.address,
                    "server_retry_seconds": 0.1,
                    **settings,
                }
            ),
        )
        opened.append(rag)
        return rag

    yield open_
    for rag in opened:
        rag.close()
