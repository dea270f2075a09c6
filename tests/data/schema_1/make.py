"""How workspace.sql was made, with the program whose newest schema was 1:

    PYTHONPATH=.:tests python tests/data/schema_1/make.py

Not to be run again: a later program writes a later schema.
"""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from pathlib import Path

from doubles import HashEmbedding, ScriptedLanguage

from lightrag_engine import LightRAG, Settings, Upload
from lightrag_engine.storage.schema import MIGRATIONS

TEXTS = {
    "ferry.txt": "Mara Quill founded the Brindle Valley Ferry. Tobias Renn met Mara Quill.",
    "渡轮.txt": "Tobias Renn built the Heron for Mara Quill in Port Ansel.",
}


def main() -> None:
    """Index two documents with the scripted models and write the database down as SQL."""
    assert len(MIGRATIONS) == 1, "this program writes a later schema"
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder))
        with LightRAG("old", settings, language=ScriptedLanguage(), embedding=HashEmbedding()) as rag:
            rag.insert_files([Upload(name, text.encode()) for name, text in TEXTS.items()])
        (database,) = Path(folder).glob("*/workspace.db")
        with contextlib.closing(sqlite3.connect(database)) as connection:
            lines = [*connection.iterdump(), "PRAGMA user_version = 1;"]
    (Path(__file__).parent / "workspace.sql").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
