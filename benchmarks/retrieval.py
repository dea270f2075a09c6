"""How often are the passages that answer a question among the first that are retrieved?

    python -m benchmarks.retrieval [FOLDER] [--reference]

Recall@k of the supporting passages, for plain BM25 and for every mode, with the built-in language and
embeddings and default settings. FOLDER holds question sets (see `benchmarks.question_sets`); by default the
small samples in ``benchmarks/data``. Every third question is held back: constants were chosen on the others.
``--reference`` adds the modes of lightrag-hku on the same graph and vectors (see `benchmarks.reference`).
"""

from __future__ import annotations

import argparse
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.question_sets import SAMPLES, Passage, Question, QuestionSet, find_sets, indexed
from lightrag_engine import MODES, LightRAG, QueryParam
from lightrag_engine.documents import document_id

DEPTHS = (2, 5, 10)
Search = Callable[[str], Sequence[str]]


@dataclass
class Score:
    """Recall of every question at every depth, and the seconds of the searches."""

    chosen: list[dict[int, float]] = field(default_factory=list)
    held_back: list[dict[int, float]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, question: Question, found: Sequence[str], seconds: float = 0.0) -> None:
        """Count how many supporting passages are among the first; `found` holds each passage once."""
        recall = {
            k: len(question.supporting.intersection(found[:k])) / len(question.supporting) for k in DEPTHS
        }
        (self.held_back if question.held_back else self.chosen).append(recall)
        self.seconds.append(seconds)

    def cells(self) -> list[str]:
        """Return recall at every depth over all questions, then at 5 on both parts, then milliseconds."""
        every = [*self.chosen, *self.held_back]
        values = [fmean(row[k] for row in every) for k in DEPTHS]
        values += [fmean(row[5] for row in part) if part else 0.0 for part in (self.chosen, self.held_back)]
        return [*(f"{value:.3f}" for value in values), f"{1000 * fmean(self.seconds):.0f}"]


def bm25(passages: Iterable[Passage]) -> Search:
    """Return plain BM25 over title and text: SQLite's full-text search with its Porter stemmer."""
    database = sqlite3.connect(":memory:")
    columns = "id UNINDEXED, title, text, tokenize = 'porter unicode61'"
    database.execute(f"CREATE VIRTUAL TABLE passages USING fts5 ({columns})")
    database.executemany("INSERT INTO passages VALUES (?, ?, ?)", [(p.id, p.title, p.text) for p in passages])

    def search(question: str) -> list[str]:
        words = "".join(c if c.isalnum() else " " for c in question).split()
        wanted = " OR ".join(f'"{word}"' for word in words)
        sql = "SELECT id FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT 20"
        return [id_ for (id_,) in database.execute(sql, [wanted])]

    return search


def passages_by_document(passages: Iterable[Passage]) -> dict[str, list[str]]:
    """Return the passages of every document: those with the same text are one."""
    by_document: dict[str, list[str]] = {}
    for passage in passages:
        by_document.setdefault(document_id(passage.upload.data), []).append(passage.id)
    return by_document


def passages_of(rag: LightRAG, passages: Sequence[Passage], mode: str) -> Search:
    """Return the retrieval of a mode: the sources table of a question, as passage ids."""
    by_document = passages_by_document(passages)

    def search(question: str) -> list[str]:
        context = rag.query(question, QueryParam(mode=mode, only_need_context=True)).context
        documents = dict.fromkeys(row.document_id for row in context.source_rows)
        return [id_ for document in documents for id_ in by_document[document]]

    return search


def measured(questions: Sequence[Question], search: Search, label: str, console: Console) -> Score:
    """Ask all questions."""
    score = Score()
    for question in track(questions, label, console=console, transient=True):
        started = time.perf_counter()
        found = search(question.text)
        score.add(question, found, time.perf_counter() - started)
    return score


def scores(data: QuestionSet, console: Console, reference: bool) -> dict[str, Score]:
    """Return the score of every way to find passages, by its name."""
    found = {"BM25 alone": measured(data.questions, bm25(data.passages), "BM25", console)}
    with indexed(data.passages, console) as rag:
        for mode in MODES:
            found[mode] = measured(data.questions, passages_of(rag, data.passages, mode), mode, console)
        if reference:
            # Only on demand: it sets up a virtual environment of its own.
            from benchmarks.reference import reference_rankings

            ids = passages_by_document(data.passages)
            for name, rankings in reference_rankings(rag, data, console).items():
                found[name] = Score()
                for question, (documents, seconds) in zip(data.questions, rankings, strict=True):
                    found[name].add(question, [i for d in documents for i in ids[d]], seconds)
    return found


def main() -> None:
    """Print a table for every question set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=SAMPLES, help="folder of question sets")
    parser.add_argument("--reference", action="store_true", help="measure lightrag-hku as well")
    arguments = parser.parse_args()
    console = Console()
    for data in find_sets(arguments.folder):
        title = f"{data.name}: {len(data.questions)} questions, {len(data.passages):,} passages"
        columns = [*(f"recall@{k}" for k in DEPTHS), "@5 chosen on", "@5 held back", "ms"]
        table = Table("found by", *columns, title=title, title_justify="left")
        for name, score in scores(data, console, arguments.reference).items():
            table.add_row(name, *score.cells())
        console.print(table)


if __name__ == "__main__":
    main()
