"""One colour an entity type, the same in the graph, the legend, the charts, the tables and the text.

The first fills are the colour-blind-safe set of Okabe and Ito (2008), without black, which no dark page can
show, and with an olive for its yellow, which no white page can show. The types beyond its seven hues have
hues of their own and are drawn as a diamond instead of a dot, because nobody tells so many hues apart with
certainty. The outlines carry the contrast that a pale fill lacks: at least 3:1 against the page in each theme
(WCAG 2.1, 1.4.11). The outline of the light theme is also dark enough to be the ground of white text (4.5:1):
the chips in tables.
"""

from __future__ import annotations

from dataclasses import dataclass

DOT = "dot"
DIAMOND = "diamond"
_SYMBOLS = {DOT: "●", DIAMOND: "◆"}


@dataclass(frozen=True, slots=True)
class TypeStyle:
    """How an entity type is drawn: `fill` in both themes, an outline for each, a vis-network `shape`."""

    fill: str
    light_outline: str
    dark_outline: str
    shape: str = DOT

    @property
    def symbol(self) -> str:
        """The shape as a character, for legends."""
        return _SYMBOLS[self.shape]

    @property
    def ink(self) -> str:
        """The colour of the symbol in text: the fill, unless that is too pale to be seen on a white page."""
        return self.fill if contrast(self.fill, "#FFFFFF") >= 2 else self.light_outline

    def outline(self, theme: str) -> str:
        """Return the outline for the theme ``light`` or ``dark``."""
        return self.dark_outline if theme == "dark" else self.light_outline


_ORANGE = ("#E69F00", "#9A6A00", "#F2B84B")
_BLUE = ("#0072B2", "#005A8D", "#3C9BD6")
_GREEN = ("#009E73", "#00795A", "#2BC49A")
_VERMILLION = ("#D55E00", "#A84A00", "#F0803C")
_PURPLE = ("#CC79A7", "#9C4C79", "#E0A3C6")
_SKY = ("#56B4E9", "#1A72A6", "#8FD0F5")
_OLIVE = ("#C4B400", "#776F00", "#D6C93A")
_VIOLET = ("#7B5BC4", "#6A48B8", "#A48BE8")
_BROWN = ("#8F5B3E", "#7D4B30", "#C08A6A")
_CRIMSON = ("#B3365E", "#A02B50", "#E06A8E")
_LIME = ("#7FB03A", "#4E7518", "#A3CF63")

STYLES = {
    "person": TypeStyle(*_ORANGE),
    "organization": TypeStyle(*_BLUE),
    "location": TypeStyle(*_GREEN),
    "event": TypeStyle(*_VERMILLION),
    "concept": TypeStyle(*_PURPLE),
    "technology": TypeStyle(*_SKY),
    "product": TypeStyle(*_OLIVE),
    "work": TypeStyle(*_VIOLET, shape=DIAMOND),
    "group": TypeStyle(*_BROWN, shape=DIAMOND),
    "date": TypeStyle(*_CRIMSON, shape=DIAMOND),
    "quantity": TypeStyle(*_LIME, shape=DIAMOND),
}
UNKNOWN = TypeStyle("#8A8F98", "#5F656E", "#A9B0BA")


def style_of(entity_type: str) -> TypeStyle:
    """Return how a type is drawn; every type outside the table is grey.

    Examples
    --------
    >>> style_of("person").fill
    '#E69F00'
    >>> style_of("starship") is UNKNOWN
    True
    """
    return STYLES.get(entity_type, UNKNOWN)


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio (1 to 21) of two ``#RRGGBB`` colours, by the formula of WCAG 2.1."""
    high, low = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    channels = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
