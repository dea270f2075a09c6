"""The Chat screen: a conversation, each answer beside its evidence."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from lightrag_engine import MODES, LightRAG, QueryParam
from ui.chat import session, support
from ui.chat.actions import actions
from ui.chat.answer_view import show_turn
from ui.chat.conversations import head
from ui.chat.drawer import document_names, drawer, options_line
from ui.chat.session import Chat
from ui.chat.streaming import stream
from ui.chat.turns import Turn, found_line, history
from ui.empty import no_documents
from ui.engine import show_error
from ui.markdown import literal
from ui.modes import MODE_HELP, MODE_LINES
from ui.scroll import into_view

_INTRODUCTION = "Ask your documents in your own words; every answer shows the passages it rests on."
_LEAST_WIDTH = 360
_LOOK_SECONDS = 1.5


def screen(rag: LightRAG) -> None:
    """Show the conversation, and answer the question that waits."""
    if not rag.graph:
        st.title("Chat", anchor=False)
        no_documents(rag, _INTRODUCTION)
        return
    chat = session.current(rag)
    head(rag, chat)
    if chat.problem:
        show_error(chat.problem)
        chat.problem = None
    param, question = _input(rag)
    names = document_names(rag)
    if not chat.turns:
        introduction, offered = st.empty(), st.empty()
        introduction.markdown(_INTRODUCTION)
        chosen = offered.pills(
            "For example", rag.suggested_questions(), format_func=literal, key="suggested", wrap=True
        )
        question = question or chosen or ""
        if question:
            introduction.empty()
            offered.empty()
    if question.strip():
        chat.ask(Turn(question.strip(), param))
    _watch(rag, chat, _shown(chat))
    for index, turn in enumerate(chat.turns):
        if index == len(chat.turns) - 1:
            into_view(index, key=f"newest_{index}")
        with st.chat_message("user", avatar=":material/person:"):
            st.markdown(literal(turn.question))
            if line := options_line(turn.param, rag.query_param(), names):
                st.caption(literal(f"Asked {line}"))
        if turn.waiting:
            _answer_now(rag, chat, turn)
        else:
            _answered(rag, chat, turn)


def _input(rag: LightRAG) -> tuple[QueryParam, str]:
    # Placed by hand: an input that Streamlit pins by itself also makes the page jump to its end as it grows.
    with st.bottom:
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            mode = st.segmented_control(
                "Mode",
                MODES,
                default="mix",
                required=True,
                format_func=str.capitalize,
                key="mode",
                bind="query-params",
                label_visibility="collapsed",
            )
            mode = mode or "mix"  # an empty ?mode= in the address gives None
            param = rag.query_param(mode=mode, **drawer(rag))
            line = options_line(param, rag.query_param(), document_names(rag))
            st.caption(literal(line[:1].upper() + line[1:]) if line else MODE_LINES[mode], help=MODE_HELP)
        question = st.chat_input("Ask a question about your documents", submit_mode="stop", key="question")
    return param, question or ""


@st.fragment(run_every=_LOOK_SECONDS)
def _watch(rag: LightRAG, chat: Chat, drawn: list[Any]) -> None:
    """Draw the page anew when what it shows is not so any more.

    The stop button of the page's input ends the script where it stands, so that nothing else would take away
    what was on its way. The conversation may go on in another window; and marks come after the text.
    """
    if not chat.waiting and (_shown(chat) != drawn or session.changed(rag, chat)):
        st.rerun()


def _shown(chat: Chat) -> list[Any]:
    return [(turn.id, bool(turn.supported)) for turn in chat.turns if not turn.waiting]


def _answer_now(rag: LightRAG, chat: Chat, turn: Turn) -> None:
    chat.begin(rag)
    session.write_address(rag, chat)
    # Side by side, and the evidence below the answer where there is no room.
    grid = st.grid(2, min_column_width=_LEAST_WIDTH, gap="medium")
    with grid.cell(), st.chat_message("assistant", avatar=":material/hub:"):
        stream(rag, turn, history(chat.turns[:-1]), partial(chat.keep, rag, turn))
    # Drawn anew as an answer that is there.
    st.rerun()


@st.fragment
def _answered(rag: LightRAG, chat: Chat, turn: Turn) -> None:
    key = f"turn_{turn.id}"
    grid = st.grid(2, min_column_width=_LEAST_WIDTH, gap="medium")
    answer, aside = grid.cell(), grid.cell()
    is_open = chat.is_open(turn)
    if is_open:
        support.ask(rag, turn)
    with answer, st.chat_message("assistant", avatar=":material/hub:"):
        chosen = show_turn(rag, turn, key, aside if is_open else None, with_graph=True)
        actions(chat, turn, key)
    if chosen and not is_open:
        chat.opened = turn.id
        st.rerun()
    if not is_open and turn.context is not None:
        with aside:
            if st.button(
                f"Evidence: {found_line(turn.context)}",
                icon=":material/plagiarism:",
                type="tertiary",
                key=f"{key}_evidence",
            ):
                chat.opened = turn.id
                st.rerun()
