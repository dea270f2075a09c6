"""A picture of any part of the graph as PNG, drawn from its SVG by the browser, which has the fonts."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from ui.format import number

MOST_SHAPES = 150_000  # entities and relations; some 30 MB of SVG, which a browser draws in some seconds

_ASSETS = Path(__file__).parent.parent / "assets"
_png = st.components.v2.component(
    "lightrag_png",
    html='<span class="said" role="status"></span>',
    css=".said {\n  font-family: var(--st-font);\n  font-size: 0.875rem;\n}",
    js=(_ASSETS / "graph_png.js").read_text(encoding="utf-8"),
)


def png_button(make: Callable[[], bytes], name: str, shapes: int, key: str) -> None:
    """Offer a picture as a PNG file.

    Parameters
    ----------
    make
        Makes the picture as SVG, when it is asked for.
    name, key
        Name of the file and key of the button.
    shapes
        How many entities and relations the picture has; more than `MOST_SHAPES` are refused, with the reason.
    """
    asked = st.button("PNG picture", key=key, type="tertiary", disabled=shapes > MOST_SHAPES)
    if shapes > MOST_SHAPES:
        st.caption(
            f"{number(shapes)} entities and relations are too many for one PNG, at most "
            f"{number(MOST_SHAPES)} fit. Take the SVG picture, or show a part of the graph."
        )
    elif asked:
        with st.spinner("Drawing the picture …"):
            picture = make().decode("utf-8")
        _png(data={"svg": picture, "name": name, "number": str(time.time_ns())}, key=f"{key}_drawn")
