"""Getting a model onto the Ollama server: by name, or where one turns out to be missing."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial

import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.language.ollama import PullProgress
from ui import jobs, models
from ui.markdown import literal

_POLL_SECONDS = 0.5
_PULL = "pull"
_REFUSED = "refused_model"


def pull(rag: LightRAG, on_success: Callable[[str], None]) -> None:
    """Have the server get a model by name, with progress; it goes on when the page is left."""
    job = jobs.find(_PULL, rag.name)
    busy = job is not None and job.running
    st.subheader("Get a model", anchor=False)
    st.caption(
        "The Ollama server downloads it from the internet, often gigabytes. For example qwen3:4b (chat) or "
        "nomic-embed-text (embeddings)."
    )
    with st.form("pull", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name of the model", key="pull_name", placeholder="qwen3:4b", max_chars=200)
        asked = st.form_submit_button("Pull", icon=":material/download:", disabled=busy)
    if asked and not name.strip():
        st.warning("There is no name yet: type one above.")
    elif asked:
        start(rag, name.strip())
        st.rerun()
    if job is not None and busy:
        _watch(job)
    elif job is not None:
        _outcome(rag, job, on_success)


def start(rag: LightRAG, name: str) -> None:
    """Begin to get a model, unless another one is being got."""
    job = jobs.find(_PULL, rag.name)
    if job is None or not job.running:
        jobs.start(_PULL, rag.name, name, partial(_steps, rag, name))


def remember(name: str) -> None:
    """Note that a model was asked for that the server lacks, so that it is offered."""
    st.session_state[_REFUSED] = name


def offer(rag: LightRAG, missing: str) -> None:
    """Offer to get a model that is missing, or else the one that was asked for last in vain."""
    job = jobs.find(_PULL, rag.name)
    if job is not None and job.running:
        st.caption(f"{literal(job.label)} is being pulled: see the tab Server.")
    elif name := missing or st.session_state.get(_REFUSED, ""):
        st.button(
            literal(f"Pull {name}"),
            key="pull_missing",
            icon=":material/download:",
            on_click=partial(_start_here, rag, name),
        )


def _start_here(rag: LightRAG, name: str) -> None:
    st.session_state.pop(_REFUSED, None)
    st.session_state.settings_tab = "Server"
    start(rag, name)


def offer_elsewhere(rag: LightRAG, name: str, key: str) -> None:
    """Offer, on another page, to get a model that is missing; go where its progress is shown."""
    if st.button(literal(f"Pull {name}"), key=key, icon=":material/download:"):
        start(rag, name)
        st.switch_page("pages/settings.py", query_params={"settings_tab": "Server"})


def _steps(
    rag: LightRAG, name: str, while_waiting: Callable[[], None]
) -> Generator[PullProgress, None, None]:
    yield from rag.pull_model(name, while_waiting)


@st.fragment(run_every=_POLL_SECONDS)
def _watch(job: jobs.Job) -> None:
    if not job.running:
        st.rerun()
    st.progress(models.pull_share(job.latest), text=literal(models.pull_text(job.label, job.latest)))
    if st.button("Stop", icon=":material/stop:", disabled=job.stopped):
        job.stop()
        st.rerun()


def _outcome(rag: LightRAG, job: jobs.Job, on_success: Callable[[str], None]) -> None:
    if job.error is not None:
        st.error(
            literal(job.error.hint or "Try again."), title=literal(f"{job.label} is not there: {job.error}")
        )
    elif job.latest is None or job.latest.status != "success":
        st.warning(f"{literal(job.label)} was not got whole. Pull it again: it goes on where it stopped.")
    else:
        jobs.forget(_PULL, rag.name)
        on_success(job.label)
