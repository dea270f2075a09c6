"""The columns: each shows its answer as it comes, and keeps it whatever else is touched."""

from __future__ import annotations

import time

import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.conversations import Turn as Kept
from lightrag_engine.evaluation.comparing import Column
from ui.chat.answer_view import show_turn
from ui.chat.turns import Turn
from ui.compare.session import Shown
from ui.engine import show_error
from ui.format import duration
from ui.markdown import literal, safe_answer
from ui.modes import MODE_LINES

POLL_SECONDS = 0.4
_LEAST_WIDTH = 205


def columns(rag: LightRAG, shown: Shown) -> None:
    """Show all columns at the same time.

    Each is looked at again and again while it is written. A loop that waits for the text would keep the
    script running until the slowest column is complete, and a click in another one unanswered as long.
    """
    places = range(len(shown.order))
    grid = st.grid(len(places), min_column_width=_LEAST_WIDTH, gap="small", border=True)
    for place in places:
        writing = _is_written(shown, place)
        with grid.cell():
            panel = st.fragment(_panel, parallel=True, run_every=POLL_SECONDS if writing else None)
            panel(rag, shown, place, writing)


def _is_written(shown: Shown, place: int) -> bool:
    return not (shown.comparing.columns[shown.order[place]].ended or shown.ended)


def _panel(rag: LightRAG, shown: Shown, place: int, writing: bool) -> None:
    column = shown.comparing.columns[shown.order[place]]
    explained = MODE_LINES[column.variant.mode] if shown.revealed else None
    st.subheader(literal(shown.name(place)), anchor=False, help=explained)
    if _is_written(shown, place):
        _so_far(column, shown)
        return
    if writing:
        st.rerun()  # it is complete: from now on nobody needs to look again
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


def _so_far(column: Column, shown: Shown) -> None:
    if text := column.stream.text:
        st.markdown(safe_answer(text))
        return
    what = "Reading the evidence" if column.stream.retrieved else "Looking for evidence"
    st.caption(f":shimmer[{what} …] {duration(time.time() - shown.comparing.asked_at)}")


def _turn(shown: Shown, column: Column) -> Turn:
    result = column.result
    return Turn(
        question=shown.comparing.question,
        param=column.stream.param,
        text=result.text,
        keywords=column.stream.keywords,
        context=result.context,
        record=Kept(
            shown.comparing.question,
            column.stream.param,
            result.answer,
            stopped=not result.answered and column.error is None,
        ),
    )
