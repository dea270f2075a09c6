"""A text with marks, as a component that sets everything as plain text.

Markdown would let a document fetch pictures, format the page or hide text; here a text is only text.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from ui import colors
from ui.marks import Segment, joined

_ASSETS = Path(__file__).parent / "assets"
_passage = st.components.v2.component(
    "lightrag_passage",
    html="<div class='passage' dir='auto'></div>",
    css=(_ASSETS / "passage.css").read_text(encoding="utf-8"),
    js=(_ASSETS / "passage.js").read_text(encoding="utf-8"),
)


def passage(pieces: Sequence[Segment], key: str) -> None:
    """Draw a text with marks; an entity type as a segment's kind gives its colour. Lines are filled anew."""
    pieces = joined(pieces)
    kinds = {piece.kind for piece in pieces if piece.kind}
    styles = {kind: colors.style_of(kind) for kind in kinds - {"used", "gap"}}
    _passage(
        data={
            "segments": [{"text": piece.text, "kind": piece.kind} for piece in pieces],
            "styles": {
                kind: {"fill": style.fill, "light": style.light_outline, "dark": style.dark_outline}
                for kind, style in styles.items()
            },
        },
        key=key,
    )


def plain(text: str, key: str) -> None:
    """Draw a text from a document or a model as it is."""
    passage([Segment(text)], key)
