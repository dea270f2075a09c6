"""Finding an entity by its name."""

from __future__ import annotations

import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.graphs import Scope
from lightrag_engine.names import content_id
from ui.format import counted, shortened
from ui.graph import session
from ui.graph.type_badge import type_badge
from ui.markdown import literal

HITS = 6


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
    # By this key, the drawing's script finds the buttons: arrow keys go through them.
    place = st.container(horizontal=True, vertical_alignment="center", key="found_entities")
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
