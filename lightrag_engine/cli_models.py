"""The shell command that tries a model: compare-formats."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from lightrag_engine.language.trial import FormatComparison, ModelTest
from lightrag_engine.shell import (
    JsonOption,
    WorkspaceOption,
    fail,
    find,
    messages,
    open_workspace,
    print_json,
)

commands = typer.Typer()


@commands.command("compare-formats")
def compare_formats(
    model: Annotated[str, typer.Argument(help="The model: ollama:NAME or openai:NAME.")],
    document: Annotated[
        str, typer.Option(help="Name or id of a document, of which it reads one chunk; none: a sample.")
    ] = "",
    use: Annotated[
        bool, typer.Option("--use", help="Save the better format in the workspace's settings.")
    ] = False,
    workspace: WorkspaceOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Have a model read one chunk in both formats of replies, and say which one it gets right."""
    with open_workspace(workspace, create=workspace == "default") as rag:
        compared = rag.compare_formats(model, find(rag, document).id if document else "")
        if as_json:
            print_json(_json(compared))
        else:
            _print(compared)
        if use and compared.better:
            if "extraction_format" in rag.settings_fixed():
                fail(
                    "The format was not saved: the variable LIGHTRAG_EXTRACTION_FORMAT gives it.",
                    "Unset the variable, or set it to the better format.",
                )
            rag.change_settings({"extraction_format": compared.better})
            messages.print(f"Saved: extraction_format = {compared.better}", markup=False)


def _figures(test: ModelTest) -> dict[str, Any]:
    health = test.health
    return {
        "entities": len(test.entities),
        "not in the text": health.ungrounded,
        "relations": len(test.relations),
        "repaired": health.repaired,
        "dropped": health.dropped,
        "cut off": health.truncated,
        "without a usable reply": health.failed,
        "calls": health.calls,
        "seconds": round(health.seconds, 2),
        "prompt tokens": health.prompt_tokens,
        "reply tokens": health.reply_tokens,
    }


def _json(compared: FormatComparison) -> dict[str, Any]:
    return {
        "model": compared.json.model,
        "source": compared.json.source,
        "json": _figures(compared.json),
        "records": _figures(compared.records),
        "better": compared.better,
        "verdict": compared.verdict,
    }


def _print(compared: FormatComparison) -> None:
    figures = _figures(compared.json), _figures(compared.records)
    table = Table("", "json", "records")
    for what in figures[0]:
        table.add_row(what, *(f"{form[what]:,}" for form in figures))
    Console().print(table)
    typer.echo(f"{compared.json.model}, {compared.json.source}: {compared.verdict}")
