"""Sets of questions whose supporting passages are known, and the workspace that holds the passages.

A set is a folder with ``corpus.jsonl`` (``id``, ``title``, ``text``) and ``questions.jsonl`` (``question``;
``supporting`` with passage ids, or ``supporting_titles``; ``answer`` and ``aliases`` where there are any).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from lightrag_engine import LightRAG, Settings
from lightrag_engine.documents import document_id
from lightrag_engine.embedding.builtin import BuiltinEmbedding
from lightrag_engine.language.builtin import BuiltinLanguage
from lightrag_engine.names import content_id
from lightrag_engine.records import DocumentState, IndexEvent
from lightrag_engine.uploads import Upload

SAMPLES = Path(__file__).parent / "data"
CACHE = Path(__file__).parent / ".cache"
# Every third question is held back: constants are chosen on the others only.
_HELD_BACK = 3


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage, indexed as a document of its own that is named after its title."""

    id: str
    title: str
    text: str

    @property
    def upload(self) -> Upload:
        """The passage as a file; a slash in its name would be taken for a folder."""
        return Upload.from_text(self.text, f"{self.title.replace('/', ' ')}.txt")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the ids of the passages that answer it, and the answers that are right."""

    text: str
    supporting: frozenset[str]
    answers: tuple[str, ...] = ()
    held_back: bool = False


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Passages and questions about them."""

    name: str
    passages: tuple[Passage, ...]
    questions: tuple[Question, ...]


def find_sets(folder: Path) -> list[QuestionSet]:
    """Return the sets in a folder: itself, or those in the folders in it.

    Raises
    ------
    SystemExit
        When there is none.
    """
    places = [folder, *sorted(folder.glob("*/"))]
    found = [place for place in places if all((place / name).is_file() for name in _FILES)]
    if not found:
        sys.exit(f"No question set in {folder}: a folder with {' and '.join(_FILES)} is needed.")
    return [read_set(place) for place in found]


_FILES = ("corpus.jsonl", "questions.jsonl")


def read_set(folder: Path) -> QuestionSet:
    """Read a set from its two files."""
    passages = tuple(Passage(row["id"], row["title"], row["text"]) for row in _rows(folder / _FILES[0]))
    by_title: dict[str, list[str]] = {}
    for passage in passages:
        by_title.setdefault(passage.title, []).append(passage.id)
    questions = tuple(
        Question(
            text=row["question"],
            supporting=frozenset(row.get("supporting") or _of_titles(row, by_title)),
            answers=tuple(a for a in (row.get("answer", ""), *row.get("aliases", ())) if a),
            held_back=number % _HELD_BACK == _HELD_BACK - 1,
        )
        for number, row in enumerate(_rows(folder / _FILES[1]))
    )
    return QuestionSet(folder.name, passages, questions)


def _of_titles(row: dict[str, Any], by_title: dict[str, list[str]]) -> list[str]:
    return [id_ for title in row["supporting_titles"] for id_ in by_title[title]]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


@contextmanager
def indexed(passages: Sequence[Passage], console: Console) -> Iterator[LightRAG]:
    """Open a workspace in which the passages are indexed with the built-in models.

    It is made once and kept in `CACHE`, under a key of what the passages say and how they are read.
    """
    settings = Settings(data_dir=CACHE, language_model="builtin", embedding_model="builtin")
    reading = (BuiltinLanguage(settings).fingerprint, BuiltinEmbedding.name)
    contents = (part for passage in passages for part in (passage.title, passage.text))
    with LightRAG(content_id("index", *reading, *contents), settings) as rag:
        uploads = {document_id(p.upload.data): p.upload for p in passages}
        have = {status.id for status in rag.documents() if status.state == DocumentState.DONE}
        if missing := [upload for id_, upload in uploads.items() if id_ not in have]:
            with Progress(console=console, transient=True) as progress:
                task = progress.add_task("Indexing (once)", total=len(uploads))

                def show(event: IndexEvent) -> None:
                    if event.status.state in (DocumentState.DONE, DocumentState.PROBLEMS):
                        have.add(event.status.id)
                        progress.update(task, completed=len(have))

                rag.insert_files(missing, on_event=show)
        yield rag
