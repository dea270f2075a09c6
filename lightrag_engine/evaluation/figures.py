"""Pictures of a comparison as SVG: overlaps, seconds, and the graph of all that was found.

They stand in pages and in reports, ask nothing of any server, and hold no script. Every text is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import networkx as nx

from lightrag_engine.evaluation.difference import Matrix
from lightrag_engine.names import xml_text

# Okabe and Ito (2008), without black and yellow; one a variant.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00")
MOST_NODES = 60
_FONT = "font-family='system-ui, sans-serif'"


@dataclass(frozen=True, slots=True)
class Ink:
    """What a picture is drawn with: the colour of text, of quiet parts, and of the page behind."""

    text: str
    quiet: str
    page: str


LIGHT = Ink("#262B33", "#9AA1AB", "#FFFFFF")
DARK = Ink("#E6E8EB", "#7A828D", "#15181D")


def matrix_svg(labels: Sequence[str], matrix: Matrix, ink: Ink = LIGHT) -> str:
    """Return overlaps as a square of cells, each with its value in per cent and shaded by it."""
    cell, left, top = 76, 150, 34
    width, height = left + cell * len(labels) + 8, top + 44 * len(labels) + 8
    parts = []
    for i, row in enumerate(matrix):
        y = top + 44 * i
        parts.append(_text(left - 10, y + 26, labels[i], ink.text, "end", most=20))
        parts.append(_text(left + cell * i + cell / 2, top - 12, labels[i], ink.text, "middle", most=10))
        for j, value in enumerate(row):
            x = left + cell * j
            shade = 0.0 if value is None else 0.08 + 0.82 * max(0.0, min(1.0, value))
            parts.append(
                f"<rect x='{x}' y='{y}' width='{cell - 3}' height='41' rx='4' fill='{COLOURS[0]}' "
                f"fill-opacity='{shade:.2f}' stroke='{ink.quiet}' stroke-opacity='0.35'/>"
            )
            said = "–" if value is None else f"{100 * value:.0f} %"
            colour = "#FFFFFF" if shade > 0.55 else ink.text
            parts.append(_text(x + (cell - 3) / 2, y + 26, said, colour, "middle"))
    return _svg(width, height, parts)


def seconds_svg(rows: Sequence[tuple[str, float, float, float]], ink: Ink = LIGHT) -> str:
    """Return bars of (label, seconds to the context, to the first word, to the last), one below another."""
    left, length = 150, 420
    most = max((seconds for _, _, _, seconds in rows), default=0.0) or 1.0
    parts = []
    for i, (label, retrieval, first, whole) in enumerate(rows):
        y = 10 + 34 * i
        parts.append(_text(left - 10, y + 17, label, ink.text, "end", most=20))
        at = 0.0
        for seconds, colour, shade in (
            (retrieval, COLOURS[2], 1.0),
            (max(first, retrieval), COLOURS[1], 1.0),
            (whole, COLOURS[0], 1.0),
        ):
            end = max(at, seconds / most * length)
            parts.append(
                f"<rect x='{left + at:.1f}' y='{y}' width='{end - at:.1f}' height='24' fill='{colour}' "
                f"fill-opacity='{shade}'/>"
            )
            at = end
        parts.append(_text(left + at + 8, y + 17, f"{whole:.1f} s", ink.text))
    y = 28 + 34 * len(rows)
    for i, (name, colour) in enumerate(
        (("retrieval", COLOURS[2]), ("to the first word", COLOURS[1]), ("writing", COLOURS[0]))
    ):
        x = left + 145 * i
        parts.append(f"<rect x='{x}' y='{y - 10}' width='12' height='12' fill='{colour}'/>")
        parts.append(_text(x + 18, y, name, ink.text))
    return _svg(left + length + 70, y + 12, parts)


def drawn_keys(graph: nx.Graph[str], most: int = MOST_NODES) -> list[str]:
    """Return which entities of a union are drawn: those that most variants found, then the best connected."""
    ranked = sorted(graph, key=lambda key: (-len(graph.nodes[key]["found_by"]), -int(graph.degree[key]), key))
    return ranked[:most]


def union_svg(
    graph: nx.Graph[str],
    labels: Mapping[int, str],
    ink: Ink = LIGHT,
    places: Mapping[str, tuple[float, float]] | None = None,
) -> str:
    """Return a union of what was found: each entity a pie of the colours of the variants that found it.

    Parameters
    ----------
    graph
        From `union_graph`.
    labels
        The labels of the variants shown, by their position.
    places
        Where entities stand, in a square from -1 to 1; computed when left out.
    """
    keys = drawn_keys(graph)
    places = union_places(graph) if places is None else places
    width, height, margin = 900, 560, 60
    at = {
        key: (
            margin + (places[key][0] + 1) / 2 * (width - 2 * margin),
            margin + (places[key][1] + 1) / 2 * (height - 2 * margin - 30),
        )
        for key in keys
    }
    parts = []
    for first, second, edge in graph.subgraph(keys).edges(data=True):
        found_by: tuple[int, ...] = edge["found_by"]
        (x1, y1), (x2, y2) = at[first], at[second]
        colour = COLOURS[found_by[0] % len(COLOURS)] if len(found_by) == 1 else ink.quiet
        parts.append(
            f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' stroke='{colour}' "
            f"stroke-width='{0.6 + 0.5 * len(found_by):.1f}' stroke-opacity='0.65'/>"
        )
    for key in keys:
        x, y = at[key]
        node = graph.nodes[key]
        radius = 5 + 1.6 * math.sqrt(int(graph.degree[key]))
        who = ", ".join(labels[position] for position in node["found_by"]) or "only as an end"
        parts.append(f"<g><title>{_plain(node['name'])}: {_plain(who)}</title>")
        parts += _pie(x, y, radius, node["found_by"], ink)
        parts.append(_text(x, y - radius - 4, node["name"], ink.text, "middle", size=11, most=24) + "</g>")
    for index, (position, label) in enumerate(labels.items()):
        x = 16 + index * (width - 20) / max(1, len(labels))
        colour = COLOURS[position % len(COLOURS)]
        parts.append(f"<circle cx='{x:.0f}' cy='{height - 16}' r='6' fill='{colour}'/>")
        parts.append(_text(x + 12, height - 11, label, ink.text, most=26))
    return _svg(width, height, parts)


def union_places(
    graph: nx.Graph[str], on_map: Mapping[str, tuple[float, float]] | None = None
) -> dict[str, tuple[float, float]]:
    """Return where the drawn entities of a union stand, in a square from -1 to 1; always the same.

    Parameters
    ----------
    graph
        From `union_graph`.
    on_map
        Places of entities on the map of the workspace, in any unit: who is left of whom, and above whom,
        stays as it is there. Entities that are not on it stand near those to which they are related.
    """
    drawn: nx.Graph[str] = nx.Graph()
    keys = sorted(drawn_keys(graph))
    drawn.add_nodes_from(keys)
    drawn.add_edges_from(sorted((min(edge), max(edge)) for edge in graph.subgraph(keys).edges))
    known = _unit({key: on_map[key] for key in keys if key in on_map} if on_map else {})
    raw = nx.spring_layout(
        drawn,
        seed=7,
        k=2.2 / math.sqrt(max(1, len(keys))),
        iterations=80,
        pos=known or None,
        fixed=list(known) or None,
    )
    # By rank and not by distance: a force layout crowds the middle, where names would cover each other.
    spread: list[dict[str, float]] = []
    for axis in (0, 1):
        order = sorted(keys, key=lambda key: (float(raw[key][axis]), key))
        share = {key: 2 * i / max(1, len(keys) - 1) - 1 for i, key in enumerate(order)}
        spread.append({key: 0.5 * share[key] + 0.5 * float(raw[key][axis]) for key in keys})
    return {key: (_within(spread[0][key]), _within(spread[1][key])) for key in keys}


def _unit(places: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Return places moved and scaled, each axis by itself, into a square from -1 to 1."""
    scaled = []
    for axis in (0, 1):
        values = [place[axis] for place in places.values()]
        low, high = (min(values), max(values)) if values else (0.0, 0.0)
        scaled.append({key: 2 * (p[axis] - low) / ((high - low) or 1.0) - 1 for key, p in places.items()})
    return {key: (scaled[0][key], scaled[1][key]) for key in places}


