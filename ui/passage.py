"""A text with marks, as a component that sets everything as plain text.

Markdown would let a document fetch pictures, format the page or hide text; here a text is only text.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

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


def passage(pieces: Sequence[Segment], key: str, workspace: str = "") -> str:
    """Draw a text with marks; an entity type as a segment's kind gives its colour. Lines are filled anew.

    Entities are links to the graph of `workspace`. Returns the key of the one that was just clicked.
    """
    pieces = joined(pieces)
    kinds = {piece.kind for piece in pieces if piece.kind}
    styles = {kind: colors.style_of(kind) for kind in kinds - {"used", "gap"}}
    result = _passage(
        data={
            "segments": [
                {
                    "text": piece.text,
                    "kind": piece.kind,
                    "entity": piece.entity,
                    "address": f"graph?{urlencode({'workspace': workspace, 'entity': piece.entity})}",
                }
                if piece.entity
                else {"text": piece.text, "kind": piece.kind}
                for piece in pieces
            ],
            "styles": {
                kind: {"fill": style.fill, "light": style.light_outline, "dark": style.dark_outline}
                for kind, style in styles.items()
            },
        },
        key=key,
        on_clicked_change=lambda: None,
    )
    return str(result.clicked or "")


def plain(text: str, key: str) -> None:
    """Draw a text from a document or a model as it is."""
    passage([Segment(text)], key)
