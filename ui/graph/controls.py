"""The row above the drawing: search, what is shown, filters, arrangement, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import networkx as nx
import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.graphs import (
    FEWEST_SHOWN,
    MOST_HOPS,
    MOST_PATHS,
    MOST_SHOWN,
    Colour,
    GraphViewState,
    Layout,
    Rank,
    Scope,
)
from lightrag_engine.graphs.kinds import best_connected, type_counts
from lightrag_engine.names import content_id, fold_name
from ui.format import counted, number, shortened
from ui.graph import session
from ui.graph.drawing import community_kind
from ui.graph.type_badge import type_badge, type_symbol
from ui.markdown import literal

HITS = 6
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
_LAYOUTS = {
    Layout.MAP: "Map",
    Layout.RADIAL: "Rings",
    Layout.LAYERS: "Columns by hops",
    Layout.CIRCLE: "Circle by type",
}


def search(rag: LightRAG) -> None:
    """Show the search box; a whole name chooses its entity."""
    st.text_input(
        "Find an entity",
        key="find",
        type="search",
        live=True,
        placeholder="Name   ( / )",
        width=158,
        on_change=_find,
        args=(rag,),
    )


def _find(rag: LightRAG) -> None:
    wanted = " ".join(str(st.session_state.find or "").split()).casefold()
    if not wanted:
        return
    exact = [
        entity
        for entity in rag.search_entities(wanted, limit=HITS)
        if wanted in {name.casefold() for name in (entity.name, *entity.spellings)}
    ]
    if len(exact) == 1:
        session.choose(exact[0].key)


def hits(rag: LightRAG) -> None:
    """Show what the search found, as buttons. The container is always there: what follows must not move."""
    wanted = str(st.session_state.get("find") or "").strip()
    place = st.container(horizontal=True, vertical_alignment="center")
    if not wanted:
        return
    state = session.current().state
    found = rag.search_entities(wanted, limit=HITS + 1)
    # One hit that is chosen already needs no button.
    if [(entity.key,) for entity in found] == [state.chosen]:
        return
    for entity in found[:HITS]:
        place.button(
            literal(shortened(entity.name, 40)),
            key=content_id("found", entity.key),
            help=f"{type_badge(entity.type)} · {counted(rag.explorer.graph.degree(entity.key), 'relation')}",
            on_click=session.choose,
            args=(entity.key,),
        )
    if len(found) > 1:
        place.button(
            "Show all in the graph",
            key="show_found",
            icon=":material/hub:",
            type="tertiary",
            on_click=_show_found,
            args=(wanted,),
        )
    if not found:
        place.caption("No entity of this name. Try a part of it or another spelling.")


def _show_found(wanted: str) -> None:
    session.change(scope=Scope.SEARCH, find=wanted, expanded=(), chosen=(), edge=None)


def scope(rag: LightRAG) -> None:
    """Show what part of the graph is looked at, with what that part needs."""
    state = session.current().state
    offered = [s for s in Scope if s is not Scope.EVIDENCE or state.scope is Scope.EVIDENCE]
    _controlled(
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
        _controlled(
            st.select_slider,
            "At most",
            "shown",
            min(state.shown, steps[-1]),
            options=steps,
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
    _controlled(
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
    _controlled(
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
    _controlled(
        st.multiselect,
        label,
        "focus",
        [key for key in focus if key in graph],
        options=[*(key for key in focus if key in graph), *best],
        format_func=lambda key: _name(graph, key),
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
    _document_choice(rag, "Documents", "documents_whole", state, width=360)


def _document_choice(
    rag: LightRAG, label: str, key: str, state: GraphViewState, width: int | str = "stretch"
) -> None:
    names = {status.id: status.name for status in rag.documents()}
    _controlled(
        st.multiselect,
        label,
        "documents",
        [id_ for id_ in state.documents if id_ in names],
        options=list(names),
        format_func=lambda id_: shortened(names[id_], 60),
        placeholder="All documents" if key == "documents" else "Choose documents",
        width=width,
        widget=key,
        change=lambda ids: {"documents": tuple(ids)},
    )


def _community(rag: LightRAG, state: GraphViewState) -> None:
    found, graph = rag.explorer.communities(), rag.explorer.graph
    group = found.of(state.community)
    groups = [g.key for g in found.groups[:100]]
    options = groups if group is None or group.key in groups else [*groups, group.key]
    _controlled(
        st.selectbox,
        "Community",
        "community",
        group.key if group else None,
        options=options,
        format_func=lambda key: f"{found.number[key] + 1}. {_name(graph, key)}",
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


def filters(rag: LightRAG) -> None:
    """Show the filters other than by type; they combine."""
    state = session.current().state
    active = sum(
        map(
            bool,
            (
                state.documents and state.scope is not Scope.DOCUMENTS,
                state.min_degree,
                state.min_weight,
                state.keyword,
                state.text,
            ),
        )
    )
    with st.popover(
        f"Filters · {active}" if active else "Filters", icon=":material/filter_alt:", key="filters"
    ):
        if state.scope is not Scope.DOCUMENTS:
            _document_choice(rag, "In documents", "documents", state)
        left, right = st.columns(2)
        with left:
            _controlled(
                st.number_input, "Relations, at least", "min_degree", state.min_degree, min_value=0, step=1
            )
        with right:
            _controlled(
                st.number_input, "Weight, at least", "min_weight", state.min_weight, min_value=0.0, step=0.5
            )
        _controlled(
            st.text_input, "Related by", "keyword", state.keyword, placeholder="A word, such as: founded"
        )
        _controlled(
            st.text_input, "Name or description holds", "text", state.text, placeholder="Any words in a row"
        )
        st.button("Clear all filters", on_click=_clear_filters, disabled=not state.filtered)


def _clear_filters() -> None:
    session.go(session.current().state.without_filters())


def arrangement(rag: LightRAG) -> None:
    """Show how the entities are arranged and coloured."""
    state = session.current().state
    with st.popover("Arrange", icon=":material/scatter_plot:", key="arrange"):
        _controlled(
            st.segmented_control,
            "Arrangement",
            "layout",
            state.layout,
            options=list(Layout),
            format_func=lambda kind: _LAYOUTS[kind],
            required=True,
            help="On the map an entity always has the same place. Rings and columns start from what is "
            "looked around from, or from the best connected entity.",
        )
        _controlled(
            st.segmented_control,
            "Colours",
            "colour",
            state.colour,
            options=list(Colour),
            format_func=lambda kind: {"type": "By type", "community": "By community"}[kind],
            required=True,
        )
        _controlled(
            st.segmented_control,
            "The best are those with most",
            "rank",
            state.rank,
            options=list(Rank),
            format_func=lambda kind: {"degree": "Relations", "pagerank": "PageRank"}[kind],
            required=True,
            help="PageRank: relations with well connected entities count more.",
        )
        pinned = len(rag.explorer.pinned())
        st.caption(
            f"{counted(pinned, 'entity', 'entities')} put in place by hand."
            if pinned
            else "Drag a dot to put it elsewhere for good."
        )
        with st.container(horizontal=True):
            st.button("Release all", on_click=rag.explorer.unpin_all, disabled=not pinned)
            st.button(
                "Make the map anew",
                on_click=rag.explorer.arrange_anew,
                help="After many new documents: every entity but those put by hand may get another place",
            )


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


def legend(rag: LightRAG, keys: Sequence[str]) -> None:
    """Show the types with how many entities have them; a click shows only those."""
    state, graph = session.current().state, rag.explorer.graph
    if state.scope is Scope.OVERVIEW:
        return
    if state.colour is Colour.COMMUNITY:
        _community_legend(rag, keys)
        return
    counts = dict(type_counts(graph))
    names = [*counts, *(kind for kind in state.types if kind not in counts)]
    _controlled(
        st.pills,
        "Types: choose to show only these",
        "types",
        list(state.types),
        options=names,
        selection_mode="multi",
        label_visibility="collapsed",
        format_func=lambda kind: f"{type_badge(kind)} {number(counts.get(kind, 0))}",
        change=lambda kinds: {"types": tuple(kinds)},
    )


def _community_legend(rag: LightRAG, keys: Sequence[str]) -> None:
    found, graph = rag.explorer.communities(), rag.explorer.graph
    shown = sorted({found.number[key] for key in keys if key in found.number})[:11]
    with st.container(horizontal=True):
        for n in shown:
            st.button(
                f"{type_symbol(community_kind(n))} {literal(_name(graph, found.groups[n].key, 28))}",
                key=f"community_{n}",
                type="tertiary",
                help="Show this community alone",
                on_click=session.open_community,
                args=(found.groups[n].key,),
            )


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


def _name(graph: nx.Graph[str], key: str, length: int = 48) -> str:
    return shortened(str(graph.nodes[key].get("name", key)) if key in graph else key, length)


def _controlled(
    element: Callable[..., Any],
    label: str,
    field: str,
    value: Any,
    *,
    widget: str = "",
    change: Callable[[Any], dict[str, Any]] | None = None,
    **options: Any,
) -> None:
    """Show a widget whose value is a field of the view: it follows the view, and changes it."""
    key = widget or field

    def changed() -> None:
        new = st.session_state[key]
        session.change(**(change(new) if change else {field: type(value)(new if new is not None else value)}))

    st.session_state[key] = value
    element(label, key=key, on_change=changed, **options)
