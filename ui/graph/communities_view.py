"""The communities of the graph as a table, and one of them in words."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import pandas as pd
import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.graphs import Communities, Scope
from lightrag_engine.graphs.kinds import type_counts
from ui.format import counted, listed, number, shortened
from ui.graph import session
from ui.markdown import literal

_MEMBERS_NAMED = 5
_SHOWN = 200


def communities(rag: LightRAG) -> None:
    """Show the communities, largest first; selecting one or several opens them in the map."""
    graph, found = rag.explorer.graph, rag.explorer.communities()
    several = [group for group in found.groups if len(group.members) > 1]
    alone = len(found.groups) - len(several)
    left = f" {counted(alone, 'entity', 'entities')} belong to none." if alone else ""
    st.caption(
        f"{counted(len(several), 'community', 'communities')}: groups of entities that are related among "
        f"each other more than with the rest (Leiden, modularity {found.modularity:.2f}).{left}"
    )
    if not several:
        return
    place = st.container(horizontal=True)
    chosen = st.dataframe(
        table(graph, found)[:_SHOWN],
        key="communities_table",
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        height=min(38 + 35 * len(several), 560),
        alt="Communities, largest first, with their best connected members and typical keywords",
        column_config={
            "number": st.column_config.NumberColumn("#", width=45),
            "members": st.column_config.TextColumn("Best connected members", width=330),
            "keywords": st.column_config.TextColumn("Typically related by", width=230),
            "entities": st.column_config.NumberColumn("Entities", format="localized", width=75),
            "relations": st.column_config.NumberColumn(
                "Relations inside", format="localized", width=110, help="Relations among its members"
            ),
            "types": st.column_config.TextColumn("Types", width=200),
        },
    )
    if len(several) > _SHOWN:
        st.caption(f"The {number(_SHOWN)} largest of {number(len(several))}.")
    rows = [row for row in chosen.selection.rows if row < len(several)]
    place.button(
        "Open in the map",
        icon=":material/hub:",
        type="primary",
        disabled=not rows,
        help="Select rows in the table first" if not rows else None,
        on_click=_open,
        args=([several[row].key for row in rows], rag),
    )
    place.button("Overview map of all", icon=":material/bubble_chart:", on_click=_overview)


def table(graph: nx.Graph[str], found: Communities) -> pd.DataFrame:
    """Return a row a community of more than one: number, members, keywords, entities, relations, types."""
    rows = [
        (
            n,
            ", ".join(_name(graph, key) for key in group.members[:_MEMBERS_NAMED]),
            ", ".join(group.keywords),
            len(group.members),
            group.links,
            ", ".join(f"{count:,} {kind}" for kind, count in type_counts(graph, group.members)[:3]),
        )
        for n, group in enumerate(found.groups, start=1)
        if len(group.members) > 1
    ]
    kinds = {
        "number": "int64", "members": "str", "keywords": "str", "entities": "int64", "relations": "int64",
        "types": "str",
    }  # fmt: skip
    return pd.DataFrame(rows, columns=list(kinds)).astype(kinds)


def _open(keys: Sequence[str], rag: LightRAG) -> None:
    session.show_map()
    if len(keys) == 1:
        session.open_community(keys[0])
        return
    found = rag.explorer.communities()
    groups = [group for key in keys if (group := found.of(key))]
    share = max(session.current().state.shown // max(len(groups), 1), 5)
    nodes = tuple(key for group in groups for key in group.members[:share])
    names = listed([shortened(_name(rag.explorer.graph, group.key), 30) for group in groups])
    session.change(scope=Scope.EVIDENCE, nodes=nodes[:400], pairs=(), expanded=(), chosen=(), edge=None)
    st.toast(f"The best connected of the communities of {literal(names)}.")


def _overview() -> None:
    session.show_map()
    session.change(scope=Scope.OVERVIEW, expanded=(), chosen=(), edge=None)


def _name(graph: nx.Graph[str], key: str) -> str:
    return str(graph.nodes[key].get("name", key))
