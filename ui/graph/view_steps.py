"""The way back and forth between views."""

from __future__ import annotations

import streamlit as st

from ui.graph import session


def steps() -> None:
    """Show the way back and forth between views."""
    now = session.current()
    for label, icon, action, possible in (
        ("Back to the view before", "undo", session.undo, now.past),
        ("Forward again", "redo", session.redo, now.future),
    ):
        st.button(
            "",
            icon=f":material/{icon}:",
            key=icon,
            help=label,
            type="tertiary",
            on_click=action,
            disabled=not possible,
        )
