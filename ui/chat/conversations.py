"""The head of the Chat page: which conversation, a new one, its name, its exports, its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from lightrag_engine import LightRAG, LightRAGError
from lightrag_engine.conversations import (
    LONGEST_NAME,
    ConversationInfo,
    conversation_json,
    conversation_markdown,
)
from lightrag_engine.documents.names import safe_name
from lightrag_engine.names import content_id
from ui.chat import session
from ui.chat.session import NEW, Chat
from ui.engine import show_error
from ui.format import counted, shortened
from ui.markdown import literal

_NAME = 70  # characters of a name in the list


def head(rag: LightRAG, chat: Chat) -> None:
    """Show the title, the conversations of the workspace, and what can be done with this one."""
    infos = {info.id: info for info in rag.conversations()}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.title("Chat", anchor=False, width="content")
        _picker(rag, chat, infos)
        if chat.turns:
            st.button(
                "New chat",
                icon=":material/edit_square:",
                on_click=session.show,
                args=(rag, NEW),
                key="new_chat",
            )
        if info := infos.get(chat.id):
            _menu(rag, info)


def _picker(rag: LightRAG, chat: Chat, infos: dict[str, ConversationInfo]) -> None:
    if not infos:
        return
    options = [*([] if chat.id else [NEW]), *infos]
    labels = conversation_labels(list(infos.values()))
    # Another conversation, or name, is another widget: the session says which is chosen, not the widget.
    key = content_id("conversation", rag.name, chat.id, labels.get(chat.id, ""))

    def chosen() -> None:
        session.show(rag, st.session_state[key])

    st.selectbox(
        "Conversation",
        options,
        index=options.index(chat.id) if chat.id in infos else 0,
        format_func=lambda id_: labels.get(id_, "New conversation"),
        key=key,
        label_visibility="collapsed",
        on_change=chosen,
    )


def conversation_labels(infos: Sequence[ConversationInfo]) -> dict[str, str]:
    """Return what conversations are called in a list, by their ids; those of one name are numbered by age."""
    names = {info.id: shortened(info.name, _NAME) for info in infos}
    seen: Counter[str] = Counter()
    labels = {}
    for info in sorted(infos, key=lambda info: info.created_at):
        name = names[info.id]
        seen[name] += 1
        labels[info.id] = f"{name} ({seen[name]})" if seen[name] > 1 else name
    return labels


def _menu(rag: LightRAG, info: ConversationInfo) -> None:
    key = content_id("menu", info.id, info.name)
    menu = st.popover("", icon=":material/more_horiz:", help="Rename, export, delete", key=key)
    with menu:
        with st.form(f"{key}_rename", border=False):
            name = st.text_input(
                "Name",
                info.name if info.named else "",
                placeholder=shortened(info.name, 40),
                max_chars=LONGEST_NAME,
                help="Empty: named by its first question",
            )
            if st.form_submit_button("Rename"):
                _rename(rag, info, name)
        file = safe_name(info.name)
        st.download_button(
            "Export as Markdown",
            lambda: conversation_markdown(rag.conversation(info.id)).encode("utf-8", "replace"),
            file_name=f"{file}.md",
            mime="text/markdown",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
            key=f"{key}_md",
            help="Questions, answers, passages and tables, to be read",
        )
        st.download_button(
            "Export as JSON",
            lambda: conversation_json(rag.conversation(info.id)).encode("utf-8", "replace"),
            file_name=f"{file}.json",
            mime="application/json",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
            key=f"{key}_json",
            help="Everything that is kept, for programs",
        )
        if st.button("Delete …", icon=":material/delete:", type="tertiary", key=f"{key}_delete"):
            _delete(rag, info)


def _rename(rag: LightRAG, info: ConversationInfo, name: str) -> None:
    try:
        rag.rename_conversation(info.id, name)
    except LightRAGError as error:
        show_error(error)
    else:
        st.rerun()


@st.dialog("Delete conversation?")
def _delete(rag: LightRAG, info: ConversationInfo) -> None:
    st.markdown(
        f"**{literal(info.name)}** with {counted(info.turns, 'question')}, the answers and their evidence, "
        "is deleted for good."
    )
    if st.button("Delete for good", type="primary", icon=":material/delete:"):
        try:
            rag.delete_conversation(info.id)
        except LightRAGError as error:
            show_error(error)
            return
        session.show(rag, NEW)
        st.rerun()