def _within(value: float) -> float:
    return max(-1.0, min(1.0, value))


def _pie(x: float, y: float, radius: float, found_by: Sequence[int], ink: Ink) -> list[str]:
    if len(found_by) <= 1:
        fill = COLOURS[found_by[0] % len(COLOURS)] if found_by else ink.page
        edge = ink.page if found_by else ink.quiet
        return [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{radius:.1f}' fill='{fill}' stroke='{edge}'/>"]
    parts = []
    step = 2 * math.pi / len(found_by)
    for index, position in enumerate(found_by):
        start, end = index * step - math.pi / 2, (index + 1) * step - math.pi / 2
        x1, y1 = x + radius * math.cos(start), y + radius * math.sin(start)
        x2, y2 = x + radius * math.cos(end), y + radius * math.sin(end)
        parts.append(
            f"<path d='M{x:.1f} {y:.1f}L{x1:.1f} {y1:.1f}"
            f"A{radius:.1f} {radius:.1f} 0 0 1 {x2:.1f} {y2:.1f}Z' "
            f"fill='{COLOURS[position % len(COLOURS)]}' stroke='{ink.page}' stroke-width='0.6'/>"
        )
    return parts


def _text(
    x: float, y: float, said: str, colour: str, anchor: str = "start", size: int = 13, most: int = 60
) -> str:
    shown = said if len(said) <= most else said[: most - 1] + "…"
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' fill='{colour}' font-size='{size}' text-anchor='{anchor}' {_FONT}>"
        f"{_plain(shown)}</text>"
    )


def _plain(said: str) -> str:
    return escape(xml_text(" ".join(said.split())))


def _svg(width: float, height: float, parts: Sequence[str]) -> str:
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:.0f} {height:.0f}' "
        f"width='{width:.0f}' height='{height:.0f}'>{''.join(parts)}</svg>"
    )
