"""How two entities are connected: each path, step by step, with the sentence that says so."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.graphs import Path
from lightrag_engine.graphs.indexed import pair_of
from lightrag_engine.graphs.kinds import entity_at
from lightrag_engine.names import content_id
from ui.format import counted, shortened
from ui.graph import session
from ui.graph.evidence import first_sentence, place
from ui.markdown import literal
from ui.marks import mentions, segments
from ui.passage import passage, plain


def paths(rag: LightRAG, graph: nx.Graph[str], found: Sequence[Path]) -> None:
    """Show paths, each relation on them as a button that selects it, above its sentence."""
    for number, path in enumerate(found, start=1):
        st.markdown(f"**Path {number}** · {counted(len(path), 'step')}")
        for first, second in zip(path.keys, path.keys[1:], strict=False):
            _step(rag, graph, first, second, f"{number}")


def _step(rag: LightRAG, graph: nx.Graph[str], first: str, second: str, number: str) -> None:
    data = graph.edges[first, second]
    ends = [entity_at(graph, key) for key in (first, second)]
    key = content_id("step", number, first, second)
    with st.container(border=True, gap="small"):
        st.button(
            literal(" – ".join(shortened(end.name, 32) for end in ends)),
            key=key,
            type="tertiary",
            help="Show everything about this relation",
            on_click=session.choose_edge,
            args=(pair_of(first, second),),
        )
        spellings = [(end.name, *end.spellings) for end in ends]
        said = first_sentence(rag, data.get("source_ids", ()), spellings)
        if said is None:
            # The relation was read off more than one sentence: what was understood stands in for it.
            plain(shortened(str(data.get("description", "")), 300), key=f"{key}_said")
            return
        sentence, source = said
        names = {name: end.type for end, group in zip(ends, spellings, strict=True) for name in group}
        passage(segments(sentence, mentions(sentence, names)), key=f"{key}_said")
        st.caption(literal(place(source)))
