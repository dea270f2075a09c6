"""What part of the graph is looked at, with what that part needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.graphs import FEWEST_SHOWN, MOST_HOPS, MOST_PATHS, MOST_SHOWN, GraphViewState, Scope
from lightrag_engine.graphs.kinds import best_connected
from lightrag_engine.names import fold_name
from ui.format import number, shortened
from ui.graph import session
from ui.graph.controlled import controlled, entity_name
from ui.graph.filters import document_choice
from ui.markdown import literal

_OFFERED = 200  # best connected entities in lists of entities; others are found by typing


_SCOPES = {
    Scope.TOP: "Best connected",
    Scope.AROUND: "Around entities",
    Scope.PATHS: "Paths between two",
    Scope.DOCUMENTS: "Whole documents",
    Scope.OVERVIEW: "Communities",
    Scope.COMMUNITY: "One community",
    Scope.SEARCH: "Search results",
    Scope.EVIDENCE: "What was picked",
}


def scope(rag: LightRAG) -> None:
    """Show what part of the graph is looked at, with what that part needs."""
    state = session.current().state
    offered = [s for s in Scope if s is not Scope.EVIDENCE or state.scope is Scope.EVIDENCE]
    controlled(
        st.selectbox,
        "Show",
        "scope",
        state.scope,
        options=offered,
        format_func=lambda kind: _SCOPES[kind],
        width=160,
        change=_change_scope,
    )
    _PARTS.get(state.scope, _nothing)(rag, state)
    total = len(rag.explorer.graph)
    steps = shown_steps(total, state.shown)
    if state.scope in (Scope.TOP, Scope.AROUND, Scope.COMMUNITY, Scope.SEARCH) and total > 60:
        controlled(
            st.select_slider,
            "At most",
            "shown",
            min(state.shown, steps[-1]),
            options=steps,
            format_func=number,
            help="How many entities are drawn at most: the best ones. More than about 500 are slow to move.",
            width=104,
        )


def _change_scope(value: Scope) -> dict[str, Any]:
    """Return what a new scope begins with: what is chosen is what it is about."""
    state = session.current().state
    begin: dict[str, Any] = {"scope": value, "expanded": ()}
    focus = state.chosen or state.focus
    if value in (Scope.AROUND, Scope.PATHS):
        begin["focus"] = focus
    if value is Scope.COMMUNITY and not state.community and focus:
        begin["community"] = focus[0]
    if value is Scope.SEARCH:
        begin["find"] = str(st.session_state.get("find") or state.find)
    return begin


def _nothing(rag: LightRAG, state: GraphViewState) -> None:
    pass


def _around(rag: LightRAG, state: GraphViewState) -> None:
    _entities(rag, "Around", state.focus, 8)
    controlled(
        st.segmented_control,
        "Steps",
        "hops",
        state.hops,
        options=list(range(1, MOST_HOPS + 1)),
        required=True,
        help="How many relations away from them is shown",
    )


def _paths(rag: LightRAG, state: GraphViewState) -> None:
    _entities(rag, "Between", state.focus[:1] + state.focus[1:][-1:], 2)
    controlled(
        st.number_input,
        "Paths",
        "paths",
        state.paths,
        min_value=1,
        max_value=MOST_PATHS,
        help="How many of the shortest",
        width=110,
    )


def _entities(rag: LightRAG, label: str, focus: Sequence[str], most: int) -> None:
    graph = rag.explorer.graph
    best = [key for key in best_connected(graph, _OFFERED) if key not in focus]
    controlled(
        st.multiselect,
        label,
        "focus",
        [key for key in focus if key in graph],
        options=[*(key for key in focus if key in graph), *best],
        format_func=lambda key: entity_name(graph, key),
        max_selections=most,
        accept_new_options=True,
        placeholder="Choose, or type a name",
        width=320,
        change=lambda keys: _change_focus(rag, keys),
    )


def _change_focus(rag: LightRAG, keys: Sequence[str]) -> dict[str, Any]:
    graph = rag.explorer.graph
    known: list[str] = []
    for typed in keys:
        found = typed if typed in graph else fold_name(typed)
        if found not in graph:
            hits = rag.search_entities(typed, limit=1)
            found = hits[0].key if hits else ""
        if found:
            known.append(found)
        else:
            st.toast(f"There is no entity “{literal(shortened(typed, 60))}”.", icon=":material/search_off:")
    return {"focus": tuple(dict.fromkeys(known)), "expanded": ()}


def _documents(rag: LightRAG, state: GraphViewState) -> None:
    document_choice(rag, "Documents", "documents_whole", state, width=360)


def _community(rag: LightRAG, state: GraphViewState) -> None:
    found, graph = rag.explorer.communities(), rag.explorer.graph
    group = found.of(state.community)
    groups = [g.key for g in found.groups[:100]]
    options = groups if group is None or group.key in groups else [*groups, group.key]
    controlled(
        st.selectbox,
        "Community",
        "community",
        group.key if group else None,
        options=options,
        format_func=lambda key: f"{found.number[key] + 1}. {entity_name(graph, key)}",
        placeholder="Choose a community",
        width=260,
        change=lambda key: {"community": key or "", "expanded": ()},
    )


_PARTS: dict[Scope, Callable[[LightRAG, GraphViewState], None]] = {
    Scope.AROUND: _around,
    Scope.PATHS: _paths,
    Scope.DOCUMENTS: _documents,
    Scope.COMMUNITY: _community,
}


def shown_steps(total: int, now: int = FEWEST_SHOWN) -> list[int]:
    """Return how many entities can be shown: tens, hundreds, and at the end all there are or `MOST_SHOWN`.

    What is shown `now`, which an address may have asked for, is among them.

    Examples
    --------
    >>> shown_steps(34)
    [10, 20, 30, 34]
    >>> shown_steps(3056)[-4:]
    [700, 800, 900, 1000]
    >>> shown_steps(34, 25)
    [10, 20, 25, 30, 34]
    """
    most = min(total, MOST_SHOWN)
    steps = [*range(FEWEST_SHOWN, min(most, 200), 10), *range(200, most, 50 if most < 500 else 100)]
    return sorted({*steps, min(now, most), most})
