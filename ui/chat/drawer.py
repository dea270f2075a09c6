"""The drawer of the Chat page: where to look, how the answer is written, how much is looked up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from lightrag_engine import LightRAG, QueryParam
from lightrag_engine.graphs.kinds import type_of
from lightrag_engine.names import content_id
from ui.format import counted, listed, number, shortened

_NAME = 50  # characters of a document's name
_KINDS = {"answer": "Answer", "context": "Only context", "prompt": "Only prompt"}
_FORMS = (
    "Multiple Paragraphs",
    "Single Paragraph",
    "Single Sentence",
    "List of 3-7 Points",
    "Table",
    "Multiple-Page Report",
)
_BUDGETS = {
    "max_token_for_text_unit": "Passages",
    "max_token_for_local_context": "Entities",
    "max_token_for_global_context": "Relations",
    "max_token_for_prompt": "Whole prompt",
}
_ROOM = {name: f"{label.lower()} within" for name, label in _BUDGETS.items()}
_LISTED = 3  # documents that are named one by one


def drawer(rag: LightRAG) -> dict[str, Any]:
    """Show the drawer; return the fields of `QueryParam` that differ from the defaults of the workspace."""
    default = rag.query_param()
    key = content_id("drawer", rag.name)
    with st.popover(
        "Tune",
        icon=":material/tune:",
        key=f"{key}_popover",
        help="Where to look, how to answer, how much to look up",
    ):
        chosen = {**_scope(rag, key), **_writing(default, key), **_amounts(default, key)}
        differing = {name: value for name, value in chosen.items() if value != getattr(default, name)}
        st.button(
            "Back to the defaults",
            icon=":material/restart_alt:",
            type="tertiary",
            disabled=not differing,
            on_click=_reset,
            args=(default, key),
            key=f"{key}_reset",
        )
    return differing


def _scope(rag: LightRAG, key: str) -> dict[str, Any]:
    names = document_names(rag)
    types = sorted({type_of(data) for _, data in rag.graph.nodes(data=True)})
    for field, there in (("documents", names), ("entity_types", types)):
        # What was deleted meanwhile can be chosen no more.
        kept = [one for one in st.session_state.get(f"{key}_{field}", []) if one in there]
        st.session_state[f"{key}_{field}"] = kept
    documents = st.multiselect(
        "Only in these documents",
        list(names),
        format_func=lambda id_: shortened(names.get(id_, ""), _NAME),
        key=f"{key}_documents",
        persist_state="session",
        placeholder="All documents",
    )
    entity_types = st.multiselect(
        "Only entities of these types",
        types,
        key=f"{key}_entity_types",
        persist_state="session",
        placeholder="All types",
        help="Entities of these types, relations among them, and passages in which they occur",
    )
    return {"documents": tuple(documents), "entity_types": tuple(entity_types)}


def _writing(default: QueryParam, key: str) -> dict[str, Any]:
    kind = st.segmented_control(
        "Show",
        list(_KINDS),
        default="answer",
        required=True,
        format_func=_KINDS.__getitem__,
        key=f"{key}_kind",
        persist_state="session",
        help="Only context: the tables as a model is given them. Only prompt: all that a model is sent.",
    )
    form = st.selectbox(
        "Form of the answer",
        list(dict.fromkeys([default.response_type, *_FORMS])),
        key=f"{key}_response_type",
        persist_state="session",
        accept_new_options=True,
        help="For chat models; type another one if you like",
    )
    return {
        "only_need_context": kind == "context",
        "only_need_prompt": kind == "prompt",
        "response_type": form or default.response_type,
    }


def _amounts(default: QueryParam, key: str) -> dict[str, Any]:
    left, right = st.columns(2)
    chosen = {
        "top_k": left.number_input(
            "Hits looked up (top k)", 1, 1000, default.top_k, key=f"{key}_top_k", persist_state="session"
        ),
        "history_turns": right.number_input(
            "Earlier turns told",
            0,
            50,
            default.history_turns,
            key=f"{key}_history_turns",
            persist_state="session",
            help="How much of this conversation a follow-up question is understood by; 0: nothing",
        ),
    }
    st.caption("Room in the prompt, in tokens")
    grid = st.columns(2)
    for place, (name, label) in enumerate(_BUDGETS.items()):
        chosen[name] = grid[place % 2].number_input(
            label,
            100,
            1_000_000,
            getattr(default, name),
            step=500,
            key=f"{key}_{name}",
            persist_state="session",
        )
    return chosen


def _reset(default: QueryParam, key: str) -> None:
    st.session_state[f"{key}_kind"] = "answer"
    for name in ("documents", "entity_types"):
        st.session_state[f"{key}_{name}"] = []
    for name in ("response_type", "top_k", "history_turns", *_BUDGETS):
        st.session_state[f"{key}_{name}"] = getattr(default, name)


def document_names(rag: LightRAG) -> dict[str, str]:
    """Return the names of the documents that are in the graph, by their ids."""
    return {status.id: status.name for status in rag.documents() if status.chunks}


def options_line(param: QueryParam, default: QueryParam, names: Mapping[str, str]) -> str:
    """Return how a question was asked, in so far as that differs from the defaults; without the mode.

    Examples
    --------
    >>> options_line(QueryParam(documents=("a",), top_k=5), QueryParam(), {"a": "ferry.txt"})
    'only in ferry.txt · top k 5'
    """
    parts = []
    if param.documents:
        known = [shortened(names.get(id_, "a deleted document"), _NAME) for id_ in param.documents]
        shown = listed(known) if len(known) <= _LISTED else counted(len(known), "document")
        parts.append(f"only in {shown}")
    if param.entity_types:
        parts.append(f"only {listed(param.entity_types)}")
    if param.keywords is not None:
        parts.append("your keywords")
    if not param.wants_answer:
        parts.append("only the context" if param.only_need_context else "only the prompt")
    if param.response_type != default.response_type:
        parts.append(f"as {shortened(param.response_type, _NAME)}")
    for name, label in {"top_k": "top k", "history_turns": "earlier turns", **_ROOM}.items():
        if getattr(param, name) != getattr(default, name):
            parts.append(f"{label} {number(getattr(param, name))}")
    return " · ".join(parts)
