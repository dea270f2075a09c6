"""The three tables of a context, on screen and as downloads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from lightrag_engine.records import Reason
from lightrag_engine.retrieval.context import Context
from ui import colors
from ui.downloads import csv_bytes
from ui.format import number

_HEIGHT = 300
_TITLES = ("Entities", "Relations", "Sources")
# What is read comes first; the downloads have every column.
_ORDER = {
    "Entities": ("entity", "type", "description", "rank"),
    "Relations": ("source", "target", "description", "keywords", "weight"),
    "Sources": ("id", "content", "why", "document", "page"),
}


_WHY = (
    "**named**: holds what the question names · **path**: reached from there, passage by passage, by the "
    "names shown · **entity**, **relation**: one that is near to the question was read here · **words**: "
    "shares words with the question · **meaning**: its text is near to the question"
)


def context_tables(context: Context, key: str) -> None:
    """Show the tables in tabs, each with a download. `key` must differ on every call of a page."""
    tables = (context.entities, context.relations, context.sources)
    tabs = st.tabs([f"{title} {number(len(table))}" for title, table in zip(_TITLES, tables, strict=True)])
    for tab, title, table in zip(tabs, _TITLES, tables, strict=True):
        with tab:
            _table(title, table, context, key)


def _table(title: str, table: pd.DataFrame, context: Context, key: str) -> None:
    name = title.lower()
    if table.empty:
        st.caption(nothing_line(title, context.mode))
        return
    shown = table
    if title == "Entities":
        shown = table.assign(type=table["type"].map(lambda kind: [kind]))
    elif title == "Sources":
        shown = table.assign(why=[why_line(row.why) for row in context.source_rows])
    st.dataframe(
        shown,
        key=f"{key}_{name}",
        hide_index=True,
        height=min(38 + 35 * len(table), _HEIGHT),
        column_order=_ORDER[title],
        column_config=_columns(title, table),
        alt=f"{title} that the answer was written from",
    )
    st.download_button(
        f"Download {name} as CSV",
        csv_bytes(table),
        file_name=f"{name}.csv",
        mime="text/csv",
        key=f"{key}_{name}_csv",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
    )


def why_line(reasons: Sequence[Reason]) -> str:
    """Return why a passage is among the sources, in a line.

    Examples
    --------
    >>> why_line([Reason("named", 1, ("Mara Quill",)), Reason("words", 4)])
    'named: Mara Quill · words'
    """
    return " · ".join(dict.fromkeys(str(reason) for reason in reasons))


def nothing_line(title: str, mode: str) -> str:
    """Return why a table is empty.

    Examples
    --------
    >>> nothing_line("Entities", "naive")
    'Naive mode looks for passages only, not for entities.'
    >>> nothing_line("Sources", "naive")
    'No sources were found for this question.'
    """
    if mode == "naive" and title != "Sources":
        return f"Naive mode looks for passages only, not for {title.lower()}."
    return f"No {title.lower()} were found for this question."


def _columns(title: str, table: pd.DataFrame) -> dict[str, Any]:
    text, count = st.column_config.TextColumn, st.column_config.NumberColumn
    if title == "Entities":
        return {
            "entity": text("Entity", width=115),
            "type": type_column(sorted(set(table["type"]))),
            "description": text("Description", width=320),
            "rank": count("Degree", format="localized", width=70, help="How many relations the entity has"),
        }
    if title == "Relations":
        return {
            "source": text("Source", width=100),
            "target": text("Target", width=100),
            "keywords": text("About", width=130),
            "description": text("Description", width=320),
            "weight": count("Weight", format="%.1f", width=70),
        }
    return {
        "id": count("#", width=45, help="The number of its citation"),
        "content": text("Passage", width=190),
        "why": text("Why", width=205, help=_WHY),
        "document": text("Document", width=170),
        "page": text("Page", width=60),
    }


def type_column(types: Sequence[str]) -> Any:
    """Return a column that shows entity types as chips in their colours; its cells are lists of one type."""
    grounds = [colors.style_of(kind).light_outline for kind in types]
    return st.column_config.MultiselectColumn("Type", width=100, options=list(types), color=grounds)
