"""The shell commands that manage workspaces: list, create, rename, duplicate, delete, export, import."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from lightrag_engine.settings import Settings
from lightrag_engine.shell import JsonOption, fail, failures, messages, plain, print_json
from lightrag_engine.storage.snapshot import Progress as OnProgress
from lightrag_engine.workspaces import WorkspaceInfo, Workspaces

commands = typer.Typer(
    help="Manage workspaces: the collections of documents, each with its own graph.",
    no_args_is_help=True,
)
Name = Annotated[str, typer.Argument(help="Name of the workspace.")]


@commands.command("list")
def list_(as_json: JsonOption = False) -> None:
    """Show all workspaces with their documents and sizes."""
    with failures():
        found = _workspaces().all()
    if as_json:
        print_json([_json(info) for info in found])
        return
    table = Table("workspace", "documents", "database", "vectors", "files")
    for info in found:
        documents = "damaged" if info.documents is None else f"{info.documents:,}"
        sizes = (f"{size / 1e6:,.1f} MB" for size in (info.database, info.vectors, info.originals))
        table.add_row(plain(info.name), documents, *sizes)
    Console().print(table)


@commands.command()
def create(name: Name) -> None:
    """Make an empty workspace."""
    with failures():
        _say("Made", _workspaces().create(name))


@commands.command()
def rename(name: Name, new_name: Annotated[str, typer.Argument(help="Its new name.")]) -> None:
    """Give a workspace another name."""
    with failures():
        _say("It is called", _workspaces().rename(name, new_name))


@commands.command()
def duplicate(
    name: Name,
    new_name: Annotated[str, typer.Argument(help="Name of the copy; without one: NAME (2).")] = "",
) -> None:
    """Copy a workspace."""
    with failures(), _bar() as show:
        info = _workspaces().duplicate(name, new_name, on_progress=show)
    _say("Made", info)


@commands.command()
def delete(name: Name, yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False) -> None:
    """Remove a workspace with all its documents."""
    with failures():
        workspaces = _workspaces()
        info = workspaces.get(name)
        if not yes:
            if not sys.stdin.isatty():
                fail(f"“{info.name}” was not deleted: nobody can be asked.", "Say --yes to delete it.")
            held = "an unknown number of" if info.documents is None else f"{info.documents:,}"
            typer.confirm(f"Delete “{info.name}” with {held} documents for good?", abort=True, err=True)
        workspaces.delete(info.name)
    messages.print(f"Deleted “{info.name}”", markup=False)


@commands.command()
def export(
    name: Name, path: Annotated[Path, typer.Argument(help="Archive to write, such as x.zip.")]
) -> None:
    """Write a workspace to one archive file, to be imported elsewhere."""
    with failures(), _bar() as show:
        written = _workspaces().export(name, path, on_progress=show)
    messages.print(f"Wrote {written} ({written.stat().st_size / 1e6:,.1f} MB)", markup=False)


@commands.command("import")
def import_(
    path: Annotated[Path, typer.Argument(help="Archive that was made by export.")],
    name: Annotated[str, typer.Option(help="Name of the workspace; without one: as in the archive.")] = "",
) -> None:
    """Make a workspace of an archive; nothing is read or embedded again."""
    with failures(), _bar() as show:
        info = _workspaces().import_archive(path, name, on_progress=show)
    _say("Made", info)


def _workspaces() -> Workspaces:
    return Workspaces(Settings().data_dir)


def _say(what: str, info: WorkspaceInfo) -> None:
    messages.print(f"{what} “{info.name}”", markup=False)


def _json(info: WorkspaceInfo) -> dict[str, Any]:
    return {
        "name": info.name,
        "folder": str(info.folder),
        "documents": info.documents,
        "database": info.database,
        "vectors": info.vectors,
        "originals": info.originals,
        "changed": info.changed,
    }


@contextmanager
def _bar() -> Iterator[OnProgress]:
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=messages, transient=True) as progress:
        task = progress.add_task("", total=None)

        def show(what: str, done: int, total: int) -> None:
            progress.update(task, description=what, completed=done, total=total)

        yield show
