"""A mark in a page that scrolls itself into view once."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_mark = st.components.v2.component(
    "lightrag_scroll",
    html="<span></span>",
    js=(Path(__file__).parent / "assets" / "scroll.js").read_text(encoding="utf-8"),
)


def into_view(turn: int, key: str) -> None:
    """Scroll to this place of the page, once for every `turn`, and stay while what follows grows."""
    _mark(data={"turn": turn}, key=key)
