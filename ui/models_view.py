"""The models of a workspace: which one does what, those on the server, and getting another one."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from lightrag_engine import LightRAG, LightRAGError
from lightrag_engine.language.ollama import OllamaState
from ui import models, pull_view, setting_fields
from ui.format import counted
from ui.markdown import literal
from ui.setting_fields import Field
from ui.settings_view import at_work, done, refused, settings_form
from ui.sidebar import model_name

_FOUND_FOR = 60  # seconds; "Look again" asks at once


@st.cache_data(show_spinner="Looking for the server …", ttl=_FOUND_FOR, max_entries=20)
def _found(_rag: LightRAG, workspace: str, address: str) -> OllamaState:
    return _rag.server()


def server_state(rag: LightRAG) -> OllamaState:
    """Return what the Ollama server has; asked at most once a minute."""
    try:
        return _found(rag, rag.name, f"{rag.settings.data_dir} {rag.settings.ollama_host}")
    except LightRAGError as error:
        return OllamaState(rag.settings.ollama_host, reason=str(error), hint=error.hint)


def language(rag: LightRAG, state: OllamaState) -> None:
    """Let a person choose the model of each task."""
    choice = rag.models()
    st.subheader("Language", anchor=False)
    if choice.reading == choice.keywords == choice.language:
        in_use(choice.language, choice.language_reason)
    else:
        tasks = ((choice.language, "answers"), (choice.reading, "reads documents"))
        parts = [f"**{literal(model_name(name))}** {task}" for name, task in tasks]
        keywords = f"**{literal(model_name(choice.keywords))}** finds keywords"
        st.caption(f"In use: {', '.join(parts)}, {keywords}.")
    if not state.reachable:
        st.caption(
            f"Only the built-in language is there to choose: {literal(state.reason)} See the tab Server."
        )
    first = {"language_model": [models.AUTO]}
    settings_form(
        rag,
        "language",
        setting_fields.LANGUAGE,
        {
            field.name: partial(_language_choice, rag, state, first.get(field.name, [models.SAME]))
            for field in setting_fields.LANGUAGE
            if field.name.endswith("_model")
        },
    )
    pull_view.offer(rag, models.absent(rag.settings, state))


def in_use(model: str, reason: str) -> None:
    """Say which model is in use, and why."""
    st.caption(f"In use: **{literal(model_name(model))}**, {literal(reason.rstrip('.'))}.")


def _language_choice(
    rag: LightRAG, state: OllamaState, first: list[str], field: Field, key: str, disabled: bool
) -> Any:
    value = getattr(rag.settings, field.name)
    options = models.language_options(state, value, first)
    return model_choice(field.label, options, value, state, key, disabled)


def model_choice(
    label: str, options: list[str], value: str, state: OllamaState, key: str, disabled: bool = False
) -> str:
    """Show a list of models, in which another one can be written; return the value for the setting."""
    chosen = st.selectbox(
        label,
        options,
        index=options.index(value),
        format_func=lambda option: models.option_label(option, state),
        key=key,
        disabled=disabled,
        accept_new_options=True,
        help="A model of an OpenAI-compatible server is written as openai:NAME.",
    )
    return models.full_value(chosen or value, state)


def server(rag: LightRAG, state: OllamaState) -> None:
    """Show whether the Ollama server is there, what it has, and offer to get another model."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if state.reachable:
            st.badge("Answers", icon=":material/check:", color="green")
            version = f"Ollama {literal(state.version)} at " if state.version else ""
            st.markdown(f"{version}**{literal(state.address)}** · {counted(len(state.models), 'model')}")
        else:
            st.badge("No server", icon=":material/cloud_off:", color="gray")
            st.markdown(f"**{literal(state.address)}**")
        st.space("stretch")
        if st.button("Look again", icon=":material/refresh:", disabled=at_work(rag)):
            look_again(rag)
    if not state.reachable:
        hint = setting_fields.in_labels(state.hint or "Start it, then look again.")
        st.info(literal(hint), title=literal(state.reason))
        return
    if state.models:
        _table(state)
    else:
        st.caption("The server has no model yet: get one below.")
    pull_view.pull(rag, lambda name: look_again(rag, f"{name} is on the server."))


def look_again(rag: LightRAG, message: str = "") -> None:
    """Ask for the server anew, choose the models again, and say what was found."""
    _found.clear()
    try:
        with st.spinner("Looking for the server …"):
            choice = rag.look_again()
    except LightRAGError as error:
        refused(error)
    else:
        done(message or f"Language: {choice.language}. Embeddings: {choice.embedding}.")


def _table(state: OllamaState) -> None:
    text, count = st.column_config.TextColumn, st.column_config.NumberColumn
    st.dataframe(
        models.model_table(state.models),
        key="server_models",
        hide_index=True,
        placeholder="–",
        alt="Models of the Ollama server with their size, context length and capabilities",
        column_config={
            "name": text("Model", width=200),
            "parameters": text("Parameters", width=85, alignment="right"),
            "quantization": text("Quantization", width=95),
            "size": count("Size", format="bytes", width=75),
            "context": count("Context", format="localized", width=80, help="Prompt plus reply, tokens"),
            "dimensions": count("Dimensions", format="localized", width=85, help="Length of its vectors"),
            "can": st.column_config.ListColumn("Can", width=190),
            "runs": text("Runs on", width=100, help="Elsewhere: texts leave the server"),
        },
    )
