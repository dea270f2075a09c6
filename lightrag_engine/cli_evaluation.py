"""The shell commands that weigh answers: compare, evaluate."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from lightrag_engine import MODES, QueryError, SettingsError
from lightrag_engine.answering import plain_text
from lightrag_engine.evaluation.comparing import Comparison
from lightrag_engine.evaluation.difference import KINDS, Difference, difference
from lightrag_engine.evaluation.document import Block, check_report_path, write_report
from lightrag_engine.evaluation.judging import Judgement
from lightrag_engine.evaluation.questions import read_questions
from lightrag_engine.evaluation.report import comparison_report, run_report
from lightrag_engine.evaluation.runs import Run, RunProgress
from lightrag_engine.evaluation.summary import RunSummary, summarise_run
from lightrag_engine.evaluation.variants import parse_variant
from lightrag_engine.shell import (
    JsonOption,
    WorkspaceOption,
    fail,
    failures,
    messages,
    open_workspace,
    plain,
    print_json,
)

commands = typer.Typer()
_DEFAULT = ["naive", "mix"]
ModeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--mode",
        "-m",
        help=f"A mode ({', '.join(MODES)}), with :top_k=N and :model=NAME if need be; give several. "
        f"Without any: {' and '.join(_DEFAULT)}.",
    ),
]
JudgeOption = Annotated[bool, typer.Option("--judge", help="Have the chat model weigh the answers.")]
ReportOption = Annotated[
    Path | None,
    typer.Option(help="Also write everything into this file: .html or .md.", dir_okay=False),
]
JudgeModelOption = Annotated[str, typer.Option(help="Another model as the judge, as in the settings.")]


@commands.command()
def compare(
    question: Annotated[str, typer.Argument(help="The question.")],
    mode: ModeOption = None,
    workspace: WorkspaceOption = "default",
    judge: JudgeOption = False,
    judge_model: JudgeModelOption = "",
    report: ReportOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask one question in several modes at the same time, and show who found what."""
    codes = _checked(mode, report)
    with open_workspace(workspace) as rag:
        comparison = rag.compare(question, codes)
        judgement = rag.judge(comparison, judge_model) if judge or judge_model else None
        if report is not None:
            _write(comparison_report(comparison, rag.measure(comparison), judgement), report)
    found = difference(comparison)
    if as_json:
        print_json(_comparison_json(comparison, found, judgement))
    else:
        _print_comparison(comparison, found, judgement)
    if not comparison.answered:
        fail("No variant gave an answer.", comparison.results[0].error)


