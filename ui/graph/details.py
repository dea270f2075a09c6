"""What stands beside the graph: what is chosen, its evidence, and where that stands."""

from __future__ import annotations

from functools import partial

import networkx as nx
import pandas as pd
import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.graphs import GraphView, Layout, Scope
from lightrag_engine.graphs.indexed import Pair, pair_of
from lightrag_engine.graphs.kinds import entity_at
from lightrag_engine.graphs.views import EXPANDED
from lightrag_engine.names import content_id
from lightrag_engine.records import DocumentStatus, Entity
from ui.format import counted, number, shortened
from ui.graph import editing, history, selection, session
from ui.graph.evidence import sources
from ui.graph.paths_view import paths
from ui.graph.type_badge import type_badge
from ui.markdown import literal
from ui.passage import plain

_DESCRIPTION_LENGTH = 480


def details(rag: LightRAG, view: GraphView) -> None:
    """Show what is chosen, or how to choose; every widget here changes the view or follows a relation."""
    graph, state = rag.explorer.graph, session.current().state
    chosen = [key for key in state.chosen if key in graph]
    if len(chosen) == 1:
        _entity(rag, graph, entity_at(graph, chosen[0]))
    elif chosen:
        selection.several(rag, graph, chosen)
    elif state.edge and graph.has_edge(*state.edge):
        _relation(rag, graph, state.edge)
    elif state.scope is Scope.PATHS and view.paths:
        paths(rag, graph, view.paths)
    elif state.scope is Scope.OVERVIEW:
        st.markdown("**Communities**")
        st.caption(
            "Each dot is a group of entities that are related among each other more than with the rest, "
            "named after its best connected one. Click a dot to open the group; "
            "the section Communities lists them."
        )
    else:
        st.markdown("**Nothing chosen yet**")
        st.caption(
            "Click a dot for an entity, a line for a relation, or search by name (press /). Double-click a "
            "dot to see its neighbours, Shift-click several to compare them. Drag a dot to keep it where you "
            "put it (Pin does so without a mouse), drag the ground to move, scroll to zoom. Larger dots have "
            "more relations."
        )
        if rag.edits():
            history.steps(rag)


def _entity(rag: LightRAG, graph: nx.Graph[str], entity: Entity) -> None:
    st.subheader(literal(shortened(entity.name, 90)), anchor=False, help=_whole(entity.name, 90))
    st.markdown(f"{type_badge(entity.type)} · {counted(graph.degree(entity.key), 'relation')}")
    _sampled(len(entity.source_ids), entity.left_out)
    others = [spelling for spelling in entity.spellings if spelling != entity.name]
    if others:
        st.caption(f"Also written {literal(shortened(', '.join(others), 400))}")
    if line := documents_line(_documents(rag, entity.key)):
        st.caption(literal(line))
    _entity_actions(rag, graph, entity)
    if entity.description:
        _description(entity.description, key=content_id("about", entity.key))
    _relations(graph, entity)
    names = dict.fromkeys((entity.name, *entity.spellings), entity.type)
    sources(rag, entity.source_ids, names)


def _entity_actions(rag: LightRAG, graph: nx.Graph[str], entity: Entity) -> None:
    key = entity.key
    hidden = session.hidden_neighbours(rag, key)
    with st.container(horizontal=True, gap="small"):
        st.button(
            f"Neighbours · {number(hidden)}" if hidden else "Neighbours",
            icon=":material/add_circle:",
            key=content_id("expand", key),
            help=f"{number(hidden)} not shown: draws the next {min(hidden, EXPANDED)}, like a double-click"
            if hidden
            else "All its neighbours are shown",
            disabled=not hidden,
            on_click=session.expand,
            args=(rag, key),
        )
        st.button(
            "Only around it",
            icon=":material/target:",
            key=content_id("around", key),
            help="Show nothing but its neighbourhood",
            on_click=session.look_around,
            args=(key,),
        )
        _pin(rag, key)
        editing.edit_entity(rag, graph, entity)


def _pin(rag: LightRAG, key: str) -> None:
    """Offer what dragging does, without a mouse; only the map keeps places."""
    if session.current().state.layout is not Layout.MAP:
        return
    pinned = key in rag.explorer.pinned()
    st.button(
        "Unpin" if pinned else "Pin",
        icon=":material/keep_off:" if pinned else ":material/keep:",
        key=content_id("pin", key),
        help="Let the map decide again where it stands"
        if pinned
        else "Keep it where it is on the map, whatever is added; dragging it does the same",
        on_click=session.unpin if pinned else session.pin,
        args=(rag, key),
    )


def _documents(rag: LightRAG, key: str) -> list[DocumentStatus]:
    by_id = {status.id: status for status in rag.documents()}
    return [by_id[id_] for id_ in rag.explorer.documents_of().get(key, ()) if id_ in by_id]


