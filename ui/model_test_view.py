"""A model tried on one chunk: what it finds, how long it takes, what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.language.ollama import OllamaState
from lightrag_engine.language.trial import FormatComparison, ModelTest
from lightrag_engine.records import EntityRecord, RelationRecord
from ui import jobs, models
from ui.format import counted, duration, number, roughly, shortened
from ui.markdown import literal
from ui.model_formats_view import show_formats
from ui.models_view import model_choice
from ui.tables import type_column

_POLL_SECONDS = 0.5
_TEST = "test"
_TABLE_HEIGHT = 300
_EXAMPLE_CHUNKS = 100
_DOCUMENTS = 50
_SAMPLE = ""
_NAME = 60  # characters


def model_test(rag: LightRAG, state: OllamaState) -> None:
    """Let a person try a model on one chunk; it goes on when the page is left."""
    job = jobs.find(_TEST, rag.name)
    busy = job is not None and job.running
    reading = models.reading_model(rag.settings, state)
    st.subheader("Test a model", anchor=False)
    st.caption(
        "It reads one chunk, from the middle of a document or a short sample, and nothing of it is kept."
    )
    texts = {s.id: s.name for s in rag.documents()[:_DOCUMENTS] if s.entities or s.relations or s.warnings}
    texts[_SAMPLE] = "A short sample"
    grid = st.grid(2, min_column_width=300, gap="medium")
    with grid.cell():
        options = models.language_options(state, reading, [])
        name = model_choice("Model to test", options, reading, state, "model_to_test", busy)
    with grid.cell():
        text = st.selectbox(
            "Text that it reads",
            list(texts),
            format_func=lambda id_: shortened(texts.get(id_, ""), _NAME),
            key="text_to_test",
            disabled=busy,
            help="A typical chunk of it: in the middle, of usual length. The newest documents are offered.",
        )
    with st.container(horizontal=True):
        if st.button("Test this model", icon=":material/labs:", disabled=busy):
            jobs.start(_TEST, rag.name, name, partial(_testing, rag, name, text))
            st.rerun()
        if st.button(
            "Compare both formats",
            icon=":material/compare_arrows:",
            disabled=busy or name == models.BUILTIN,
            help="It reads the text twice: once it answers with JSON, once with delimited records. The "
            "built-in language answers in neither.",
        ):
            jobs.start(_TEST, rag.name, name, partial(_comparing, rag, name, text))
            st.rerun()
    if job is not None and busy:
        _watch(job, models.option_label(job.label, state))
    elif job is not None:
        _outcome(rag, job)


def _testing(
    rag: LightRAG, name: str, document_id: str, while_waiting: Callable[[], None]
) -> Generator[ModelTest, None, None]:
    yield rag.test_model(name, document_id, while_waiting)


def _comparing(
    rag: LightRAG, name: str, document_id: str, while_waiting: Callable[[], None]
) -> Generator[FormatComparison, None, None]:
    yield rag.compare_formats(name, document_id, while_waiting)


@st.fragment(run_every=_POLL_SECONDS)
def _watch(job: jobs.Job, label: str) -> None:
    if not job.running:
        st.rerun()
    st.progress(
        0.0, text=f"{literal(label)} reads · {duration(job.seconds)} · the first call also loads the model"
    )
    if st.button("Stop", key="stop_test", icon=":material/stop:", disabled=job.stopped):
        job.stop()
        st.rerun()


def _outcome(rag: LightRAG, job: jobs.Job) -> None:
    if job.error is not None:
        st.error(literal(job.error.hint or "Try again."), title=literal(str(job.error)))
    elif job.stopped and job.latest is None:
        st.caption("The test was stopped.")
    elif job.latest is None:
        st.error("What happened is in the log of the app.", title="The test ended without a result.")
    elif isinstance(job.latest, FormatComparison):
        show_formats(rag, job.latest)
    else:
        show_test(job.latest)


def show_test(test: ModelTest) -> None:
    """Show what a model made of a chunk."""
    with st.container(border=True):
        st.markdown(
            f"**{literal(test.model)}** found {counted(len(test.entities), 'entity', 'entities')} and "
            f"{counted(len(test.relations), 'relation')} in **{duration(test.seconds)}**"
        )
        st.caption(
            f"Read: {literal(test.source)}, {number(test.chunk_tokens)} tokens. {literal(test.health.text)}"
        )
        st.caption(pace(test))
        for verdict in test.health.verdicts:
            st.warning(literal(verdict))
        if not test.health.verdicts and test.entities:
            st.markdown(":green[●] Nothing to advise against this model.")
        entities, relations = st.tabs(
            [f"Entities {number(len(test.entities))}", f"Relations {number(len(test.relations))}"]
        )
        with entities:
            _entities(test.entities)
        with relations:
            _relations(test.relations)
        if test.problems:
            with st.expander(f"Mended or left out: {number(len(test.problems))}"):
                for problem in test.problems:
                    st.markdown(f"- {literal(problem)}")


def pace(test: ModelTest) -> str:
    """Return how long a whole document would take at the pace of a test."""
    whole = roughly(test.seconds * _EXAMPLE_CHUNKS)
    return (
        f"At this pace, {_EXAMPLE_CHUNKS} such chunks one after another take {whole}. The first "
        "test of a model is slower, because it is loaded: test it twice."
    )


def _entities(found: Sequence[EntityRecord]) -> None:
    rows = [(record.entity_name, [record.entity_type], record.entity_description) for record in found]
    if not rows:
        st.caption("None.")
        return
    text = st.column_config.TextColumn
    st.dataframe(
        pd.DataFrame(rows, columns=["entity", "type", "description"]),
        key="tested_entities",
        hide_index=True,
        height=min(38 + 35 * len(rows), _TABLE_HEIGHT),
        alt="Entities that the tested model found",
        column_config={
            "entity": text("Entity", width=200),
            "type": type_column(sorted({record.entity_type for record in found})),
            "description": text("Description", width="large"),
        },
    )


def _relations(found: Sequence[RelationRecord]) -> None:
    rows = [(r.src_id, r.tgt_id, ", ".join(r.keywords), r.description, r.weight) for r in found]
    if not rows:
        st.caption("None.")
        return
    text = st.column_config.TextColumn
    st.dataframe(
        pd.DataFrame(rows, columns=["source", "target", "about", "description", "weight"]),
        key="tested_relations",
        hide_index=True,
        height=min(38 + 35 * len(rows), _TABLE_HEIGHT),
        alt="Relations that the tested model found",
        column_config={
            "source": text("Source", width=150),
            "target": text("Target", width=150),
            "about": text("About", width=150),
            "description": text("Description", width="large"),
            "weight": st.column_config.NumberColumn("Weight", format="%.1f", width=70),
        },
    )
