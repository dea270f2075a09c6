"""The columns: each shows its answer as it comes, and keeps it whatever else is touched."""

from __future__ import annotations

import time

import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.evaluation.comparing import Column
from ui.answer_view import show_turn
from ui.compare.session import Shown
from ui.engine import show_error
from ui.format import duration
from ui.markdown import literal, safe_answer
from ui.modes import MODE_LINES
from ui.turns import Turn

_REDRAW_SECONDS = 0.1
_LEAST_WIDTH = 205


def columns(rag: LightRAG, shown: Shown) -> None:
    """Show all columns at the same time."""
    places = range(len(shown.order))
    grid = st.grid(len(places), min_column_width=_LEAST_WIDTH, gap="small", border=True)
    for place in places:
        with grid.cell():
            _panel(rag, shown, place)


@st.fragment(parallel=True)
def _panel(rag: LightRAG, shown: Shown, place: int) -> None:
    column = shown.comparing.columns[shown.order[place]]
    explained = MODE_LINES[column.variant.mode] if shown.revealed else None
    st.subheader(literal(shown.name(place)), anchor=False, help=explained)
    while_writing = st.empty()
    _watch(column, shown, while_writing)
    while_writing.empty()
    if column.error is not None:
        show_error(column.error)
    if not column.stream.retrieved:
        if column.error is None:
            st.caption("Stopped before anything was found.")
        return
    turn = _turn(shown, column)
    if not shown.revealed:
        if turn.text:
            st.markdown(safe_answer(turn.text))
        st.caption("Mode, evidence and times are shown after your vote.")
        return
    answer, aside = st.container(), st.container()
    with answer:
        show_turn(rag, turn, f"compared_{shown.id}_{place}", aside)


def _watch(column: Column, shown: Shown, box: st.delta_generator.DeltaGenerator) -> None:
    """Draw the text as it grows. Nothing is lost when this is broken off: the engine goes on writing."""
    began = time.monotonic()
    while not column.ended and shown.comparing.running:
        text = column.stream.text
        if text:
            box.markdown(safe_answer(text))
        else:
            what = "Reading the evidence" if column.stream.retrieved else "Looking for evidence"
            box.caption(f":shimmer[{what} …] {duration(time.monotonic() - began)}")
        time.sleep(_REDRAW_SECONDS)


def _turn(shown: Shown, column: Column) -> Turn:
    result = column.result
    return Turn(
        question=shown.comparing.question,
        mode=column.variant.mode,
        text=result.text,
        keywords=column.stream.keywords,
        context=result.context,
        answer=result.answer,
        stopped=not result.answered and column.error is None,
    )
