"""The shell commands: index, import-graph, query, status, delete, export, check; and those of `cli_…`.

Exit codes: 0 everything done; 1 the command could not be carried out (the message says why); 2 wrong usage;
3 some of the documents could not be indexed, the others were; 4 a check found something that is not repaired.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.logging import RichHandler

from lightrag_engine import MODES, Answer, CheckReport, Problem, QueryParam
from lightrag_engine.answering import plain_text
from lightrag_engine.cli_documents import commands as document_commands
from lightrag_engine.cli_evaluation import commands as evaluation_commands
from lightrag_engine.cli_graph import commands as graph_commands
from lightrag_engine.cli_models import commands as model_commands
from lightrag_engine.cli_workspaces import commands as workspace_commands
from lightrag_engine.conversations import answer_value
from lightrag_engine.documents import SUPPORTED
from lightrag_engine.shell import (
    EXIT_UNSOUND,
    JsonOption,
    WorkspaceOption,
    bars,
    find,
    messages,
    open_workspace,
    print_documents,
    print_json,
    report,
    status_json,
)
from lightrag_engine.taking_in import SameName

_NAMED = 5  # files that are left out, by name; of more only the number is said

app = typer.Typer(
    help="Index documents into an entity graph and ask questions about them.",
    epilog="Exit codes: 0 done · 1 not possible, the message says why · 2 wrong usage · "
    "3 some documents could not be indexed · 4 a check found something that is not repaired.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(document_commands)
app.add_typer(graph_commands)
app.add_typer(model_commands)
app.add_typer(workspace_commands, name="workspaces")
app.add_typer(evaluation_commands)


@app.callback()
def main(
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what the engine does.")] = False,
) -> None:
    """Index documents into an entity graph and ask questions about them."""
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING,
        format="%(message)s",
        handlers=[RichHandler(console=messages, show_path=False)],
    )


@app.command()
def index(
    files: Annotated[
        list[Path],
        typer.Argument(help=f"Files, or folders whose readable files are taken ({' '.join(SUPPORTED)})."),
    ],
    workspace: WorkspaceOption = "default",
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Put a file in the place of the document that has its name."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Index files: read, chunk, extract, merge, embed."""
    same_name: SameName = "replace" if replace else "keep"
    with open_workspace(workspace, create=True) as rag, bars() as progress:
        statuses = rag.insert_files(list(_expand(files)), on_event=progress.show, same_name=same_name)
    report(list({status.id or status.name: status for status in statuses}.values()), as_json)


