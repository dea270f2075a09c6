"""What a run shows: its table, win rates, every question, and what changed since an earlier run."""

from __future__ import annotations

import datetime

import pandas as pd
import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.evaluation.report import run_report
from lightrag_engine.evaluation.runs import QuestionSet, Run
from lightrag_engine.evaluation.summary import RunChange, compare_runs, summarise_run
from ui import jobs
from ui.compare import tables
from ui.compare.asking import label
from ui.compare.reports import buttons
from ui.evaluate.runs import KIND, go_on, state_line
from ui.markdown import literal, safe_answer

_text, _number = st.column_config.TextColumn, st.column_config.NumberColumn

_POLL_SECONDS = 3.0


def results(rag: LightRAG, current: QuestionSet) -> None:
    """Show the runs of a question set; while one is under way, what has come of it so far."""
    job = jobs.find(KIND, rag.name)
    running = job is not None and job.running
    st.fragment(_results, run_every=_POLL_SECONDS if running else None)(rag, current, running)


def _results(rag: LightRAG, current: QuestionSet, running: bool) -> None:
    runs = {run.id: run for run in rag.runs(current.id)}
    if not runs:
        st.caption("This set has not been run yet.")
        return
    if (wanted := st.session_state.pop("run_next", None)) in runs:
        st.session_state.shown_run = wanted
    if st.session_state.get("shown_run") not in runs:
        st.session_state.pop("shown_run", None)
    run_id = st.selectbox("Run", list(runs), format_func=lambda one: _name(runs[one]), key="shown_run")
    run = rag.evaluation_run(run_id)
    if run is None:
        return
    st.caption(literal(state_line(run)))
    _unfinished(rag, run)
    if not run.answers:
        return
    earlier = _earlier(rag, run, [one for one in runs.values() if one.started_at < run.started_at])
    change = compare_runs(earlier, run) if earlier is not None else None
    summary, questions, changed, report = st.tabs(
        ["Summary", "Questions", "Since the earlier run", "Report"], key="run_tabs"
    )
    with summary:
        _summary(run)
    with questions:
        _questions(run)
    with changed:
        _changes(change)
    with report:
        if running:
            st.caption("The report can be had when the run has ended or was stopped.")
        else:
            buttons(run_report(run, change), "question-set", run.id)


def _name(run: Run) -> str:
    at = datetime.datetime.fromtimestamp(run.started_at).strftime("%Y-%m-%d %H:%M:%S")
    return f"{at} · {', '.join(map(label, run.variants))}"


def _unfinished(rag: LightRAG, run: Run) -> None:
    job = jobs.find(KIND, rag.name)
    if run.finished_at or (job is not None and job.running):
        return
    failed = sum(bool(answer.error) for answer in run.answers)
    why = f"{failed} answers failed; they are tried again." if failed else "It was interrupted."
    with st.container(horizontal=True, vertical_alignment="center"):
        st.info(f"{why} Everything that came is kept.", icon=":material/pause_circle:")
        if st.button("Go on", icon=":material/play_arrow:", key="go_on"):
            go_on(rag, run.id)
            st.rerun()


def _earlier(rag: LightRAG, run: Run, before: list[Run]) -> Run | None:
    """Return the run to compare with: the newest one before that shares a variant."""
    shared = [one for one in before if set(one.variants) & set(run.variants)]
    return rag.evaluation_run(shared[0].id) if shared else None


