"""The shell commands that change the course of documents: retry, reindex, pause, resume, cancel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from lightrag_engine import DocumentState, DocumentStatus, LightRAG
from lightrag_engine.shell import (
    JsonOption,
    WorkspaceOption,
    bars,
    find,
    messages,
    open_workspace,
    report,
)

commands = typer.Typer()
Names = Annotated[list[str], typer.Argument(help="Names or ids of documents.")]
SomeNames = Annotated[list[str] | None, typer.Argument(help="Names or ids of documents; none: all.")]
_WORTH_A_RETRY = (DocumentState.FAILED, DocumentState.CANCELLED, DocumentState.PROBLEMS)


@commands.command()
def retry(
    documents: SomeNames = None, workspace: WorkspaceOption = "default", as_json: JsonOption = False
) -> None:
    """Read again what could not be read, of some documents or of all; nothing else is read."""

    def which(rag: LightRAG) -> list[DocumentStatus]:
        return [status for status in rag.documents() if status.state in _WORTH_A_RETRY]

    _again(LightRAG.retry_document, documents, which, workspace, as_json)


@commands.command()
def reindex(
    documents: SomeNames = None,
    ask_again: Annotated[
        bool,
        typer.Option(
            "--ask-again",
            help="Ask the model about every chunk, also those it has read: costs what the first time did.",
        ),
    ] = False,
    workspace: WorkspaceOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Read documents, or all of them, again from their files, with the present model and settings.

    What the same model has read under the same settings is taken as it is.
    """

    def action(rag: LightRAG, document_id: str) -> None:
        rag.reindex(document_id, ask_again=ask_again)

    _again(action, documents, LightRAG.documents, workspace, as_json)


@commands.command()
def pause(documents: SomeNames = None, workspace: WorkspaceOption = "default") -> None:
    """Let documents, or all work on documents, rest until they are resumed."""
    with open_workspace(workspace) as rag:
        if not documents:
            rag.pause_queue()
            messages.print("Paused. Let it go on with: resume", markup=False)
        for wanted in documents or ():
            found = find(rag, wanted)
            rag.pause_document(found.id)
            messages.print(f"Paused {found.name}", markup=False)


@commands.command()
def resume(
    documents: SomeNames = None, workspace: WorkspaceOption = "default", as_json: JsonOption = False
) -> None:
    """Let paused documents, or all work on documents, go on, and wait for it."""

    def which(rag: LightRAG) -> list[DocumentStatus]:
        rag.resume_queue()
        states = [status for status in rag.documents() if status.state == DocumentState.PAUSED]
        return [*states, *(status for status in rag.documents() if status.state.active)]

    _again(LightRAG.resume_document, documents, which, workspace, as_json)


@commands.command()
def cancel(documents: Names, workspace: WorkspaceOption = "default") -> None:
    """Stop the work on documents that an interrupted command left, and leave everything as it was before."""
    with open_workspace(workspace) as rag:
        for wanted in documents:
            found = find(rag, wanted)
            rag.cancel_document(found.id)
            messages.print(f"Cancelled {found.name}", markup=False)


def _again(
    action: Callable[[LightRAG, str], None],
    names: list[str] | None,
    all_of: Callable[[LightRAG], list[DocumentStatus]],
    workspace: str,
    as_json: bool,
) -> None:
    with open_workspace(workspace) as rag, bars() as progress:
        chosen = [find(rag, name) for name in names] if names else all_of(rag)
        for status in chosen:
            action(rag, status.id)
        done = rag.wait_for_documents([status.id for status in chosen], on_event=progress.show)
    if not done:
        messages.print("There is nothing to do.", markup=False)
    report(done, as_json)
