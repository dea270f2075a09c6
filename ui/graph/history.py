"""What was edited by hand: each edit with what it did, taking it back, and making it again."""

from __future__ import annotations

import time
from functools import partial

import streamlit as st

from lightrag_engine import Edit, LightRAG
from ui.format import counted, roughly, shortened
from ui.graph import session
from ui.graph.changing import make
from ui.markdown import literal

_LISTED = 12
_ABOUT_ONE = 8
_MORE = "edits_listed"


def history(rag: LightRAG) -> None:
    """List all edits, newest first; those that were taken back too."""
    edits = rag.edits()
    if not edits:
        st.caption(
            "Nothing was edited yet. Choose an entity or a relation to change it, or add one. What documents "
            "say stays kept: every edit can be taken back."
        )
        return
    undone = sum(not edit.active for edit in edits)
    st.caption(
        counted(len(edits), "edit") + (f", {undone:,} taken back" if undone else "") + ", newest first"
    )
    listed = int(st.session_state.get(_MORE, _LISTED))
    for edit in edits[:listed]:
        with st.container(border=True, gap="xsmall"):
            _row(rag, edit)
    if len(edits) > listed:
        st.button(
            f"Show {min(_LISTED, len(edits) - listed)} older",
            type="tertiary",
            on_click=lambda: st.session_state.update({_MORE: listed + _LISTED}),
        )


def about(rag: LightRAG, key: str) -> None:
    """List the last edits of an entity and its relations that count."""
    for edit in [edit for edit in rag.edits(key) if edit.active][:_ABOUT_ONE]:
        _row(rag, edit)


def steps(rag: LightRAG) -> None:
    """Show the way back from the last edit, and the way forward again."""
    edits = rag.edits()
    last = next((edit for edit in edits if edit.active), None)
    undone = next((edit for edit in edits if not edit.active), None)
    row = st.container(horizontal=True, gap="small")
    back = row.button(
        "Undo",
        icon=":material/undo:",
        key="undo_last_edit",
        type="tertiary",
        help=f"Takes back: {literal(shortened(last.text, 120))}" if last else "No edit counts now",
        disabled=last is None,
    )
    again = row.button(
        "Redo",
        icon=":material/redo:",
        key="redo_last_edit",
        type="tertiary",
        help="Makes the edit count again that was taken back last" if undone else "No edit was taken back",
        disabled=undone is None,
    )
    if back and last:
        make(partial(_undo, rag, last.id), "Undone: {}")
    elif again:
        make(rag.redo, "Redone: {}")


def _row(rag: LightRAG, edit: Edit) -> None:
    row = st.container(horizontal=True, vertical_alignment="center")
    text = literal(shortened(edit.text, 160))
    row.markdown(text if edit.active else f":gray[{text} (taken back)]", width="stretch")
    label, change, said = ("Undo", _undo, "Undone: {}") if edit.active else ("Redo", _redo, "Redone: {}")
    key = f"{label.lower()}_edit_{edit.id}"
    if row.button(label, key=key, type="tertiary", help=f"{label} just this edit; the others stay"):
        make(partial(change, rag, edit.id), said)
    if said_more := what(edit):
        st.caption(literal(said_more))
    st.caption(when(edit.at, time.time()), help=time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(edit.at)))


def what(edit: Edit) -> str:
    """Return what an edit says besides its sentence: the description and the keywords that were given."""
    parts = [shortened(edit.description, 160)] if edit.description else []
    if edit.keywords and edit.description:
        parts.append(f"about {shortened(', '.join(edit.keywords), 120)}")
    return " · ".join(parts)


def when(at: float, now: float) -> str:
    """Return how long ago something was.

    Examples
    --------
    >>> when(1000.0, 1030.0), when(0.0, 7200.0)
    ('just now', 'about 2.0 h ago')
    """
    return "just now" if now - at < 60 else f"{roughly(now - at)} ago"


def _undo(rag: LightRAG, edit_id: int) -> Edit:
    edit = rag.undo(edit_id)
    chosen = session.current().state.chosen
    # What was renamed or deleted is found by its former name again.
    if chosen and not any(key in rag.graph for key in chosen):
        session.change(
            selecting=True, chosen=tuple(key for key in edit.keys if key in rag.graph)[:1], edge=None
        )
    return edit


def _redo(rag: LightRAG, edit_id: int) -> Edit:
    return rag.redo(edit_id)
