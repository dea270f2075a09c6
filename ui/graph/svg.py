"""A view as an SVG picture: shapes and text, nothing that runs, loads or depends on a font being there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape

import networkx as nx

from lightrag_engine.graphs.indexed import Pair
from lightrag_engine.graphs.placing import Place
from lightrag_engine.names import xml_text
from ui.colors import DIAMOND
from ui.format import shortened
from ui.graph.drawing import style_for

_WIDTH = 1600.0  # pixels of the longer side
_MARGIN = 90.0
_LABELS = 400
_THEMES = {
    "light": {"ground": "#FFFFFF", "text": "#1F2328", "edge": "#A3A8AE"},
    "dark": {"ground": "#14171C", "text": "#E6E8EB", "edge": "#6B737D"},
}


def svg(
    graph: nx.Graph[str], places: Mapping[str, Place], kinds: Mapping[str, str], theme: str, alt: str
) -> str:
    """Return a picture of a graph.

    `places` are pixels, `kinds` the type or community of each entity, `theme` is ``light`` or ``dark``, `alt`
    says in words what is shown.
    """
    keys = [key for key in graph if key in places]
    look = _THEMES[theme]
    at, width, height = _scaled({key: places[key] for key in keys})
    top = max((graph.degree(key) for key in keys), default=1) or 1
    room = math.sqrt(width * height / max(len(keys), 1))
    most = min(24.0, room / 3)
    size = {key: most * (0.3 + 0.7 * math.sqrt(graph.degree(key) / top)) for key in keys}
    lines = [
        _line(graph, pair, at[pair[0]], at[pair[1]]) for pair in sorted(graph.edges) if at.keys() >= set(pair)
    ]
    dots = [_dot(graph, key, at[key], size[key], kinds[key], theme) for key in keys]
    labels = _labels(graph, keys, at, size)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" font-family="Source Sans 3, Segoe UI, Arial, '
        'Noto Sans, Noto Sans CJK SC, Microsoft YaHei, sans-serif">\n'
        f"<title>{_text(alt)}</title>\n"
        f'<rect width="100%" height="100%" fill="{look["ground"]}"/>\n'
        f'<g stroke="{look["edge"]}">\n{_lines(lines)}</g>\n<g>\n{_lines(dots)}</g>\n'
        f'<g fill="{look["text"]}" stroke="{look["ground"]}" stroke-width="3" stroke-linejoin="round" '
        f'paint-order="stroke" text-anchor="middle">\n{_lines(labels)}</g>\n</svg>\n'
    )


def _scaled(places: Mapping[str, Place]) -> tuple[dict[str, Place], float, float]:
    if not places:
        return {}, 400.0, 200.0
    left, right = min(x for x, _ in places.values()), max(x for x, _ in places.values())
    upper, lower = min(y for _, y in places.values()), max(y for _, y in places.values())
    span = max(right - left, lower - upper, 1.0)
    longer = max(_WIDTH, 2.2 * math.sqrt(len(places)) * 30)
    scale = min((longer - 2 * _MARGIN) / span, 2.0)
    at = {
        key: ((x - left) * scale + _MARGIN, (y - upper) * scale + _MARGIN) for key, (x, y) in places.items()
    }
    return at, (right - left) * scale + 2 * _MARGIN, (lower - upper) * scale + 2 * _MARGIN


def _line(graph: nx.Graph[str], pair: Pair, start: Place, end: Place) -> str:
    title = _text(_edge_title(graph, pair))
    return (
        f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" '
        f'stroke-width="{_thickness(graph, pair):.1f}"><title>{title}</title></line>'
    )


def _dot(graph: nx.Graph[str], key: str, at: Place, size: float, kind: str, theme: str) -> str:
    style, (x, y) = style_for(kind), at
    name = graph.nodes[key].get("name", key)
    title = f"<title>{_text(f'{name} · {kind} · degree {graph.degree(key):,}')}</title>"
    paint = f'fill="{style.fill}" stroke="{style.outline(theme)}" stroke-width="1.5"'
    if style.shape == DIAMOND:
        corners = (
            f"{x:.1f},{y - size:.1f} {x + size:.1f},{y:.1f} {x:.1f},{y + size:.1f} {x - size:.1f},{y:.1f}"
        )
        return f'<polygon points="{corners}" {paint}>{title}</polygon>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}" {paint}>{title}</circle>'


def _labels(
    graph: nx.Graph[str], keys: list[str], at: Mapping[str, Place], size: Mapping[str, float]
) -> list[str]:
    """Return names, the best connected first, wherever one has room."""
    labels: list[str] = []
    taken: list[tuple[float, float, float, float]] = []
    for key in sorted(keys, key=lambda key: (-graph.degree(key), key))[: 4 * _LABELS]:
        name = shortened(xml_text(str(graph.nodes[key].get("name", key))), 28)
        x, y = at[key][0], at[key][1] + size[key] + 13
        half = sum(13 if ord(char) > 0x2E80 else 7 for char in name) / 2
        box = (x - half, y - 12, x + half, y + 4)
        if len(labels) >= _LABELS or any(_overlap(box, other) for other in taken):
            continue
        taken.append(box)
        labels.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="13" unicode-bidi="plaintext">{_text(name)}</text>'
        )
    return labels


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and a[2] > b[0] and a[1] < b[3] and a[3] > b[1]


def _thickness(graph: nx.Graph[str], pair: Pair) -> float:
    weight = max(float(graph.edges[pair].get("weight", 1.0)), 0.0)
    return 0.6 + min(math.log1p(weight), 4.0) * 0.7


def _edge_title(graph: nx.Graph[str], pair: Pair) -> str:
    ends = " – ".join(str(graph.nodes[key].get("name", key)) for key in pair)
    about = shortened(", ".join(graph.edges[pair].get("keywords", ())), 120)
    return f"{ends} · {about}" if about else ends


def _text(text: str) -> str:
    return escape(xml_text(text))


def _lines(items: list[str]) -> str:
    return "".join(f"{item}\n" for item in items)
