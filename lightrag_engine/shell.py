"""What the shell commands share: opening a workspace, messages, progress, tables."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from lightrag_engine import DocumentState, DocumentStatus, LightRAG, LightRAGError, Settings, Workspaces
from lightrag_engine.records import IndexEvent

EXIT_FAILED = 1
EXIT_SOME_DOCUMENTS_FAILED = 3
EXIT_UNSOUND = 4

WorkspaceOption = Annotated[str, typer.Option("--workspace", "-w", help="Name of the workspace.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
_IN_THE_INDEX = (DocumentState.DONE, DocumentState.PROBLEMS)
# Progress and messages go to standard error, so that standard output holds nothing but the result.
messages = Console(stderr=True)


@contextmanager
def open_workspace(workspace: str, create: bool = False) -> Iterator[LightRAG]:
    """Open a workspace for a block; an error of the engine ends the command with its message."""
    with failures():
        settings = Settings()
        if not create:
            Workspaces(settings.data_dir).get(workspace)
        with LightRAG(workspace=workspace, settings=settings) as rag:
            yield rag


@contextmanager
def failures() -> Iterator[None]:
    """End the command with the message of an error that is meant for a person."""
    try:
        yield
    except LightRAGError as error:
        fail(str(error), error.hint)


def fail(message: str, hint: str) -> NoReturn:
    """End the command with a message and what to do."""
    messages.print(message, style="red", markup=False, highlight=False)
    if hint:
        messages.print(hint, markup=False, highlight=False)
    raise typer.Exit(EXIT_FAILED)


class Bars:
    """A progress bar a document."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}

    def show(self, event: IndexEvent) -> None:
        """Show a step."""
        status = event.status
        if status.id not in self._tasks:
            self._tasks[status.id] = self._progress.add_task("", total=None, name="", state="")
        self._progress.update(
            self._tasks[status.id],
            # Once done the bar is full, whatever it counted last.
            total=(status.steps or None) if status.state.active else 1,
            completed=status.steps_done if status.state.active else 1,
            name=status.name[:40],
            state=str(status.state),
        )


@contextmanager
def bars() -> Iterator[Bars]:
    """Show progress for a block."""
    columns = (
        TextColumn("{task.fields[name]}", markup=False),
        TextColumn("{task.fields[state]}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=messages, transient=True) as progress:
        yield Bars(progress)


def status_json(status: DocumentStatus) -> dict[str, Any]:
    """Return a status for JSON."""
    return dataclasses.asdict(status)


def print_json(value: Any) -> None:
    """Print JSON to standard output."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_documents(documents: Sequence[DocumentStatus]) -> None:
    """Print a table of documents."""
    if not documents:
        return
    table = Table("document", "state", "chunks", "entities", "relations", "time", "problem")
    for document in documents:
        problem = " ".join(part for part in (document.error, document.hint, *document.warnings) if part)
        cells = (
            document.name,
            str(document.state),
            f"{document.chunks:,}",
            f"{document.entities:,}",
            f"{document.relations:,}",
            f"{document.seconds:.1f} s",
            problem,
        )
        table.add_row(*(plain(cell) for cell in cells))
    Console().print(table)


def plain(text: str) -> Text:
    """Return a cell that shows a text as it is: names are data, and never rich's markup."""
    return Text(text)


def report(documents: Sequence[DocumentStatus], as_json: bool) -> None:
    """Print documents; the exit code says when some of them are not in the index."""
    if as_json:
        print_json([status_json(status) for status in documents])
    else:
        print_documents(documents)
    if any(status.state.active for status in documents):
        messages.print("The queue is paused: let it go on with: resume", markup=False)
    if any(status.state not in _IN_THE_INDEX for status in documents):
        raise typer.Exit(EXIT_SOME_DOCUMENTS_FAILED)


def find(rag: LightRAG, wanted: str) -> DocumentStatus:
    """Return the document with this id or name; ends the command when there is none, or several."""
    known = rag.documents()
    matches = (
        [d for d in known if wanted == d.id]
        or [d for d in known if wanted == d.name]
        or [d for d in known if wanted in d.names]
    )
    if not matches:
        fail(f"There is no document {wanted}.", "See the names with: status")
    if len(matches) > 1:
        ids = ", ".join(match.id for match in matches)
        fail(f"{len(matches)} documents are called {wanted}.", f"Give one of the ids: {ids}")
    return matches[0]
