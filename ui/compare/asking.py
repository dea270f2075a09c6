"""What is compared: the question, and two to five ways to answer it."""

from __future__ import annotations

import streamlit as st

from lightrag_engine import MODES, LightRAG, LightRAGError, QueryError, Variant
from lightrag_engine.evaluation.variants import FEWEST, MOST, parse_variant
from ui.compare import session
from ui.engine import show_error
from ui.markdown import literal
from ui.models import BUILTIN
from ui.modes import MODE_HELP

_EXTRA = "compared_extra"
_DEFAULT = ["naive", "mix"]


def label(code: str) -> str:
    """Return what a person reads for a variant's code."""
    try:
        return parse_variant(code).label
    except QueryError:
        return code


def variant_picker(title: str, key: str) -> list[str]:
    """Let modes and added variants be chosen; return their codes."""
    chosen = st.session_state.setdefault(key, list(_DEFAULT))
    options = list(dict.fromkeys([*MODES, *st.session_state.setdefault(_EXTRA, []), *chosen]))
    return st.multiselect(
        title,
        options,
        max_selections=MOST,
        format_func=label,
        key=key,
        persist_state="session",
        help=MODE_HELP,
    )


def add_variant(rag: LightRAG, keys: list[str]) -> None:
    """Let the same mode be compared with another model or number of hits."""
    with st.popover("Another variant", icon=":material/tune:"):
        st.caption("The same mode can be compared with another model, or with fewer or more hits.")
        mode = st.selectbox("Mode", MODES, format_func=str.capitalize, key="extra_mode")
        top_k = st.number_input(
            "Hits looked up (top k)", 1, 1000, rag.settings.top_k, key="extra_top_k", width=200
        )
        model = st.text_input(
            "Model",
            key="extra_model",
            placeholder="as in the settings",
            help=f"{BUILTIN}, ollama:NAME or openai:NAME; empty: the model of the settings.",
        )
        if st.button("Add", key="extra_add"):
            wanted = Variant(mode, 0 if top_k == rag.settings.top_k else top_k, model.strip())
            extra: list[str] = st.session_state[_EXTRA]
            if str(wanted) not in [*MODES, *extra]:
                extra.append(str(wanted))
            for key in keys:
                now = st.session_state.get(key) or []
                if str(wanted) not in now and len(now) < MOST:
                    st.session_state[f"{key}_next"] = [*now, str(wanted)]
            st.rerun()


def take_over_added(key: str) -> None:
    """Choose what was added in the run before; before the widget is drawn, for it owns its value then."""
    if (chosen := st.session_state.pop(f"{key}_next", None)) is not None:
        st.session_state[key] = chosen


def form(rag: LightRAG) -> None:
    """Show what can be asked, and start a comparison when asked to."""
    take_over_added(session.MODES_KEY)
    with st.form("compare", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            question = st.text_input(
                "Question",
                key=session.QUESTION_KEY,
                persist_state="session",
                placeholder="Who worked with whom, and why?",
            )
            asked = st.form_submit_button("Compare", type="primary", icon=":material/view_column:")
        codes = variant_picker("Modes (two to five)", session.MODES_KEY)
        blind = st.toggle(
            "Blind: shuffle the answers and keep their names back until I have voted",
            key=session.BLIND_KEY,
            persist_state="session",
        )
    add_variant(rag, [session.MODES_KEY])
    problem: LightRAGError | None = st.session_state.pop("compare_problem", None)
    if problem is not None:
        show_error(problem)
    if not asked:
        return
    if not question.strip():
        st.warning("There is no question yet: type one above.")
    elif not FEWEST <= len(codes) <= MOST:
        st.warning("Choose two to five modes to compare.")
    else:
        started = session.start(rag, question.strip(), _in_order(codes), blind)
        if isinstance(started, LightRAGError):
            show_error(started)


def _in_order(codes: list[str]) -> list[str]:
    """Return codes in the order of the modes, whichever was chosen first."""
    return sorted(codes, key=lambda code: (MODES.index(parse_variant(code).mode), codes.index(code)))


def question_line(question: str) -> str:
    """Return the heading over the answers."""
    return f"Answers to **“{literal(question)}”**"
