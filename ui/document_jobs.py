"""What is done with many documents: beside the page, one after the other, and seen after a reload too."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

import streamlit as st

from lightrag_engine import DocumentError, LightRAG, Upload
from lightrag_engine.records import DocumentStatus
from lightrag_engine.taking_in import NameChoice
from ui import documents, jobs
from ui.engine import show_error
from ui.format import counted, number
from ui.markdown import literal

_KIND = "documents"
_POLL_SECONDS = 0.5
# Most work is done within it, and is seen at once.
_WAIT_SECONDS = 2.0
_BATCH = 10
_PROBLEMS_SHOWN = 5
_MESSAGE = "documents_message"
_LINES = "documents_not_taken"

# What is done with a document, by its id; it may return what a person should know.
Act = Callable[[LightRAG, str], str | None]


@dataclass(frozen=True, slots=True)
class Step:
    """How far the work on many documents is, and what a person should be told when it ends."""

    done: int
    total: int
    message: str = ""
    lines: tuple[str, ...] = ()


def take_in(rag: LightRAG, uploads: Sequence[Upload], choices: dict[str, NameChoice]) -> None:
    """Hand files to the engine; see `LightRAG.submit`."""
    _begin(rag, "Adding", taking_in(rag, uploads, choices))


def change(rag: LightRAG, chosen: Sequence[DocumentStatus], act: Act, doing: str, done: str) -> None:
    """Do something with each of some documents; `doing` and `done` are its words: Deleting, Deleted."""
    _begin(rag, doing, changing(rag, chosen, act, done))


def taking_in(
    rag: LightRAG, uploads: Sequence[Upload], choices: dict[str, NameChoice]
) -> Generator[Step, None, None]:
    """Hand files to the engine, some at a time, so that what is indexed meanwhile goes on."""
    known = {status.id for status in rag.documents()}
    statuses: list[DocumentStatus] = []
    for start in range(0, len(uploads), _BATCH):
        statuses += rag.submit(uploads[start : start + _BATCH], choices)
        yield Step(
            min(start + _BATCH, len(uploads)),
            len(uploads),
            documents.submitted_line(statuses, known),
            tuple(documents.not_taken_lines(statuses)),
        )


def changing(
    rag: LightRAG, chosen: Sequence[DocumentStatus], act: Act, done: str
) -> Generator[Step, None, None]:
    """Do something with one document after the other; one with which it is not possible stops no other."""
    notes: dict[str, None] = {}
    problems: list[str] = []
    for place, status in enumerate(chosen, start=1):
        try:
            if note := act(rag, status.id):
                notes[note] = None
        except DocumentError as error:
            problems.append(f"{error} {error.hint}".strip())
        changed = place - len(problems)
        message = f"{done} {counted(changed, 'document')}." if changed else ""
        yield Step(place, len(chosen), " ".join([message, *notes]).strip(), tuple(problems))


def _begin(rag: LightRAG, doing: str, steps: Generator[Step, None, None]) -> None:
    # Each step is short: a person's stop is heeded at the next one.
    job = jobs.start(_KIND, rag.name, doing, lambda check: steps)
    until = time.monotonic() + _WAIT_SECONDS
    with st.spinner(f"{doing} …"):
        while job.running and time.monotonic() < until:
            time.sleep(0.02)
    st.rerun()


def busy(rag: LightRAG) -> bool:
    """Return whether something is being done with many documents: nothing else can be begun meanwhile."""
    job = jobs.find(_KIND, rag.name)
    return job is not None and job.running


def watch(rag: LightRAG) -> None:
    """Show how far it is; once it has ended say what came of it, until something else is done."""
    job = jobs.find(_KIND, rag.name)
    if job is not None and job.running:
        st.fragment(_watch, run_every=_POLL_SECONDS)(job)
    elif job is not None:
        jobs.forget(_KIND, rag.name)
        step = job.latest or Step(0, 0)
        st.session_state[_LINES] = step.lines
        if job.error:
            show_error(job.error)
        if step.message:
            stopped = f" Stopped after {number(step.done)} of {number(step.total)}." if job.stopped else ""
            st.toast(literal(step.message + stopped))
    # Stays until something else is done: no row of the table says it.
    lines = st.session_state.get(_LINES, ())
    for line in lines[:_PROBLEMS_SHOWN]:
        st.warning(literal(line))
    if len(lines) > _PROBLEMS_SHOWN:
        with st.expander(f"{counted(len(lines) - _PROBLEMS_SHOWN, 'more message')}"):
            st.dataframe(
                {"message": lines[_PROBLEMS_SHOWN:]}, hide_index=True, alt="What was not done, and why"
            )


def _watch(job: jobs.Job) -> None:
    step = job.latest or Step(0, 0)
    if not job.running:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        share = step.done / step.total if step.total else 0.0
        count = f" {number(step.done)} of {counted(step.total, 'document')}" if step.total else " …"
        st.progress(share, text=job.label + count)
        if st.button("Stop", icon=":material/stop_circle:", disabled=job.stopped):
            job.stop()
            st.rerun(scope="fragment")
