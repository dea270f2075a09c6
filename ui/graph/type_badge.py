"""An entity type with its symbol in its colour."""

from __future__ import annotations

from ui.graph.drawing import style_for
from ui.markdown import literal


def type_symbol(kind: str) -> str:
    """Return the symbol of a type, or of a community, in its colour, as Markdown."""
    style = style_for(kind)
    return f':color[{style.symbol}]{{foreground="{style.ink}"}}'


def type_badge(kind: str) -> str:
    """Return a type, or a community, with its symbol in its colour, as Markdown."""
    return f"{type_symbol(kind)} {literal(kind)}"
