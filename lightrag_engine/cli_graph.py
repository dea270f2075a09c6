"""The shell commands that put the graph right: duplicates, merge, undo."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from lightrag_engine.shell import JsonOption, WorkspaceOption, messages, open_workspace, plain, print_json

commands = typer.Typer()


@commands.command()
def duplicates(
    workspace: WorkspaceOption = "default",
    limit: Annotated[int, typer.Option(min=1, help="The most pairs to list.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """List entities that may be one and the same, most likely first."""
    with open_workspace(workspace) as rag, messages.status("Comparing entities …"):
        found = rag.suggest_duplicates(limit)
    if as_json:
        print_json([dataclasses.asdict(duplicate) for duplicate in found])
        return
    if not found:
        messages.print("No two entities look like one.", markup=False)
        return
    table = Table("entity", "may be", "score", "because")
    for pair in found:
        table.add_row(*map(plain, (*pair.names, f"{pair.score:.2f}", "; ".join(pair.reasons))))
    Console().print(table)


@commands.command()
def merge(
    entities: Annotated[list[str], typer.Argument(help="Names of entities that are the same as --into.")],
    into: Annotated[str, typer.Option(help="Name of the entity that they become part of.")],
    workspace: WorkspaceOption = "default",
    name: Annotated[str | None, typer.Option(help="Name to show from then on.")] = None,
) -> None:
    """Say that entities are one and the same; undo takes it back."""
    with open_workspace(workspace) as rag:
        edit = rag.merge_entities(entities, into, name)
    messages.print(edit.text, markup=False, highlight=False)


@commands.command()
def undo(
    workspace: WorkspaceOption = "default",
    edit: Annotated[int | None, typer.Option(help="Number of the edit; the last one by default.")] = None,
) -> None:
    """Take back an edit of the graph."""
    with open_workspace(workspace) as rag:
        undone = rag.undo(edit)
    messages.print(f"Undone: {undone.text}", markup=False, highlight=False)
