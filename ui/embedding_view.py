"""The embedding model of a workspace, and making all vectors anew with another one."""

from __future__ import annotations

import time
from functools import partial

import streamlit as st

from lightrag_engine import LightRAG, LightRAGError, WorkspaceError
from lightrag_engine.indexing.reembedding import Reembedding
from lightrag_engine.language.ollama import OllamaState
from ui import models, setting_fields
from ui.format import counted, number, roughly
from ui.markdown import literal
from ui.models_view import in_use, model_choice
from ui.setting_fields import Field
from ui.settings_view import at_work, change, done, refused, setting
from ui.sidebar import model_name

_POLL_SECONDS = 1.0
# Of the built-in model on one of our processor cores; entities and relations have short texts.
_BUILTIN_TOKENS_A_SECOND = 2000
_TOKENS_OF_A_RECORD = 40


def embedding(rag: LightRAG, state: OllamaState) -> None:
    """Let a person choose the embedding model; where there are vectors, all are made anew with it."""
    choice, under_way = rag.models(), rag.reembedding()
    st.subheader("Embeddings", anchor=False)
    in_use(choice.embedding, choice.embedding_reason)
    (field,) = setting_fields.EMBEDDING
    locked = at_work(rag) or field.name in rag.settings_fixed()
    with st.form("settings_embedding", border=False):
        with st.container(gap="xsmall"):
            wanted = setting(rag, field, partial(_choice, rag, state))
        save = st.form_submit_button("Save", key="save_embedding", icon=":material/save:", disabled=locked)
    if save:
        _save(rag, field, wanted)
    if under_way is not None and under_way.running:
        _watch(rag)
    elif offered := _offers().get(rag.name):
        _offer(rag, state, offered)
    elif under_way is not None and under_way.error:
        _stopped(rag, under_way)


def _choice(rag: LightRAG, state: OllamaState, field: Field, key: str, disabled: bool) -> str:
    value = rag.settings.embedding_model
    return model_choice(field.label, models.embedding_options(state, value), value, state, key, disabled)


def _offers() -> dict[str, str]:
    """The model, by workspace, that was chosen and needs all vectors made anew."""
    offers: dict[str, str] = st.session_state.setdefault("reembed_offers", {})
    return offers


def _save(rag: LightRAG, field: Field, wanted: str) -> None:
    _offers().pop(rag.name, None)
    try:
        change(rag, setting_fields.changes(rag.settings, {field.name: wanted}))
    except WorkspaceError:
        _offers()[rag.name] = wanted.strip()
    except LightRAGError as error:
        refused(error)


def _offer(rag: LightRAG, state: OllamaState, wanted: str) -> None:
    counts = rag.counts()
    texts = counted(counts.chunks + counts.entities + counts.relations, "text")
    model = literal(models.option_label(wanted, state))
    with st.container(border=True):
        st.markdown(f"**{texts} must be embedded anew with {model}.**")
        st.caption(
            f"{needed_time(rag, wanted)} Until all are done, the old vectors stay in use: you can ask as "
            "before. Documents that are added wait meanwhile. An interrupted run goes on where it stopped."
        )
        with st.container(horizontal=True):
            if st.button("Embed anew", icon=":material/restart_alt:"):
                _begin(rag, wanted)
            if st.button("Keep the present model"):
                _offers().pop(rag.name, None)
                st.rerun()


def needed_time(rag: LightRAG, wanted: str) -> str:
    """Return a sentence on how long embedding anew takes, as far as it can be known before."""
    if wanted != models.BUILTIN:
        return (
            "How long it takes depends on the server; the time left is shown once the first texts are done."
        )
    counts = rag.counts()
    tokens = sum(status.tokens for status in rag.documents())
    tokens += _TOKENS_OF_A_RECORD * (counts.entities + counts.relations)
    return f"It takes {roughly(tokens / _BUILTIN_TOKENS_A_SECOND)} on a machine like ours."


def _begin(rag: LightRAG, wanted: str) -> None:
    try:
        rag.reembed(wanted)
    except LightRAGError as error:
        refused(error)
    else:
        _offers().pop(rag.name, None)
        st.rerun()


def _stopped(rag: LightRAG, state: Reembedding) -> None:
    st.warning(
        literal(f"{number(state.done)} of {counted(state.total, 'text')} are done and kept. {state.error}"),
        title=literal(
            f"Embedding anew with {model_name(state.model)} has stopped. The old vectors are in use."
        ),
    )
    with st.container(horizontal=True):
        if st.button("Go on", icon=":material/play_arrow:"):
            _begin(rag, state.model)
        if st.button("Keep the present model"):
            rag.drop_reembedding()
            st.rerun()


def _watch(rag: LightRAG) -> None:
    first = (time.time(), rag.reembedding())

    @st.fragment(run_every=_POLL_SECONDS)
    def progress() -> None:
        state = rag.reembedding()
        if state is None or not state.running:
            done("" if state is None or state.error else f"All texts are embedded with {state.model}.")
            return
        st.progress(state.done / state.total if state.total else 0.0, text=progress_line(state, *first))
        if state.error:
            st.warning(literal(setting_fields.in_labels(state.error)))
        if st.button("Pause", icon=":material/pause:"):
            rag.pause_reembedding()
            st.rerun()

    progress()


def progress_line(state: Reembedding, since: float, first: Reembedding | None) -> str:
    """Return how far embedding anew is, with the time left at the pace since a moment, as Markdown."""
    if not state.total:
        return f"{literal(state.model)} · gathering the texts"
    parts = [literal(state.model), f"{number(state.done)} of {counted(state.total, 'text')}"]
    made = state.done - (first.done if first and first.total else 0)
    if made > 0 and not state.error:
        parts.append(f"{roughly((time.time() - since) / made * (state.total - state.done))} left")
    return " · ".join(parts)