@commands.command()
def evaluate(
    questions: Annotated[
        Path,
        typer.Argument(
            help="One question a line, or a CSV table with question, expected and passages.",
            exists=True,
            dir_okay=False,
        ),
    ],
    mode: ModeOption = None,
    workspace: WorkspaceOption = "default",
    name: Annotated[str, typer.Option(help="Name of the question set; without: that of the file.")] = "",
    judge: JudgeOption = False,
    judge_model: JudgeModelOption = "",
    report: ReportOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask a set of questions in several modes; an interrupted run goes on when the command is given again."""
    codes = _checked(mode, report)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with (
        open_workspace(workspace) as rag,
        Progress(*columns, TimeElapsedColumn(), console=messages, transient=True) as progress,
    ):
        task = progress.add_task("", total=None)

        def show(step: RunProgress) -> None:
            text = f"{step.doing}: {step.question[:50]}"
            progress.update(task, total=step.total, completed=step.done, description=text)

        run = rag.evaluate(
            read_questions(questions.read_bytes()),
            codes,
            name=name or questions.stem,
            judge=judge or bool(judge_model),
            judge_model=judge_model,
            on_progress=show,
        )
    if report is not None:
        with failures():
            _write(run_report(run), report)
    summary = summarise_run(run)
    if as_json:
        print_json({"run": dataclasses.asdict(run), "summary": dataclasses.asdict(summary)})
    else:
        _print_run(run, summary)
    if not run.finished_at:
        fail(
            f"{run.total - run.done} of {run.total} answers could not be had.",
            "The errors stand in --json; give the command again to try those once more.",
        )


def _write(blocks: Sequence[Block], path: Path) -> None:
    write_report(blocks, path)
    messages.print(f"Report: {path}", markup=False, highlight=False)


def _checked(codes: list[str] | None, report: Path | None) -> list[str]:
    """Return the variants; what cannot be done is said before anything is asked."""
    chosen = codes or _DEFAULT
    try:
        for code in chosen:
            parse_variant(code)
        if report is not None:
            check_report_path(report)
    except (QueryError, SettingsError) as error:
        raise typer.BadParameter(f"{error} {error.hint}") from None
    return chosen


def _print_comparison(comparison: Comparison, found: Difference, judgement: Judgement | None) -> None:
    for result in comparison.results:
        typer.echo(f"== {result.variant.label}\n{plain_text(result.text)}\n")
        if result.error:
            messages.print(f"{result.error} {result.hint}", style="red", markup=False)
    table = Table("variant", "retrieval", "first word", "whole", "tokens in", "tokens out", *KINDS)
    for position, result in enumerate(comparison.results):
        counts = [sum(row.ranks[position] is not None for row in found.rows(kind)) for kind in KINDS]
        table.add_row(
            plain(result.variant.label),
            *(f"{s:.1f} s" for s in (result.retrieval_seconds, result.first_word_seconds, result.seconds)),
            f"{result.prompt_tokens:,}",
            f"{result.answer_tokens:,}",
            *(f"{count:,}" for count in counts),
        )
    Console().print(table)
    for kind in KINDS:
        by = found.counts(kind)
        # Naive looks for passages only.
        whom = "all" if kind == "sources" else "all that look for them"
        typer.echo(f"{kind}: {by['all']} by {whom}, {by['some']} by some, {by['one']} by one")
    if judgement is not None:
        _print_judgement(judgement)


def _print_judgement(judgement: Judgement) -> None:
    if judgement.missing:
        messages.print(judgement.missing, style="yellow", markup=False)
        return
    table = Table("criterion", "pair", "better", "reason")
    for pair in judgement.pairs:
        names = f"{pair.first} – {pair.second}"
        for verdict in pair.criteria:
            better = verdict.winner or ("tie" if verdict.agreed else "tie (the two orders disagree)")
            table.add_row(verdict.criterion, plain(names), plain(better), plain(verdict.reasons[0]))
        if pair.problem:
            table.add_row("", plain(names), "", plain(pair.problem))
    Console().print(table)
    typer.echo(f"judge: {judgement.judge}; {judgement.disagreements} of {judgement.rulings} rulings disagree")


def _print_run(run: Run, summary: RunSummary) -> None:
    table = Table("variant", "answered", "failed", "expected", "recall", "coverage", "support", "seconds")
    for row in summary.variants:
        held = f"{row.held.value:.0%} ({row.held.low:.0%}–{row.held.high:.0%})" if row.held else "–"
        shares = (f"{s:.0%}" if s is not None else "–" for s in (row.recall, row.coverage, row.support))
        seconds = f"{row.seconds:.1f} s" if row.seconds is not None else "–"
        table.add_row(plain(row.variant), str(row.answered), str(row.failed), held, *shares, seconds)
    Console().print(table)
    if summary.win_rates:
        rates = Table("criterion", "variant", "against", "wins", "ties", "losses", "share (95 %)")
        for rate in summary.win_rates:
            share = f"{rate.share.value:.0%} ({rate.share.low:.0%}–{rate.share.high:.0%})"
            numbers = map(str, (rate.wins, rate.ties, rate.losses))
            rates.add_row(rate.criterion, plain(rate.variant), plain(rate.against), *numbers, share)
        Console().print(rates)
    typer.echo(f"{run.set_name}: {run.done} of {run.total} answers")


def _comparison_json(
    comparison: Comparison, found: Difference, judgement: Judgement | None
) -> dict[str, Any]:
    results = [
        {
            "variant": str(result.variant),
            "answer": result.text,
            "error": result.error,
            "retrieval_seconds": result.retrieval_seconds,
            "first_word_seconds": result.first_word_seconds,
            "seconds": result.seconds,
            "prompt_tokens": result.prompt_tokens,
            "answer_tokens": result.answer_tokens,
        }
        for result in comparison.results
    ]
    return {
        "question": comparison.question,
        "settings": dict(comparison.settings),
        "results": results,
        "found": {
            kind: [
                {"what": row.label, "ranks": row.ranks, "found_by": row.found_by} for row in found.rows(kind)
            ]
            for kind in KINDS
        },
        "overlaps": found.overlaps,
        "judgement": dataclasses.asdict(judgement) if judgement is not None else None,
    }