def _summary(run: Run) -> None:
    found = summarise_run(run)
    rows = [
        (
            label(row.variant),
            row.answered,
            row.failed,
            row.held.value if row.held else None,
            f"{row.held.low:.0%} – {row.held.high:.0%}" if row.held else "–",
            row.recall,
            row.coverage,
            row.support,
            row.seconds,
            row.prompt_tokens,
            row.answer_tokens,
        )
        for row in found.variants
    ]
    names = ["variant", "answered", "failed", "held", "interval", "recall", "coverage", "support"]
    table = pd.DataFrame(rows, columns=[*names, "seconds", "prompt", "answer"])
    measured = ["held", "recall", "coverage", "support", "seconds", "prompt", "answer"]
    st.dataframe(
        table.astype(dict.fromkeys(measured, "Float64")),
        key="run_summary",
        hide_index=True,
        column_config={
            "variant": _text("Variant"),
            "answered": _number("Answered"),
            "failed": _number("Failed"),
            "held": tables.share("Holds expected", "Share of answers that hold everything expected"),
            "interval": _text("95 % interval", help="Wilson's score interval"),
            "recall": tables.share("Recall", "Share of the expected passages among the sources"),
            "coverage": tables.share("Sources cited"),
            "support": tables.share("Supported", "Share of sentences borne out by what was retrieved"),
            "seconds": _number("Seconds", format="%.2f"),
            "prompt": _number("Tokens in", format="%.0f"),
            "answer": _number("Tokens out", format="%.0f"),
        },
        placeholder="–",
        alt="Every variant over all questions",
    )
    if found.win_rates:
        st.markdown("**Who wins, pair by pair**")
        tables.win_rates(found.win_rates, "run")
    else:
        st.caption("Win rates need a judge, or questions with expected answers or passages.")
    if found.rulings:
        st.caption(
            f"{found.disagreements} of {found.rulings} rulings of the judge came out another way when the "
            "answers changed places; those count as ties."
        )
    for problem in found.problems:
        st.warning(literal(problem))
    if run.judge and not found.rulings and run.finished_at:
        st.info("Nothing was judged: no chat model is in use. Choose one in the settings, or name a judge.")


def _questions(run: Run) -> None:
    rows = []
    for position, question in enumerate(run.questions):
        for variant in run.variants:
            answer = run.answer(position, variant)
            if answer is not None:
                rows.append(
                    (
                        position + 1,
                        question.text,
                        label(variant),
                        answer.held,
                        answer.recall,
                        answer.seconds,
                        answer.error or answer.text,
                    )
                )
    table = pd.DataFrame(
        rows, columns=["number", "question", "variant", "held", "recall", "seconds", "answer"]
    ).astype(dict.fromkeys(("held", "recall", "seconds"), "Float64"))
    picked = st.dataframe(
        table,
        key=f"run_questions_{run.id}",
        hide_index=True,
        height=min(38 + 35 * len(table), 420),
        on_select="rerun",
        selection_mode="single-row",
        column_config={
            "number": _number("No.", width=50),
            "question": _text("Question", width=260),
            "variant": _text("Variant", width=110),
            "held": tables.share("Holds expected"),
            "recall": tables.share("Recall"),
            "seconds": _number("Seconds", format="%.2f"),
            "answer": _text("Answer", width=420),
        },
        placeholder="–",
        alt="Every answer of the run",
    )
    chosen = picked.selection.rows
    if chosen and chosen[0] < len(rows):
        _, asked, variant, *_, text = rows[chosen[0]]
        with st.container(border=True):
            st.markdown(f"**{literal(variant)}**: {literal(asked)}")
            st.markdown(safe_answer(text))
    else:
        st.caption("Choose a row to read the whole answer.")


def _changes(change: RunChange | None) -> None:
    if change is None:
        st.caption(
            "There is no earlier run with these modes. Run the set again after changing documents, models or "
            "settings, and here stands what became better and what became worse."
        )
        return
    columns = st.columns(4)
    for column, name, value in zip(
        columns,
        ("Better", "Worse", "The same", "Worded otherwise"),
        (len(change.better), len(change.worse), change.same, change.reworded),
        strict=True,
    ):
        column.metric(name, f"{value:,}")
    rows = [
        (
            "better" if one.better else "worse",
            one.question,
            label(one.variant),
            one.measure,
            one.before,
            one.after,
        )
        for one in (*change.worse, *change.better)
    ]
    if rows:
        st.dataframe(
            pd.DataFrame(rows, columns=["became", "question", "variant", "by", "before", "now"]),
            key="run_changes",
            hide_index=True,
            column_config={
                "became": _text("Became"),
                "question": _text("Question", width=320),
                "variant": _text("Variant"),
                "by": _text("By"),
                "before": tables.share("Before"),
                "now": tables.share("Now"),
            },
            alt="Answers that became better or worse",
        )
