"""The shell commands: index, query, status, delete, export.

Exit codes: 0 everything done; 1 the command could not be carried out (the message says why); 2 wrong usage;
3 some of the documents could not be indexed, the others were.
"""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.logging import RichHandler
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from lightrag_engine import (
    MODES,
    Answer,
    DocumentState,
    DocumentStatus,
    LightRAG,
    LightRAGError,
    QueryParam,
    Settings,
    list_workspaces,
)
from lightrag_engine.answering import plain_text
from lightrag_engine.documents import SUPPORTED
from lightrag_engine.records import IndexEvent

EXIT_FAILED = 1
EXIT_SOME_DOCUMENTS_FAILED = 3

app = typer.Typer(
    help="Index documents into an entity graph and ask questions about them.",
    epilog="Exit codes: 0 done · 1 not possible, the message says why · 2 wrong usage · "
    "3 some documents could not be indexed.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
WorkspaceOption = Annotated[str, typer.Option("--workspace", "-w", help="Name of the workspace.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
# Progress and messages go to standard error, so that standard output holds nothing but the result.
_messages = Console(stderr=True)


@app.callback()
def main(
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what the engine does.")] = False,
) -> None:
    """Index documents into an entity graph and ask questions about them."""
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING,
        format="%(message)s",
        handlers=[RichHandler(console=_messages, show_path=False)],
    )


@app.command()
def index(
    files: Annotated[list[Path], typer.Argument(help="Files, or folders whose readable files are taken.")],
    workspace: WorkspaceOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Index files: read, chunk, extract, merge, embed."""
    with _open(workspace, create=True) as rag, _bars() as bars:
        statuses = rag.insert_files(list(_expand(files)), on_event=bars.show)
    statuses = list({status.id or status.name: status for status in statuses}.values())
    if as_json:
        _print_json([_status_json(status) for status in statuses])
    else:
        _print_documents(statuses)
    if any(status.state == DocumentState.FAILED for status in statuses):
        raise typer.Exit(EXIT_SOME_DOCUMENTS_FAILED)


@app.command()
def query(
    question: Annotated[str, typer.Argument(help="The question.")],
    workspace: WorkspaceOption = "default",
    mode: Annotated[str, typer.Option(help=f"How to retrieve: {', '.join(MODES)}.")] = "hybrid",
    top_k: Annotated[
        int | None, typer.Option(help="How many entities, relations or chunks to look up.")
    ] = None,
    context: Annotated[
        bool, typer.Option("--context", help="Print the retrieved tables, no answer.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Ask a question; the answer comes with the passages it cites."""
    chosen: dict[str, Any] = {"mode": mode, "only_need_context": context}
    if top_k is not None:
        chosen["top_k"] = top_k
    try:
        QueryParam(**chosen)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    with _open(workspace) as rag:
        param = rag.query_param(**chosen)
        if as_json:
            _print_json(_answer_json(rag.query(question, param)))
            return
        stream = rag.stream(question, param)
        for piece in stream:
            typer.echo(plain_text(piece), nl=False)
        typer.echo()
        _print_citations(stream.answer)


@app.command()
def status(workspace: WorkspaceOption = "default", as_json: JsonOption = False) -> None:
    """Show what the workspace holds."""
    with _open(workspace) as rag:
        documents, counts, models = rag.documents(), rag.counts(), rag.models()
    if as_json:
        _print_json(
            {
                "workspace": rag.name,
                "models": dataclasses.asdict(models),
                "counts": dataclasses.asdict(counts),
                "documents": [_status_json(document) for document in documents],
            }
        )
        return
    typer.echo(
        f"{rag.name}: {counts.documents:,} documents · {counts.chunks:,} chunks · "
        f"{counts.entities:,} entities · {counts.relations:,} relations"
    )
    typer.echo(f"language: {models.language} ({models.language_reason})")
    typer.echo(f"embedding: {models.embedding} ({models.embedding_reason})")
    _print_documents(documents)


@app.command()
def delete(
    documents: Annotated[list[str], typer.Argument(help="Names or ids of documents.")],
    workspace: WorkspaceOption = "default",
) -> None:
    """Take documents out of the workspace, as if they had never been added."""
    with _open(workspace) as rag:
        known = rag.documents()
        for wanted in documents:
            matches = [d for d in known if wanted == d.id] or [d for d in known if wanted in d.names]
            if not matches:
                _fail(f"There is no document {wanted}.", "See the names with: status")
            if len(matches) > 1:
                ids = ", ".join(match.id for match in matches)
                _fail(f"{len(matches)} documents are called {wanted}.", f"Give one of the ids: {ids}")
            rag.delete_document(matches[0].id)
            _messages.print(f"Deleted {matches[0].name}", markup=False)


@app.command()
def export(
    path: Annotated[Path, typer.Argument(help="File to write: .graphml, .gexf, .json or .csv.")],
    workspace: WorkspaceOption = "default",
) -> None:
    """Write the graph to a file."""
    with _open(workspace) as rag:
        written = rag.export(path)
        counts = rag.counts()
    places = " and ".join(str(path) for path in written)
    _messages.print(
        f"Wrote {counts.entities:,} entities and {counts.relations:,} relations to {places}", markup=False
    )


@contextmanager
def _open(workspace: str, create: bool = False) -> Iterator[LightRAG]:
    try:
        settings = Settings()
        names = [info.name for info in list_workspaces(settings.data_dir)]
        if not create and workspace.strip() and workspace not in names:
            _fail(
                f"There is no workspace “{workspace}”.",
                f"There are: {', '.join(names)}." if names else "Make one by indexing files into it.",
            )
        with LightRAG(workspace=workspace, settings=settings) as rag:
            yield rag
    except LightRAGError as error:
        _fail(str(error), error.hint)


def _fail(message: str, hint: str) -> NoReturn:
    _messages.print(message, style="red", markup=False, highlight=False)
    if hint:
        _messages.print(hint, markup=False, highlight=False)
    raise typer.Exit(EXIT_FAILED)


def _expand(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*") if p.suffix.lower() in SUPPORTED and p.is_file())
        else:
            yield path


class _Bars:
    """A progress bar a document."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}

    def show(self, event: IndexEvent) -> None:
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
def _bars() -> Iterator[_Bars]:
    columns = (
        TextColumn("{task.fields[name]}", markup=False),
        TextColumn("{task.fields[state]}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=_messages, transient=True) as progress:
        yield _Bars(progress)


def _status_json(status: DocumentStatus) -> dict[str, Any]:
    return dataclasses.asdict(status)


def _answer_json(answer: Answer) -> dict[str, Any]:
    context = answer.context
    return {
        "question": answer.question,
        "mode": answer.mode,
        "language": answer.language,
        "answer": answer.text,
        "citations": [dataclasses.asdict(citation) for citation in answer.citations],
        "keywords": dataclasses.asdict(answer.keywords),
        "entities": [dataclasses.asdict(row) for row in context.entity_rows],
        "relations": [dataclasses.asdict(row) for row in context.relation_rows],
        "sources": [dataclasses.asdict(row) for row in context.source_rows],
        "timings": dict(answer.timings),
        "prompt_tokens": answer.prompt_tokens,
        "answer_tokens": answer.answer_tokens,
        "notes": answer.notes,
    }


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def _print_documents(documents: list[DocumentStatus]) -> None:
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
        table.add_row(*(_plain(cell) for cell in cells))
    Console().print(table)


def _plain(text: str) -> str:
    """Escape rich's markup: names of documents are data."""
    return text.replace("[", r"\[")


def _print_citations(answer: Answer) -> None:
    for citation in answer.citations:
        page = f", p. {citation.page}" if citation.page else ""
        typer.echo(f"\n[{citation.number}] {citation.document}{page}")
        for sentence in citation.sentences:
            typer.echo(f"    {' '.join(sentence.split())}")
    for note in answer.notes:
        _messages.print(note, style="yellow", markup=False)
