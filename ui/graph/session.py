"""The view of this session: in the session, in the page's address, and with a past to go back to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.graphs import MOST_SHOWN, PARAMS, GraphViewState, Scope, from_params, to_params
from lightrag_engine.graphs.indexed import Pair, pair_of
from ui.graph.drawing import Drawing

# The parts of the screen, under the names by which they stand in the address.
SECTIONS = MAP, COMMUNITIES, ANALYSIS = "Map", "Communities", "Analysis"
ASIDES = DETAILS, DUPLICATES, EDITS = "Details", "Duplicates", "Edits"
GRAPH_KEY = "entity_graph"
_SESSION = "graph_session"
_WANTED = "beside_wanted"
_STEPS_KEPT = 100


@dataclass
class Session:
    """What the graph screen remembers.

    `told` is what the drawing was last told to select, `handled` the number of its last event. `drawn` is the
    last drawing, behind what it was made of.
    """

    workspace: str
    state: GraphViewState = field(default_factory=GraphViewState)
    past: list[GraphViewState] = field(default_factory=list)
    future: list[GraphViewState] = field(default_factory=list)
    address: dict[str, list[str]] = field(default_factory=dict)
    told: dict[str, Any] = field(default_factory=lambda: {"number": 0, "nodes": [], "edge": None})
    problems: list[str] = field(default_factory=list)
    handled: int = 0
    drawn: tuple[tuple[Any, ...], Drawing] | None = None


def current() -> Session:
    """Return the session's view; there is one once `enter` was called."""
    found: Session = st.session_state[_SESSION]
    return found


def enter(rag: LightRAG) -> Session:
    """Take over the view of the address when it is another than the one that stands there by us."""
    session = st.session_state.get(_SESSION)
    given = {name: st.query_params.get_all(name) for name in PARAMS if name in st.query_params}
    if not isinstance(session, Session) or session.workspace != rag.name:
        if isinstance(session, Session):
            given = {}  # the view of another workspace means nothing here
        session = st.session_state[_SESSION] = Session(rag.name)
    if given and given != session.address:
        state, session.problems = from_params(given)
        if session.address and state.picture != session.state.picture:
            _remember(session)
        session.state = state
    _write(session)
    _tell(session)
    return session


def change(*, selecting: bool = False, **fields: Any) -> None:
    """Change the view; for use in callbacks. What is merely selected makes no step to go back to."""
    go(current().state.with_(**fields), selecting=selecting)


def go(state: GraphViewState, *, selecting: bool = False) -> None:
    """Go to another view; for use in callbacks."""
    session = current()
    if state == session.state:
        return
    if not selecting and state.picture != session.state.picture:
        _remember(session)
    session.problems = []
    told = (state.chosen, state.edge) != (session.state.chosen, session.state.edge)
    session.state = state
    _write(session)
    if told:
        _tell(session)


def choose(*keys: str) -> None:
    """Select entities, or none, and show their details; for use in callbacks."""
    _show_details()
    change(selecting=True, chosen=keys, edge=None)


def choose_edge(pair: Pair) -> None:
    """Select a relation and show its details; for use in callbacks."""
    _show_details()
    change(selecting=True, chosen=(), edge=pair)


def look_around(*keys: str) -> None:
    """Show the neighbourhood of entities; for use in callbacks."""
    change(scope=Scope.AROUND, focus=keys, expanded=(), chosen=keys[:1], edge=None)


def connect(first: str, second: str) -> None:
    """Show how two entities are connected; for use in callbacks."""
    change(scope=Scope.PATHS, focus=(first, second), expanded=(), chosen=(), edge=None)


def _show_details() -> None:
    # Taken over before the widget is made: this may be called after it was.
    st.session_state[_WANTED] = DETAILS


def settle_aside() -> None:
    """Decide what stands beside the drawing, as the address says; call it before the widget is made."""
    wanted = st.session_state.pop(_WANTED, "") or st.session_state.get("beside")
    wanted = wanted or st.query_params.get("beside")
    st.session_state.beside = wanted if wanted in ASIDES else DETAILS
    if wanted in ASIDES and wanted != DETAILS:
        st.query_params["beside"] = wanted
    elif "beside" in st.query_params:
        del st.query_params["beside"]


