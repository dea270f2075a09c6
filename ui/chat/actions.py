"""What can be done with a turn: ask again, ask otherwise, retrieve with other keywords, open its evidence."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lightrag_engine import Keywords
from ui.chat.session import Chat
from ui.chat.turns import Turn
from ui.format import counted

_LONGEST = 2000  # characters of a question


def actions(chat: Chat, turn: Turn, key: str) -> None:
    """Offer what can be done with an answered turn; call it in a fragment."""
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        newest = not chat.after(turn)
        if newest and st.button("Regenerate", icon=":material/refresh:", type="tertiary", key=f"{key}_again"):
            chat.ask_instead(turn, turn.anew(keywords=turn.param.keywords))
            st.rerun()
        edit = st.popover(
            "Edit", icon=":material/edit:", type="tertiary", key=f"{key}_edit", on_change="rerun"
        )
        if edit.open:
            with edit:
                _edit(chat, turn, key)
        if turn.keywords is not None:
            words = st.popover(
                "Keywords", icon=":material/key:", type="tertiary", key=f"{key}_words", on_change="rerun"
            )
            if words.open:
                with words:
                    _keywords(chat, turn, turn.keywords, key)


def _edit(chat: Chat, turn: Turn, key: str) -> None:
    with st.form(f"{key}_edit_form", border=False):
        question = st.text_area("Question", turn.question, max_chars=max(_LONGEST, len(turn.question)))
        _warn(chat, turn)
        if st.form_submit_button("Ask again", type="primary") and question.strip():
            chat.ask_instead(turn, turn.anew(question.strip()))
            st.rerun()


def _keywords(chat: Chat, turn: Turn, found: Keywords, key: str) -> None:
    with st.form(f"{key}_words_form", border=False):
        high = _words("Themes", found.high_level, "What the question is about: looked up among the relations")
        low = _words("Details", found.low_level, "What the question names: looked up among the entities")
        _warn(chat, turn)
        if st.form_submit_button("Retrieve again with these", type="primary"):
            chosen = Keywords(tuple(high), tuple(low), question=found.question)
            chat.ask_instead(turn, turn.anew(keywords=chosen))
            st.rerun()


def _words(label: str, words: Sequence[str], explained: str) -> list[str]:
    return st.multiselect(
        label,
        list(dict.fromkeys(words)),
        default=list(dict.fromkeys(words)),
        accept_new_options=True,
        help=f"{explained}. Type to add one.",
        placeholder="Type a keyword",
    )


def _warn(chat: Chat, turn: Turn) -> None:
    if later := chat.after(turn):
        st.caption(f":material/info: The {counted(later, 'turn')} after this one will be removed.")
