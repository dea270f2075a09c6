"""A view as one HTML file that opens from disk, with no network: pyvis' page with its hooks to others cut.

pyvis builds the nodes, the edges and the page. What it would fetch from a CDN is put in or left out, and
every text stands in a JSON block that is read as data: nothing a document says can become markup or script.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from typing import Any

import networkx as nx
from pyvis.network import Network

from lightrag_engine.graphs.placing import Place
from lightrag_engine.names import xml_text
from ui.format import shortened
from ui.graph.component import vis_network
from ui.graph.drawing import style_for

_FETCHING = re.compile(r"<link\b[^>]*>|<script\b[^>]*\bsrc\s*=[^>]*>\s*</script>", re.IGNORECASE)
_INLINE = re.compile(r"<script\b[^>]*>.*?</script>", re.IGNORECASE | re.DOTALL)
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
_START = """
const data = JSON.parse(document.getElementById("graph-data").textContent)
const text = (value) => Object.assign(document.createElement("div"), { textContent: value })
for (const item of [...data.nodes, ...data.edges]) item.title = text(item.title)
const sets = { nodes: new vis.DataSet(data.nodes), edges: new vis.DataSet(data.edges) }
const network = new vis.Network(document.getElementById("mynetwork"), sets, data.options)
network.once("afterDrawing", () => network.fit())
"""


def html(
    graph: nx.Graph[str], places: Mapping[str, Place], kinds: Mapping[str, str], theme: str, line: str
) -> str:
    """Return the file. `theme` is ``light`` or ``dark``, `line` says what part of the graph this is."""
    dark = theme == "dark"
    ground, ink, edge = ("#14171C", "#E6E8EB", "#6B737D") if dark else ("#FFFFFF", "#1F2328", "#A3A8AE")
    net = Network(height="100vh", width="100%", bgcolor=ground, font_color=ink)
    spread = _spread(places)
    for key in graph:
        if key not in places:
            continue
        data, style = graph.nodes[key], style_for(kinds[key])
        name = xml_text(str(data.get("name", key)))
        net.add_node(
            key,
            label=shortened(name, 28),
            title=f"{name}\n{kinds[key]} · degree {graph.degree(key):,}\n"
            f"{shortened(xml_text(str(data.get('description', ''))), 300)}",
            shape=style.shape,
            value=graph.degree(key) ** 0.5,
            color={"background": style.fill, "border": style.outline(theme)},
            x=places[key][0] * spread,
            y=places[key][1] * spread,
        )
    # Filled directly: Network.add_edge compares each new edge with all before it.
    net.edges = [
        {
            "from": a,
            "to": b,
            "value": max(float(data.get("weight", 1.0)), 0.0),
            "title": f"{_name(graph, a)} – {_name(graph, b)}\n"
            f"{shortened(xml_text(str(data.get('description', ''))), 300)}",
        }
        for a, b, data in graph.edges(data=True)
        if a in places and b in places
    ]
    options = {
        "physics": False,
        "interaction": {"hover": True, "tooltipDelay": 150, "navigationButtons": False},
        "nodes": {"font": {"color": ink, "size": 15}, "scaling": {"min": 8, "max": 30}},
        "edges": {"smooth": False, "color": edge, "scaling": {"min": 0.6, "max": 4}},
    }
    return _page(net, {"nodes": net.nodes, "edges": net.edges, "options": options}, ground, ink, line)


def _page(net: Network, data: dict[str, Any], ground: str, ink: str, line: str) -> str:
    # pyvis writes its page without any of our texts: they come in a block of data of our own.
    shell = Network(height=net.height, width=net.width, bgcolor=ground, font_color=ink).generate_html()
    shell = _INLINE.sub("", _FETCHING.sub("", shell))
    style = (
        f"<style>html,body{{margin:0;background:{ground};color:{ink};font-family:sans-serif}}"
        "#mynetwork{border:0!important;height:100vh!important}.card{border:0!important}"
        "#line{position:absolute;left:12px;bottom:8px;font-size:13px}"
        "div.vis-tooltip{position:absolute;visibility:hidden;padding:6px 10px;"
        f"background:{ground};color:{ink};"
        "border:1px solid #8A8F98;border-radius:6px;max-width:22rem;white-space:pre-wrap;font-size:13px;"
        "overflow-wrap:anywhere}</style>"
    )
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>Entity graph</title>{style}"
    )
    # "<" is written as an escape, so that no text can close the block it stands in.
    held = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    library = vis_network().replace("</script", "<\\/script")
    body = (
        f'<div id="line">{escape(xml_text(line))}</div>'
        f'<script type="application/json" id="graph-data">{held}</script>'
        f"<script>{library}</script><script>{_START}</script>"
    )
    shell = shell.replace("<head>", f"<head>{head}", 1)
    before, _, after = shell.rpartition("</body>")
    return f"{before}{body}</body>{after}"


def _spread(places: Mapping[str, Place]) -> float:
    """Return how much nearer to each other places must be for dots of the usual size."""
    if len(places) < 2:
        return 1.0
    xs, ys = zip(*places.values(), strict=True)
    room = ((max(xs) - min(xs) + 60) * (max(ys) - min(ys) + 60) / len(places)) ** 0.5
    return float(min(1.0, 110 / room))


def _name(graph: nx.Graph[str], key: str) -> str:
    return xml_text(str(graph.nodes[key].get("name", key)))
