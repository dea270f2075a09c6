"""A comparison to take away, as one file."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lightrag_engine.evaluation.document import Block, as_html, as_markdown
from lightrag_engine.evaluation.report import comparison_report
from ui.compare.session import Shown


def downloads(shown: Shown) -> None:
    """Offer the comparison as HTML and Markdown."""
    comparison, _ = shown.kept
    st.caption(
        "Question, answers, tables, pictures, verdicts and settings in one file that needs no network."
    )
    buttons(
        comparison_report(comparison, shown.measures, shown.judgement, shown.vote), "comparison", shown.id
    )


def buttons(blocks: Sequence[Block], name: str, key: str) -> None:
    """Offer blocks as HTML and Markdown under a file name."""
    with st.container(horizontal=True):
        for ending, mime, text in (
            ("html", "text/html", as_html(blocks)),
            ("md", "text/markdown", as_markdown(blocks)),
        ):
            st.download_button(
                f"Report as {'HTML' if ending == 'html' else 'Markdown'}",
                text.encode("utf-8", "replace"),
                file_name=f"{name}.{ending}",
                mime=mime,
                icon=":material/download:",
                on_click="ignore",
                key=f"report_{ending}_{key}",
            )
