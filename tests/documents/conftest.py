from collections.abc import Callable
from pathlib import Path

import pytest

from lightrag_engine import documents
from lightrag_engine.records import Document
from lightrag_engine.settings import Settings

FILES = Path(__file__).parents[1] / "data" / "documents"


@pytest.fixture
def settings() -> Settings:
    return Settings()


@pytest.fixture
def read_file(settings: Settings) -> Callable[[str], Document]:
    """Read a file of tests/data/documents as an upload."""

    def read(name: str) -> Document:
        return documents.read(name, (FILES / name).read_bytes(), settings)

    return read
