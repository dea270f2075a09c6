"""Entities that may be one and the same: looked at in pairs, merged, or told apart."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import networkx as nx
import pandas as pd
import streamlit as st

from lightrag_engine import Duplicate, LightRAG
from lightrag_engine.graphs.kinds import entity_at
from lightrag_engine.names import content_id
from ui.format import counted, number, shortened
from ui.graph import history, session
from ui.graph.changing import make
from ui.graph.type_badge import type_badge
from ui.markdown import literal
from ui.passage import plain

LIMIT = 200
_DESCRIPTION_LENGTH = 160


def suggested(rag: LightRAG) -> list[Duplicate]:
    """Return the pairs to look at, most likely first; says that it searches while it does."""
    with st.spinner("Looking for duplicates …"):
        return rag.suggest_duplicates(LIMIT)


def duplicates(rag: LightRAG, graph: nx.Graph[str]) -> None:
    """Show pairs as a table, and one of them with what can be done about it."""
    # Between looking and drawing, another session may have changed the graph.
    found = [pair for pair in suggested(rag) if all(key in graph for key in pair.keys)]
    st.markdown(f"**{count_text(len(found))}**")
    if not found:
        st.caption(
            "No two entities look like one and the same. Pairs with similar names, shared neighbours or "
            "similar descriptions would be listed here. To merge others, Shift-click them in the graph."
        )
        history.steps(rag)
        return
    widget = content_id("duplicates", *(key for pair in found for key in pair.keys))
    st.dataframe(
        table(found),
        key=widget,
        hide_index=True,
        height=min(38 + 35 * len(found), 143),
        on_select=partial(_choose, widget, found),
        selection_mode="single-row-required",
        alt="Pairs of entities that may be one and the same, most likely first",
        column_config={
            "pair": st.column_config.TextColumn("Pair", width=172),
            "score": st.column_config.NumberColumn(
                "Score", format="percent", width=64, help="How much speaks for it; 100 % is the most"
            ),
            "reasons": st.column_config.TextColumn("Why", width="large"),
        },
    )
    rows = st.session_state[widget].selection.rows
    _pair(rag, graph, found[rows[0] if rows and rows[0] < len(found) else 0])


def count_text(count: int) -> str:
    """Return how many pairs there are to look at.

    Examples
    --------
    >>> count_text(0), count_text(1), count_text(LIMIT)
    ('No possible duplicates', '1 possible duplicate', '200 possible duplicates or more')
    """
    if not count:
        return "No possible duplicates"
    return counted(count, "possible duplicate") + (" or more" if count == LIMIT else "")


def table(found: Sequence[Duplicate]) -> pd.DataFrame:
    """Return a row a pair, most likely first."""
    rows = [(" = ".join(pair.names), pair.score, ", ".join(pair.reasons)) for pair in found]
    kinds = {"pair": "str", "score": "float64", "reasons": "str"}
    return pd.DataFrame(rows, columns=[*kinds]).astype(kinds)


def _choose(widget: str, found: Sequence[Duplicate]) -> None:
    rows = st.session_state[widget].selection.rows
    if rows and rows[0] < len(found):
        _show(found[rows[0]])


def _show(pair: Duplicate) -> None:
    session.change(selecting=True, chosen=pair.keys, edge=None)


def _pair(rag: LightRAG, graph: nx.Graph[str], pair: Duplicate) -> None:
    key = content_id("pair", *pair.keys)
    st.caption(f"Score {pair.score:.0%}: {literal(', '.join(pair.reasons))}")
    for each in pair.keys:
        entity = entity_at(graph, each)
        with st.container(border=True, gap="xsmall"):
            st.markdown(
                f"**{literal(shortened(entity.name, 90))}** {type_badge(entity.type)} · "
                f"{counted(graph.degree(each), 'relation')}"
            )
            plain(
                shortened(entity.description, _DESCRIPTION_LENGTH) or "No description.",
                key=content_id("pair_about", each),
            )
    keep = st.radio(
        "Name that stays",
        pair.keys,
        index=1,
        format_func=lambda each: literal(shortened(entity_at(graph, each).name, 60)),
        key=f"{key}_keep",
        help="The other name stays as another spelling: the entity is found by both",
    )
    with st.container(horizontal=True, gap="small"):
        merged = st.button("Merge", key=f"{key}_merge", type="primary", icon=":material/merge:")
        apart = st.button(
            "Not the same", key=f"{key}_apart", help="Never suggest these two again; undo brings it back"
        )
        st.button("Show both", key=f"{key}_show", on_click=_show, args=(pair,))
    history.steps(rag)
    if merged:
        make(partial(_merge, rag, pair, keep))
    elif apart:
        make(lambda: rag.dismiss_duplicate(*pair.keys))


def _merge(rag: LightRAG, pair: Duplicate, into: str) -> Any:
    edit = rag.merge_entities([key for key in pair.keys if key != into], into)
    session.change(selecting=True, chosen=(into,), edge=None)
    return edit


@st.fragment(parallel=True)
def link(rag: LightRAG) -> None:
    """Show how many pairs there are to look at, as a link to them; found beside the rest of a page."""
    count = len(suggested(rag))
    if count:
        st.page_link(
            "pages/graph.py",
            label=f"{count_text(count)} to look at",
            icon=":material/merge:",
            query_params={"beside": session.DUPLICATES},
            help="Pairs of entities that may be one and the same: merge them or tell them apart",
        )
    else:
        st.caption(f"{count_text(0)} among {number(len(rag.graph))} entities.")