@app.command("import-graph")
def import_graph(
    relations: Annotated[Path, typer.Argument(help="CSV table of relations: source, target …")],
    entities: Annotated[
        Path | None, typer.Option("--entities", "-e", help="CSV table of entities: name, type, description.")
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the document it becomes.")] = "",
    workspace: WorkspaceOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Take in a graph that comes as CSV tables: of relations and, if there is one, of entities."""
    with open_workspace(workspace, create=True) as rag:
        status = rag.import_graph(relations, entities, name)
    report([status], as_json)


@app.command()
def query(
    question: Annotated[str, typer.Argument(help="The question.")],
    workspace: WorkspaceOption = "default",
    mode: Annotated[str, typer.Option(help=f"How to retrieve: {', '.join(MODES)}.")] = "mix",
    top_k: Annotated[
        int | None, typer.Option(help="How many entities, relations or chunks to look up.")
    ] = None,
    document: Annotated[
        list[str] | None,
        typer.Option(
            "--document", "-d", help="Only what stands in this document, by name or id; repeatable."
        ),
    ] = None,
    entity_type: Annotated[
        list[str] | None,
        typer.Option("--type", help="Only entities of this type, and where they occur; repeatable."),
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
    with open_workspace(workspace) as rag:
        scope = tuple(find(rag, name).id for name in document or ())
        param = rag.query_param(**chosen, documents=scope, entity_types=tuple(entity_type or ()))
        if as_json:
            print_json(answer_value(rag.query(question, param)))
            return
        stream = rag.stream(question, param)
        for piece in stream:
            typer.echo(plain_text(piece), nl=False)
        typer.echo()
        _print_citations(stream.answer)


@app.command()
def status(workspace: WorkspaceOption = "default", as_json: JsonOption = False) -> None:
    """Show what the workspace holds."""
    with open_workspace(workspace) as rag:
        documents, counts, models = rag.documents(), rag.counts(), rag.models()
    if as_json:
        print_json(
            {
                "workspace": rag.name,
                "models": dataclasses.asdict(models),
                "counts": dataclasses.asdict(counts),
                "documents": [status_json(document) for document in documents],
            }
        )
        return
    typer.echo(
        f"{rag.name}: {counts.documents:,} documents · {counts.chunks:,} chunks · "
        f"{counts.entities:,} entities · {counts.relations:,} relations"
    )
    typer.echo(f"language: {models.language} ({models.language_reason})")
    typer.echo(f"embedding: {models.embedding} ({models.embedding_reason})")
    print_documents(documents)


@app.command()
def delete(
    documents: Annotated[list[str], typer.Argument(help="Names or ids of documents.")],
    workspace: WorkspaceOption = "default",
) -> None:
    """Take documents out of the workspace, as if they had never been added."""
    with open_workspace(workspace) as rag:
        for wanted in documents:
            found = find(rag, wanted)
            note = rag.delete_document(found.id)
            messages.print(f"Deleted {found.name}", markup=False)
            if note:
                messages.print(note, style="yellow", markup=False)


@app.command()
def export(
    path: Annotated[Path, typer.Argument(help="File to write: .graphml, .gexf, .json or .csv.")],
    workspace: WorkspaceOption = "default",
) -> None:
    """Write the graph to a file."""
    with open_workspace(workspace) as rag:
        written = rag.export(path)
        counts = rag.counts()
    places = " and ".join(str(path) for path in written)
    messages.print(
        f"Wrote {counts.entities:,} entities and {counts.relations:,} relations to {places}", markup=False
    )


@app.command()
def check(
    workspace: WorkspaceOption = "default",
    repair: Annotated[bool, typer.Option("--repair", help="Put right what can be.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare everything that a workspace keeps. Exit code 4: something is wrong, and stays so."""
    with open_workspace(workspace) as rag:
        opening = rag.opening_check
        result = rag.check(repair=repair)
        # What opening it has put right was wrong when the command was given.
        problems = (*(opening.problems if opening else ()), *result.problems)
    if as_json:
        print_json(
            {
                "sound": not problems,
                "repaired": all(problem.repaired for problem in problems),
                "problems": [dataclasses.asdict(problem) for problem in problems],
                "checked": dict(result.checked),
                "seconds": result.seconds,
            }
        )
    else:
        _print_report(problems, result)
    if not all(problem.repaired for problem in problems):
        raise typer.Exit(EXIT_UNSOUND)


def _print_report(problems: tuple[Problem, ...], report: CheckReport) -> None:
    typer.echo("Checked: " + " · ".join(f"{number:,} {name}" for name, number in report.checked))
    for problem in problems:
        typer.echo(f"{problem}")
        for example in problem.examples:
            typer.echo(f"    {plain_text(example)}")
    if not problems:
        typer.echo("Everything is as it should be.")
    elif not all(problem.repaired for problem in problems):
        messages.print("Put it right with: check --repair", markup=False)


def _expand(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            found = sorted(p for p in path.rglob("*") if p.is_file())
            yield from (p for p in found if p.suffix.lower() in SUPPORTED)
            _print_left_out(path, [p for p in found if p.suffix.lower() not in SUPPORTED])
        else:
            yield path


def _print_left_out(folder: Path, files: list[Path]) -> None:
    # Else they would be taken for indexed; hidden files and folders are nobody's documents.
    names = [str(name) for file in files if not str(name := file.relative_to(folder)).startswith(".")]
    if names:
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        listed = ", ".join(names[:_NAMED]) + more
        messages.print(f"Left out of {folder}, not of a format that is read: {listed}", markup=False)


def _print_citations(answer: Answer) -> None:
    for citation in answer.citations:
        page = f", p. {citation.page}" if citation.page else ""
        typer.echo(f"\n[{citation.number}] {citation.document}{page}")
        for sentence in citation.sentences:
            typer.echo(f"    {' '.join(sentence.split())}")
    for note in answer.notes:
        messages.print(note, style="yellow", markup=False)
