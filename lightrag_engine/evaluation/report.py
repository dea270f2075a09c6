"""What a report of a comparison or of a run says, block by block."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version

from lightrag_engine.evaluation.comparing import Comparison
from lightrag_engine.evaluation.difference import KINDS, Difference, difference, union_graph
from lightrag_engine.evaluation.document import Answer, Block, Figure, Heading, Paragraph, Table
from lightrag_engine.evaluation.figures import drawn_keys, matrix_svg, seconds_svg, union_svg
from lightrag_engine.evaluation.judging import Judgement, PairVerdict, judged_line
from lightrag_engine.evaluation.measures import Measures
from lightrag_engine.evaluation.runs import Run
from lightrag_engine.evaluation.statistics import WinRate, win_rates
from lightrag_engine.evaluation.summary import RunChange, summarise_run
from lightrag_engine.evaluation.variants import parse_variant
from lightrag_engine.evaluation.votes import Vote

_ROWS = 60  # of each difference table
_DETAIL = 240  # characters


def comparison_report(
    comparison: Comparison,
    measures: Measures | None = None,
    judgement: Judgement | None = None,
    vote: Vote | None = None,
) -> list[Block]:
    """Return a comparison as blocks: answers, numbers, who found what, verdicts, settings."""
    found = difference(comparison)
    labels = [variant.label for variant in comparison.variants]
    blocks: list[Block] = [
        Heading("Comparison of answers", 1),
        Heading("Question"),
        Paragraph(comparison.question),
        Heading("Answers"),
    ]
    for result in comparison.results:
        blocks.append(Heading(result.variant.label, 3))
        if result.text:
            blocks.append(Answer(result.text))
        if result.error:
            blocks.append(Paragraph(f"{result.error} {result.hint}".strip()))
        if result.answer is not None and result.answer.citations:
            rows = tuple(
                (str(c.number), c.document, c.page or "–", " … ".join(c.sentences) or "–")
                for c in sorted(result.answer.citations, key=lambda c: c.number)
            )
            blocks.append(Table(("No.", "Document", "Page", "Sentences used"), rows))
    blocks += [Heading("Seconds and tokens"), _numbers(comparison)]
    bars = [
        (r.variant.label, r.retrieval_seconds, r.first_word_seconds, r.seconds) for r in comparison.results
    ]
    blocks.append(Figure(seconds_svg(bars), "Seconds until the context, the first word and the last word"))
    if measures is not None:
        blocks += _measured(labels, measures)
    blocks.append(Heading("Who found what"))
    for kind in KINDS:
        blocks += _found(found, kind, labels)
    graph = union_graph(comparison)
    if graph:
        drawn = graph.subgraph(drawn_keys(graph))
        blocks.append(
            Figure(
                union_svg(drawn, dict(enumerate(labels))),
                f"{len(drawn)} of {len(graph)} entities that were found, in the colours of who found them",
            )
        )
    if judgement is not None:
        blocks += _judged(judgement)
    if vote is not None:
        best = " and ".join(parse_variant(code).label for code in vote.best)
        how = "blind" if vote.blind else "not blind"
        blocks += [Heading("Vote"), Paragraph(f"Best: {best} ({how}).")]
    about = {
        "workspace": comparison.workspace,
        "embedding": comparison.embedding,
        "revision of the graph": str(comparison.revision),
        "asked at": _moment(comparison.asked_at),
        **comparison.settings,
    }
    return [*blocks, *_about(about)]


def run_report(run: Run, change: RunChange | None = None) -> list[Block]:
    """Return a run of a question set as blocks: its table, win rates, changes, every question, settings."""
    summary = summarise_run(run)
    blocks: list[Block] = [
        Heading(f"Question set: {run.set_name}", 1),
        Paragraph(
            f"{len(run.questions)} question{'s' * (len(run.questions) != 1)}, "
            f"{run.done} of {run.total} answers."
        ),
        Heading("Summary"),
        Table(
            (
                "Variant",
                "Answered",
                "Failed",
                "Holds expected",
                "95 %",
                "Recall",
                "Sources cited",
                "Supported",
                "Seconds",
            ),
            tuple(
                (
                    parse_variant(row.variant).label,
                    str(row.answered),
                    str(row.failed),
                    _percent(row.held.value if row.held else None),
                    f"{row.held.low:.0%} to {row.held.high:.0%}" if row.held else "–",
                    _percent(row.recall),
                    _percent(row.coverage),
                    _percent(row.support),
                    _seconds(row.seconds),
                )
                for row in summary.variants
            ),
        ),
    ]
    bars = [
        (parse_variant(row.variant).label, row.retrieval_seconds or 0.0, 0.0, row.seconds or 0.0)
        for row in summary.variants
    ]
    blocks.append(Figure(seconds_svg(bars), "Mean seconds of an answer"))
    if summary.win_rates:
        blocks += [Heading("Win rates"), _rates(summary.win_rates)]
    if summary.rulings:
        blocks.append(
            Paragraph(
                f"{summary.disagreements} of {summary.rulings} rulings of the judge came out another way "
                "when the answers changed places; those count as ties."
            )
        )
    blocks += [Paragraph(problem) for problem in summary.problems]
    if change is not None:
        blocks += _changes(change)
    blocks.append(Heading("Questions"))
    for position, question in enumerate(run.questions):
        blocks += _question(run, position, question.text)
    about = {
        "language": run.language,
        "embedding": run.embedding,
        "judge": (run.judge_name or run.language) if run.judge else "none",
        "revision of the graph": str(run.revision),
        "started at": _moment(run.started_at),
        "finished at": _moment(run.finished_at) if run.finished_at else "not finished",
        **run.settings,
    }
    return [*blocks, *_about(about)]


def _question(run: Run, position: int, text: str) -> Iterator[Block]:
    question = run.questions[position]
    yield Heading(f"{position + 1}. {text}", 3)
    if question.expected:
        yield Paragraph(f"Expected: {' | '.join(question.expected)}")
    if question.passages:
        yield Paragraph(f"Passages: {' | '.join(question.passages)}")
    for variant in run.variants:
        answer = run.answer(position, variant)
        if answer is None:
            continue
        figures = f"holds expected {_percent(answer.held)}, recall {_percent(answer.recall)}"
        yield Paragraph(f"{parse_variant(variant).label}: {figures}, {_seconds(answer.seconds)}")
        yield Answer(answer.text) if answer.text else Paragraph(answer.error or "No answer.")
    verdicts = [pair for at, pair in run.verdicts if at == position]
    if any(pair.criteria for pair in verdicts):
        yield _verdicts(verdicts)


def _changes(change: RunChange) -> Iterator[Block]:
    yield Heading("Since the earlier run")
    yield Paragraph(
        f"{change.compared} answers compared: {len(change.better)} better, {len(change.worse)} worse, "
        f"{change.same} the same, {change.reworded} worded otherwise."
    )
    if change.better or change.worse:
        yield Table(
            ("Became", "Question", "Variant", "By", "Before", "Now"),
            tuple(
                (
                    "better" if one.better else "worse",
                    one.question,
                    parse_variant(one.variant).label,
                    one.measure,
                    _percent(one.before),
                    _percent(one.after),
                )
                for one in (*change.worse, *change.better)
            ),
        )


def _numbers(comparison: Comparison) -> Table:
    return Table(
        ("Variant", "Retrieval", "First word", "Whole", "Tokens in", "Tokens out"),
        tuple(
            (
                result.variant.label,
                _seconds(result.retrieval_seconds),
                _seconds(result.first_word_seconds),
                _seconds(result.seconds),
                f"{result.prompt_tokens:,}",
                f"{result.answer_tokens:,}",
            )
            for result in comparison.results
        ),
    )


def _measured(labels: Sequence[str], measures: Measures) -> Iterator[Block]:
    yield Heading("Measured without a judge")
    yield Table(
        ("Variant", "Sources cited", "Sentences supported", "Sentences with a citation", "Words"),
        tuple(
            (label, *(_percent(s) for s in (one.coverage, one.support, one.cited)), f"{one.words:,}")
            if one is not None
            else (label, "–", "–", "–", "–")
            for label, one in zip(labels, measures.answers, strict=True)
        ),
    )
    yield Figure(matrix_svg(labels, measures.overlap), "Words that the answers share")
    yield Figure(matrix_svg(labels, measures.similarity), "How near the answers are in meaning (cosine)")


def _found(found: Difference, kind: str, labels: Sequence[str]) -> Iterator[Block]:
    rows = found.rows(kind)
    counts = found.counts(kind)
    yield Heading(kind.capitalize(), 3)
    yield Paragraph(
        f"{len(rows)} in all: {counts['all']} found by all that look for {kind}, {counts['some']} by some, "
        f"{counts['one']} by one." + (f" The first {_ROWS} are listed." if len(rows) > _ROWS else "")
    )
    if rows:
        yield Table(
            (kind.capitalize(), *labels, "Text"),
            tuple(
                (row.label, *("–" if r is None else str(r) for r in row.ranks), _shortened(row.detail))
                for row in rows[:_ROWS]
            ),
        )
        yield Figure(
            matrix_svg(labels, found.overlaps[kind]),
            f"{kind.capitalize()} found by both, of those found by either (Jaccard)",
        )


def _judged(judgement: Judgement) -> Iterator[Block]:
    yield Heading("Judge")
    if judgement.missing:
        yield Paragraph(judgement.missing)
        return
    yield Paragraph(judged_line(judgement))
    yield _verdicts(judgement.pairs)
    rates = win_rates(duel for pair in judgement.pairs for duel in pair.duels)
    if rates:
        yield _rates(rates)


def _verdicts(pairs: Sequence[PairVerdict]) -> Table:
    rows = []
    for pair in pairs:
        names = " – ".join(parse_variant(code).label for code in (pair.first, pair.second))
        for verdict in pair.criteria:
            tie = "tie" if verdict.agreed else "tie (orders disagree)"
            better = parse_variant(verdict.winner).label if verdict.winner else tie
            rows.append((names, verdict.criterion, better, *verdict.reasons))
        if pair.problem:
            rows.append((names, "–", "–", pair.problem, ""))
    return Table(("Pair", "Criterion", "Better", "Reason", "Reason, in the other order"), tuple(rows))


def _rates(rates: Sequence[WinRate]) -> Table:
    return Table(
        ("By", "Variant", "Against", "Wins", "Ties", "Losses", "Win rate", "95 % interval"),
        tuple(
            (
                rate.criterion,
                parse_variant(rate.variant).label,
                parse_variant(rate.against).label,
                *map(str, (rate.wins, rate.ties, rate.losses)),
                _percent(rate.share.value),
                f"{rate.share.low:.0%} to {rate.share.high:.0%}",
            )
            for rate in rates
        ),
    )


def _about(about: dict[str, str]) -> list[Block]:
    versions = {"Python": platform.python_version(), "LightRAG Explorer": _version("lightrag-explorer")}
    rows = tuple((name, value) for name, value in {**about, **versions}.items() if value)
    return [Heading("Settings and versions"), Table(("What", "Value"), rows)]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} s"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _DETAIL else line[: _DETAIL - 1] + "…"
