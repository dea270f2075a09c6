"""An answer on screen: its text and citations, and beside it the evidence it rests on."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lightrag_engine import LightRAG
from lightrag_engine.errors import MissingModelError
from ui import pull_view
from ui.chat import citations, support
from ui.chat.evidence import evidence
from ui.chat.streaming import done_line
from ui.chat.turns import METRICS_HELP, Turn, metrics_line
from ui.engine import show_error
from ui.markdown import literal, safe_answer

Box = DeltaGenerator


def show_turn(rag: LightRAG, turn: Turn, key: str, aside: Box | None, *, with_graph: bool = False) -> bool:
    """Show an answer, and its evidence in the box `aside` if there is one; call it in a fragment.

    `key` must differ from answer to answer. A choice of a citation runs the fragment anew; returns whether
    one was just chosen by its number in the text.
    """
    if steps := done_line(turn):
        st.caption(steps)
    if turn.text:
        show_text(turn)
    if turn.error:
        show_error(turn.error)
        if isinstance(turn.error, MissingModelError):
            pull_view.offer_elsewhere(rag, turn.error.model, f"{key}_pull")
    elif turn.stopped:
        st.caption(f":material/stop_circle: {_stopped_line(turn)}")
    chosen = False
    if turn.answer:
        if turn.answer.thinking:
            with st.expander("What the model thought", type="compact"):
                st.text(turn.answer.thinking)
        for note in turn.answer.notes:
            st.caption(f":material/info: {literal(note)}")
        st.caption(literal(metrics_line(turn.answer)), help=METRICS_HELP)
        chosen = citations.hover(turn.answer.citations, key)
    if aside is not None and turn.record and turn.answer:
        with aside:
            evidence(rag, turn.record, turn.answer, key, with_graph=with_graph)
    return chosen


def show_text(turn: Turn) -> None:
    """Show the text of an answer; tables or a prompt, where these were asked for, as they are."""
    if turn.param.wants_answer:
        marks = support.doubtful(turn)
        st.markdown(safe_answer(turn.text, [(one.start, one.end) for one in marks]))
        support.legend(marks)
    else:
        st.code(turn.text, language=None, wrap_lines=True, height=420)


def _stopped_line(turn: Turn) -> str:
    if turn.text:
        return "Stopped: what was written so far is kept."
    if turn.context is not None:
        return "Stopped before anything was written; what was found is kept."
    return "Stopped before anything was found."
