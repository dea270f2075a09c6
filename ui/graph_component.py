"""The drawn graph as a component: vis-network, as pyvis ships it, without pyvis' page around it.

pyvis' own HTML asks a CDN, runs markup hidden in tooltips and lays out anew on every change.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyvis
import streamlit as st

from ui import colors
from ui.graph_view import View

_ASSETS = Path(__file__).parent / "assets"
_VIS = Path(pyvis.__file__).parent / "lib" / "vis-9.1.2" / "vis-network.min.js"


def _script() -> str:
    """Return the component's module: vis-network wrapped so that it exports into `vis`, then our own code."""
    library = _VIS.read_text(encoding="utf-8").replace("//# sourceMappingURL=vis-network.min.js.map", "")
    ours = (_ASSETS / "graph.js").read_text(encoding="utf-8")
    return (
        "const vis = (() => {\nconst module = { exports: {} }, exports = module.exports;\n"
        f"{library}\nreturn module.exports;\n}})();\n{ours}"
    )


_graph = st.components.v2.component(
    "lightrag_graph",
    html="<div class='graph' role='img'></div>",
    css=(_ASSETS / "graph.css").read_text(encoding="utf-8"),
    js=_script(),
)


def draw(
    view: View,
    selected: dict[str, str] | None,
    *,
    key: str,
    height: int,
    alt: str,
    on_picked: Callable[[], None],
) -> None:
    """Draw the graph.

    Parameters
    ----------
    view
        What to draw.
    selected
        ``{"node": key}`` or ``{"edge": id}`` to show as selected; a node is moved into sight.
    key, height, alt
        Key of the widget, its greatest height in pixels (less on a small page), what it shows in words.
    on_picked
        Called after a click. ``st.session_state[key].picked`` is then what was clicked, in the form of
        `selected`, or None for a click beside everything.
    """
    kinds = {node["group"] for node in view.nodes}
    styles: dict[str, Any] = {
        kind: {"fill": style.fill, "light": style.light_outline, "dark": style.dark_outline}
        for kind in sorted(kinds)
        for style in [colors.style_of(kind)]
    }
    _graph(
        data={
            "nodes": view.nodes,
            "edges": view.edges,
            "digest": view.digest,
            "styles": styles,
            "selected": selected,
            "alt": alt,
            "height": height,
        },
        key=key,
        on_picked_change=on_picked,
    )
