"""Running a question set: begun, watched, stopped, gone on with."""

from __future__ import annotations

import streamlit as st

from lightrag_engine import LightRAG, LightRAGError
from lightrag_engine.evaluation.runs import QuestionSet, Run, RunProgress
from lightrag_engine.evaluation.variants import FEWEST
from ui import jobs
from ui.compare.asking import add_variant, take_over_added, variant_picker
from ui.engine import show_error
from ui.format import duration, number, roughly, shortened
from ui.markdown import literal

KIND = "evaluation"
_MODES_KEY = "evaluated_modes"
_POLL_SECONDS = 1.0


def begin(rag: LightRAG, current: QuestionSet) -> None:
    """Let a run be begun."""
    take_over_added(_MODES_KEY)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        codes = variant_picker("Modes (two to five)", _MODES_KEY)
        asked = st.button("Run", type="primary", icon=":material/play_arrow:", key="run_set")
    judge = st.toggle(
        "Have a model judge every pair of answers",
        key="evaluated_judge",
        persist_state="session",
        help="Two questions to the model a pair. It needs a chat model.",
    )
    judge_model = ""
    if judge:
        judge_model = st.text_input(
            "Judge",
            key="evaluated_judge_model",
            persist_state="session",
            placeholder="the model that answers",
            help="ollama:NAME or openai:NAME; empty: the model of the settings.",
            width=360,
        )
    add_variant(rag, [_MODES_KEY])
    if not asked:
        return
    if len(codes) < FEWEST:
        st.warning("Choose two to five modes to compare.")
        return
    if (job := jobs.find(KIND, rag.name)) is not None and job.running:
        st.warning("A run is under way in this workspace. Stop it, or wait until it is done.")
        return
    try:
        run = rag.begin_run(current, codes, judge=judge, judge_model=judge_model.strip())
    except LightRAGError as error:
        show_error(error)
    else:
        go_on(rag, run.id)
        st.session_state.run_next = run.id
        st.rerun()


def go_on(rag: LightRAG, run_id: str) -> None:
    """Do what is still to do of a run, in the background."""
    jobs.start(KIND, rag.name, run_id, lambda check: rag.run_steps(run_id, check))


def progress(rag: LightRAG) -> None:
    """Show the run that is under way, or why it ended."""
    job = jobs.find(KIND, rag.name)
    if job is None:
        return
    if job.running:
        _watch(rag)
    elif job.error is not None:
        show_error(job.error)


@st.fragment(run_every=_POLL_SECONDS)
def _watch(rag: LightRAG) -> None:
    job = jobs.find(KIND, rag.name)
    if job is None or not job.running:
        st.rerun()
    step: RunProgress | None = job.latest
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(step.done / step.total if step else 0.0, _line(step, job.seconds))
        if st.button("Stop", icon=":material/stop_circle:", key="stop_run", disabled=job.stopped):
            job.stop()


def _line(step: RunProgress | None, seconds: float) -> str:
    if step is None:
        return "Beginning …"
    said = f"{number(step.done)} of {number(step.total)} answers · {step.doing}"
    if step.question:
        said += f" “{literal(shortened(step.question, 60))}”"
    if 0 < step.done < step.total:
        left = seconds / step.done * (step.total - step.done)
        said += f" · {roughly(left)} left"
    return said


def state_line(run: Run) -> str:
    """Return how far a run has come, in a line."""
    seconds = run.finished_at - run.started_at
    took = f" · took {duration(seconds)}" if run.finished_at else ""
    return f"{number(run.done)} of {number(run.total)} answers{took} · {run.language}"
