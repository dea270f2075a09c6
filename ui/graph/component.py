"""The drawn graph as a component: vis-network, as pyvis ships it, without pyvis' page around it.

pyvis' own HTML asks a CDN, runs markup hidden in tooltips and lays out anew on every change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyvis
import streamlit as st

from ui.graph.drawing import Drawing

_ASSETS = Path(__file__).parent.parent / "assets"
_VIS = Path(pyvis.__file__).parent / "lib" / "vis-9.1.2" / "vis-network.min.js"


def vis_network() -> str:
    """Return the script of vis-network."""
    return _VIS.read_text(encoding="utf-8").replace("//# sourceMappingURL=vis-network.min.js.map", "")


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _library() -> str:
    """Return vis-network as a module that puts what it exports where the drawing looks for it, once."""
    return (
        "globalThis.lightragVis ??= (() => {\nconst module = { exports: {} }, exports = module.exports;\n"
        f"{vis_network()}\nreturn module.exports;\n}})();\nexport default function () {{}}"
    )


# Streamlit sends a component's script along with its data. Half a megabyte of script stands in a component of
# its own, whose message never changes: it is sent once a visit, and a drawing is only its data.
_vis = st.components.v2.component("lightrag_vis", html="<span></span>", js=_library())
_graph = st.components.v2.component(
    "lightrag_graph",
    html=_asset("graph.html"),
    css=_asset("graph.css"),
    js=f"{_asset('graph.js')}\n{_asset('graph_pictures.js')}",
)


def load(key: str) -> None:
    """Send the library ahead of a drawing of this key.

    The browser reads it while the drawing is worked out.
    """
    _vis(key=f"{key}_library")


def draw(
    drawn: Drawing,
    told: Mapping[str, Any],
    *,
    key: str,
    height: int,
    alt: str,
    empty: str,
    on_events: Callable[[], None],
    loaded: bool = False,
) -> None:
    """Draw the graph.

    Parameters
    ----------
    drawn
        What to draw.
    told
        ``{"number": n, "nodes": [keys], "edge": [key, key] or None}``: what to select, taken over by the
        browser whenever the number changes. A click is known there already: it changes nothing here, so that
        nothing large is sent anew.
    key, height, alt, empty
        Key of the widget, its greatest height in pixels (less on a small page), what it shows in words, and
        what stands in its place when there is nothing to draw.
    loaded
        Whether `load` was called for it before.
    on_events
        Called after something was done. ``st.session_state[key].events`` holds the last few events, each with
        a growing ``number``: ``{"do": "choose", "nodes", "edge"}``, ``{"do": "expand", "node"}``, ``{"do":
        "pin", "node", "x", "y"}``, ``{"do": "undo"}`` or ``{"do": "redo"}``.
    """
    # Above each other without a gap: the library shows nothing.
    with st.container(gap=None):
        if not loaded:
            load(key)
        _graph(
            data={
                **drawn.data,
                "digest": drawn.digest,
                "fit": drawn.fit,
                "told": dict(told),
                "alt": alt,
                "height": height,
                "empty": empty,
            },
            key=key,
            on_events_change=on_events,
        )
