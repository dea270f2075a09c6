"""The overview's charts, in the colours of the entity types."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from ui import colors
from ui.format import counted, number

_ACCENT = "#6A76C4"  # 3:1 or more on both themes' pages
_BAR = 18  # pixels a bar
_AXIS = alt.Axis(ticks=False, domain=False, labelPadding=8, labelLimit=220)
_HEIGHT = 300  # pixels, of both charts, so that they stand level


def type_chart(counts: Sequence[tuple[str, int]]) -> alt.Chart:
    """Return bars with the number of entities a type; the labels hold the numbers and follow the theme."""
    kinds = [kind for kind, _ in counts]
    styles = [colors.style_of(kind) for kind in kinds]
    labels = [f"{kind} · {number(count)}" for kind, count in counts]
    table = pd.DataFrame({"label": labels, "type": kinds, "entities": [count for _, count in counts]})
    outlines = [style.light_outline for style in styles]
    chart: alt.Chart = (
        alt.Chart(table)
        .mark_bar(cornerRadiusEnd=3, strokeWidth=1, size=_BAR)
        .encode(
            y=alt.Y("label:N", sort=labels, title=None, axis=_AXIS),
            x=alt.X("entities:Q", title=None, axis=None),
            color=alt.Color(
                "type:N", scale=alt.Scale(domain=kinds, range=[s.fill for s in styles]), legend=None
            ),
            stroke=alt.Stroke("type:N", scale=alt.Scale(domain=kinds, range=outlines), legend=None),
            tooltip=[
                alt.Tooltip("type:N", title="Type"),
                alt.Tooltip("entities:Q", title="Entities", format=","),
            ],
        )
        .properties(height=_HEIGHT)
    )
    return chart


def type_alt(counts: Sequence[tuple[str, int]]) -> str:
    """Return the type chart in words."""
    most = ", ".join(f"{number(count)} {kind}" for kind, count in counts[:4])
    return f"Entities by type, most frequent first: {most}"


def degree_bins(degrees: Sequence[int]) -> list[tuple[str, int]]:
    """Return how many entities have a degree in each bin; bins double, for degrees spread over magnitudes.

    Examples
    --------
    >>> degree_bins([0, 1, 1, 2, 3, 9])
    [('0', 1), ('1', 2), ('2–3', 2), ('4–7', 0), ('8–15', 1)]
    """
    top = max(degrees, default=0).bit_length()
    found = [0] * (top + 1)
    for degree in degrees:
        found[degree.bit_length()] += 1
    labels = ["0", "1", *(f"{2 ** (n - 1)}–{2**n - 1}" for n in range(2, top + 1))]
    return list(zip(labels, found, strict=False))


def degree_chart(bins: Sequence[tuple[str, int]]) -> alt.Chart:
    """Return bars with the number of entities a bin of degrees."""
    order = [label for label, _ in bins]
    chart: alt.Chart = (
        alt.Chart(pd.DataFrame(bins, columns=["degree", "entities"]))
        .mark_bar(cornerRadiusEnd=3, color=_ACCENT)
        .encode(
            x=alt.X(
                "degree:N",
                sort=order,
                title="Relations of an entity",
                axis=alt.Axis(labelAngle=0, ticks=False),
            ),
            y=alt.Y("entities:Q", title="Entities", axis=alt.Axis(format=",d", tickMinStep=1, tickCount=5)),
            tooltip=[
                alt.Tooltip("degree:N", title="Relations"),
                alt.Tooltip("entities:Q", title="Entities", format=","),
            ],
        )
        .properties(height=_HEIGHT)
    )
    return chart


def degree_alt(bins: Sequence[tuple[str, int]]) -> str:
    """Return the degree chart in words."""
    label, count = max(bins, key=lambda item: item[1])
    return f"Degree distribution: most often {label} relations ({counted(count, 'entity', 'entities')})"