def show_map() -> None:
    """Go to the map from another section; for use in callbacks."""
    st.session_state.section = MAP


def undo() -> None:
    """Go back to the view before."""
    _step(current().past, current().future)


def redo() -> None:
    """Go to the view that was left by going back."""
    _step(current().future, current().past)


def _step(source: list[GraphViewState], target: list[GraphViewState]) -> None:
    session = current()
    if source:
        target.append(session.state)
        session.state = source.pop()
        _write(session)
        _tell(session)


def handle(rag: LightRAG) -> Callable[[], None]:
    """Return what is called when something was done in the drawing."""

    def handled() -> None:
        session = current()
        events = st.session_state[GRAPH_KEY].events or []
        for event in events:
            if isinstance(event, dict) and event.get("number", 0) > session.handled:
                session.handled = event["number"]
                _handle(rag, session, event)

    return handled


def _handle(rag: LightRAG, session: Session, event: dict[str, Any]) -> None:
    match event:
        case {"do": "choose", "nodes": list(nodes), "edge": edge}:
            _clicked(session, tuple(map(str, nodes)), edge)
        case {"do": "expand", "node": str(node)}:
            expand(rag, node)
        case {"do": "pin", "node": str(node), "x": int() | float() as x, "y": int() | float() as y}:
            rag.explorer.pin(node, float(x), float(y))
        case {"do": "undo"}:
            undo()
        case {"do": "redo"}:
            redo()


def expand(rag: LightRAG, key: str) -> None:
    """Show more neighbours of an entity, and say how many are left; for use in callbacks."""
    state = current().state
    if state.scope is Scope.OVERVIEW:
        open_community(key)
        return
    before = hidden_neighbours(rag, key)
    if not before:
        choose(key)
        st.toast("All its neighbours are shown.", icon=":material/hub:")
        return
    change(expanded=(*state.expanded, key), chosen=(key,), edge=None)
    left = hidden_neighbours(rag, key)
    if left == before:
        st.toast(f"No more than {MOST_SHOWN:,} entities are drawn. Show fewer first.", icon=":material/hub:")
    elif left:
        again = f"{left:,} more {'is' if left == 1 else 'are'} not shown: double-click again to go on."
        st.toast(again, icon=":material/hub:")


def pin(rag: LightRAG, key: str) -> None:
    """Keep an entity where it is on the map; for use in callbacks."""
    if key in (places := rag.explorer.map_places()):
        rag.explorer.pin(key, *places[key])


def unpin(rag: LightRAG, key: str) -> None:
    """Let the map decide again where an entity stands; for use in callbacks."""
    rag.explorer.unpin(key)


def hidden_neighbours(rag: LightRAG, key: str) -> int:
    """Return how many neighbours of an entity pass the filters and are not in the drawing."""
    state = current().state
    shown = set(rag.explorer.view(state).keys)
    return sum(other not in shown for other in rag.explorer.neighbours(key, state))


def open_community(key: str) -> None:
    """Show one community; for use in callbacks."""
    change(scope=Scope.COMMUNITY, community=key, expanded=(), chosen=(), edge=None)


def _clicked(session: Session, keys: tuple[str, ...], edge: Any) -> None:
    if session.state.scope is Scope.OVERVIEW:
        if len(keys) == 1:
            open_community(keys[0])
        return
    pair = pair_of(*map(str, edge)) if isinstance(edge, list) and len(edge) == 2 else None
    # The drawing knows already: it is not told, so nothing large is sent to it anew.
    session.state = session.state.with_(chosen=keys, edge=pair)
    if keys or pair:
        _show_details()
    session.problems = []
    _write(session)


def _remember(session: Session) -> None:
    session.past.append(session.state)
    del session.past[:-_STEPS_KEPT]
    session.future.clear()


def _write(session: Session) -> None:
    address = to_params(session.state)
    for name in PARAMS:
        if name in address:
            if st.query_params.get_all(name) != address[name]:
                st.query_params[name] = address[name]
        elif name in st.query_params:
            del st.query_params[name]
    session.address = address


def _tell(session: Session) -> None:
    state = session.state
    session.told = {
        "number": session.told["number"] + 1,
        "nodes": list(state.chosen),
        "edge": list(state.edge) if state.edge else None,
    }
