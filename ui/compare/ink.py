"""The colours of pictures in the theme of the page."""

from __future__ import annotations

import streamlit as st

from lightrag_engine.evaluation.figures import DARK, LIGHT, Ink


def ink() -> Ink:
    """Return what pictures are drawn with in the theme in use."""
    return DARK if st.context.theme.type == "dark" else LIGHT
