"""The three tables of an answer, on screen and as downloads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import streamlit as st

from lightrag_engine import Answer
from lightrag_engine.conversations import TableName, evidence_csv, evidence_of
from lightrag_engine.records import EntityRow, Reason, RelationRow, SourceText
from lightrag_engine.retrieval.context import ENTITY_COLUMNS, RELATION_COLUMNS, SOURCE_COLUMNS, frame
from ui import colors
from ui.format import number

_HEIGHT = 300
Rows = Sequence[EntityRow] | Sequence[RelationRow] | Sequence[SourceText]
_COLUMNS: dict[TableName, tuple[str, ...]] = {
    "entities": ENTITY_COLUMNS,
    "relations": RELATION_COLUMNS,
    "sources": SOURCE_COLUMNS,
}
# What is read comes first; the downloads have every column.
_ORDER: dict[TableName, tuple[str, ...]] = {
    "entities": ("cited", "entity", "type", "description", "rank"),
    "relations": ("cited", "source", "target", "description", "keywords", "weight"),
    "sources": ("cited", "id", "content", "why", "document", "page"),
}
_CITED: dict[TableName, str] = {
    "entities": "The answer names it",
    "relations": "A sentence of the answer names both ends",
    "sources": "The answer cites it",
}
_WHY = (
    "**named**: holds what the question names · **path**: reached from there, passage by passage, by the "
    "names shown · **entity**, **relation**: one that is near to the question was read here · **words**: "
    "shares words with the question · **meaning**: its text is near to the question"
)


def context_tables(
    answer: Answer, key: str, on_open: Callable[[EntityRow | RelationRow | SourceText], None]
) -> None:
    """Show the tables in tabs, what the answer cites or names first, each with a download.

    `key` must differ on every call of a page. `on_open` is called with the row that was just selected, before
    the page runs anew.
    """
    found = evidence_of(answer)
    shown: tuple[tuple[TableName, Rows, Collection[int]], ...] = (
        ("entities", found.entities, found.cited_entities),
        ("relations", found.relations, found.cited_relations),
        ("sources", found.sources, found.cited_sources),
    )
    tabs = st.tabs([f"{name.capitalize()} {number(len(rows))}" for name, rows, _ in shown])
    for tab, (name, rows, cited) in zip(tabs, shown, strict=True):
        with tab:
            if not rows:
                st.caption(nothing_line(name, answer.mode))
                continue
            _table(name, rows, cited, f"{key}_{name}", on_open)
            st.download_button(
                f"Download {name} as CSV",
                partial(evidence_csv, answer, name),
                file_name=f"{name}.csv",
                mime="text/csv",
                key=f"{key}_{name}_csv",
                icon=":material/download:",
                type="tertiary",
                on_click="ignore",
            )


def _table(
    name: TableName, rows: Rows, cited: Collection[int], key: str, on_open: Callable[[Any], None]
) -> None:
    columns = _COLUMNS[name]
    table = frame(columns, rows).assign(cited=["●" if row.id in cited else "" for row in rows])
    if name == "entities":
        table = table.assign(type=table["type"].map(lambda kind: [kind]))
    elif name == "sources":
        table = table.assign(why=[why_line(row.why) for row in rows if isinstance(row, SourceText)])

    def selected() -> None:
        if places := st.session_state[key].selection.rows:
            on_open(rows[places[0]])

    st.dataframe(
        table,
        key=key,
        hide_index=True,
        height=min(38 + 35 * len(table), _HEIGHT),
        column_order=_ORDER[name],
        column_config={"cited": _cited_column(name), **_own_columns(name, rows)},
        on_select=selected,
        selection_mode="single-row",
        alt=f"{name.capitalize()} that the answer was written from, those it cites or names first",
    )


def why_line(reasons: Sequence[Reason]) -> str:
    """Return why a passage is among the sources, in a line.

    Examples
    --------
    >>> why_line([Reason("named", 1, ("Mara Quill",)), Reason("words", 4)])
    'named: Mara Quill · words'
    """
    return " · ".join(dict.fromkeys(str(reason) for reason in reasons))


def nothing_line(name: TableName, mode: str) -> str:
    """Return why a table is empty.

    Examples
    --------
    >>> nothing_line("entities", "naive")
    'Naive mode looks for passages only, not for entities.'
    >>> nothing_line("sources", "naive")
    'No sources were found for this question.'
    """
    if mode == "naive" and name != "sources":
        return f"Naive mode looks for passages only, not for {name}."
    return f"No {name} were found for this question."


def _cited_column(name: TableName) -> Any:
    return st.column_config.TextColumn("In answer", width=68, help=_CITED[name])


def _own_columns(name: TableName, rows: Rows) -> dict[str, Any]:
    text, count = st.column_config.TextColumn, st.column_config.NumberColumn
    if name == "entities":
        return {
            "entity": text("Entity", width=115),
            "type": type_column(sorted({row.type for row in rows if isinstance(row, EntityRow)})),
            "description": text("Description", width=320),
            "rank": count("Degree", format="localized", width=70, help="How many relations the entity has"),
        }
    if name == "relations":
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