def documents_line(statuses: list[DocumentStatus]) -> str:
    """Return in which documents an entity is named first and last, in the order in which they were added.

    Examples
    --------
    >>> from lightrag_engine.records import DocumentState
    >>> rows = [DocumentStatus(n, n, (), "", 9, DocumentState.DONE) for n in ("a.txt", "b.txt", "c.txt")]
    >>> documents_line(rows), documents_line(rows[:1])
    ('In 3 documents, first in a.txt, last in c.txt', 'In a.txt')
    """
    names = [shortened(status.name, 48) for status in statuses]
    if len(names) < 2:
        return f"In {names[0]}" if names else ""
    return f"In {number(len(names))} documents, first in {names[0]}, last in {names[-1]}"


def _sampled(passages: int, left_out: int) -> None:
    if left_out:
        st.caption(
            f"From a sample of {counted(passages, 'passage')}; {counted(left_out, 'more record')} count "
            "for the weight only."
        )


def _description(text: str, key: str) -> None:
    if len(text) <= _DESCRIPTION_LENGTH:
        plain(text, key=key)
        return
    plain(shortened(text, _DESCRIPTION_LENGTH), key=key)
    whole = st.expander("Whole description", key=f"{key}_whole", type="compact", on_change="rerun")
    if whole.open:
        with whole:
            plain(text, key=f"{key}_all")


def _relations(graph: nx.Graph[str], entity: Entity) -> None:
    table, keys = relation_table(graph, entity.key)
    if not keys:
        st.caption("No relations.")
        return
    st.markdown("**Relations**")
    widget = content_id("relations", entity.key)
    st.dataframe(
        table,
        key=widget,
        hide_index=True,
        height=min(38 + 35 * len(keys), 248),
        on_select=partial(_follow, widget, entity.key, keys),
        selection_mode=["single-row", "single-cell"],
        alt=f"Relations of {entity.name}, heaviest first",
        column_config={
            "entity": st.column_config.TextColumn(
                "With", width=130, help="Click a name to go to this entity, any other cell for the relation"
            ),
            "keywords": st.column_config.TextColumn("About", width=130),
            "weight": st.column_config.NumberColumn("Weight", format="%.1f", width=60),
            "description": st.column_config.TextColumn("Description", width="large"),
        },
    )


def relation_table(graph: nx.Graph[str], key: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the relations of an entity, heaviest first, and the keys of the other ends in the same order."""
    rows = sorted(
        (
            (-float(data.get("weight", 0.0)), str(graph.nodes[other].get("name", other)), other, data)
            for other, data in graph[key].items()
        ),
        key=lambda row: row[:3],
    )
    table = pd.DataFrame(
        [(name, ", ".join(data.get("keywords", ())), -weight, str(data.get("description", "")))
         for weight, name, _, data in rows],
        columns=["entity", "keywords", "weight", "description"],
    ).astype({"entity": "str", "keywords": "str", "weight": "float64", "description": "str"})  # fmt: skip
    return table, [other for _, _, other, _ in rows]


def _follow(widget: str, key: str, keys: list[str]) -> None:
    chosen = st.session_state[widget].selection
    if chosen.rows and chosen.rows[0] < len(keys):
        session.choose(keys[chosen.rows[0]])
    elif chosen.cells and chosen.cells[0][0] < len(keys):
        row, column = chosen.cells[0]
        if column == "entity":
            session.choose(keys[row])
        else:
            session.choose_edge(pair_of(key, keys[row]))


def _relation(rag: LightRAG, graph: nx.Graph[str], pair: Pair) -> None:
    data = graph.edges[pair]
    ends = [
        entity_at(graph, data.get("source_key", pair[0])),
        entity_at(graph, data.get("target_key", pair[1])),
    ]
    st.subheader(literal(" – ".join(shortened(end.name, 60) for end in ends)), anchor=False)
    keywords = ", ".join(data.get("keywords", ()))
    st.markdown(f"Relation · weight {float(data.get('weight', 0.0)):.1f}")
    _sampled(len(data.get("source_ids", ())), int(data.get("left_out", 0)))
    if keywords:
        st.caption(f"About {literal(shortened(keywords, 400))}")
    with st.container(horizontal=True):
        for end in ends:
            st.button(
                literal(shortened(end.name, 40)),
                key=content_id("end", end.key),
                icon=":material/arrow_forward:",
                on_click=session.choose,
                args=(end.key,),
            )
        editing.edit_relation(
            rag,
            pair,
            str(data.get("description", "")),
            data.get("keywords", ()),
            float(data.get("weight", 0.0)),
        )
    if data.get("description"):
        _description(str(data["description"]), key=content_id("about", *pair))
    spellings = [(end.name, *end.spellings) for end in ends]
    names = {name: end.type for end, group in zip(ends, spellings, strict=True) for name in group}
    sources(rag, tuple(data.get("source_ids", ())), names, together=spellings)


def _whole(text: str, length: int) -> str | None:
    return literal(text) if len(text) > length else None
