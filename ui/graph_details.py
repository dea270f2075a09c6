"""What stands beside the graph: the chosen entity or relation, its evidence, and where that stands."""

from __future__ import annotations

import json
from functools import partial

import networkx as nx
import pandas as pd
import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.names import content_id
from lightrag_engine.records import Entity, SourceText
from ui import colors
from ui.format import counted, number, shortened
from ui.graph_data import entity_at
from ui.graph_state import choose
from ui.markdown import literal
from ui.marks import Segment, excerpt, mentions, occurrences, sentences_with
from ui.passage import passage, plain

_PASSAGES_SHOWN = 5
_DESCRIPTION_LENGTH = 480


def details(rag: LightRAG, graph: nx.Graph[str], selected: dict[str, str] | None) -> None:
    """Show the chosen entity or relation, or how to choose one."""
    if selected and (key := selected.get("node")) in graph:
        _entity(rag, graph, entity_at(graph, str(key)))
    elif selected and "edge" in selected and graph.has_edge(*json.loads(selected["edge"])):
        _relation(rag, graph, *json.loads(selected["edge"]))
    else:
        st.markdown("**Nothing chosen yet**")
        st.caption(
            "Click a dot for an entity, a line for a relation, or search by name. "
            "Drag to move, scroll to zoom. Larger dots have more relations."
        )


def type_badge(entity_type: str) -> str:
    """Return an entity type with its symbol in its colour, as Markdown."""
    style = colors.style_of(entity_type)
    return f':color[{style.symbol}]{{foreground="{style.ink}"}} {literal(entity_type)}'


def _entity(rag: LightRAG, graph: nx.Graph[str], entity: Entity) -> None:
    st.subheader(literal(shortened(entity.name, 90)), anchor=False, help=_whole(entity.name, 90))
    degree = graph.degree(entity.key)
    st.markdown(f"{type_badge(entity.type)} · {counted(degree, 'relation')}")
    _sampled(len(entity.source_ids), entity.left_out)
    others = [spelling for spelling in entity.spellings if spelling != entity.name]
    if others:
        st.caption(f"Also written {literal(', '.join(others))}")
    if entity.description:
        _description(entity.description, key=content_id("about", entity.key))
    _relations(graph, entity)
    names = dict.fromkeys((entity.name, *entity.spellings), entity.type)
    _sources(rag, entity.source_ids, names)


def _sampled(passages: int, left_out: int) -> None:
    if left_out:
        st.caption(
            f"From a sample of {counted(passages, 'passage')}; {counted(left_out, 'more record')} count "
            "for the weight only."
        )


def _description(text: str, key: str) -> None:
    if len(text) <= _DESCRIPTION_LENGTH:
        plain(text, key=key)
        return
    plain(shortened(text, _DESCRIPTION_LENGTH), key=key)
    whole = st.expander("Whole description", key=f"{key}_whole", type="compact", on_change="rerun")
    if whole.open:
        with whole:
            plain(text, key=f"{key}_all")


def _relations(graph: nx.Graph[str], entity: Entity) -> None:
    table, keys = relation_table(graph, entity.key)
    if not keys:
        st.caption("No relations.")
        return
    st.markdown("**Relations**")
    widget = f"relations_{entity.key}"
    st.dataframe(
        table,
        key=widget,
        hide_index=True,
        height=min(38 + 35 * len(keys), 248),
        on_select=partial(_follow, widget, keys),
        selection_mode="single-row",
        alt=f"Relations of {entity.name}, heaviest first",
        column_config={
            "entity": st.column_config.TextColumn(
                "With", width=130, help="Select a row to go to this entity"
            ),
            "keywords": st.column_config.TextColumn("About", width=130),
            "weight": st.column_config.NumberColumn("Weight", format="%.1f", width=60),
            "description": st.column_config.TextColumn("Description", width="large"),
        },
    )


def relation_table(graph: nx.Graph[str], key: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the relations of an entity, heaviest first, and the keys of the other ends in the same order."""
    rows = sorted(
        (
            (-float(data.get("weight", 0.0)), str(graph.nodes[other].get("name", other)), other, data)
            for other, data in graph[key].items()
        ),
        key=lambda row: row[:3],
    )
    table = pd.DataFrame(
        [(name, ", ".join(data.get("keywords", ())), -weight, str(data.get("description", "")))
         for weight, name, _, data in rows],
        columns=["entity", "keywords", "weight", "description"],
    ).astype({"entity": "str", "keywords": "str", "weight": "float64", "description": "str"})  # fmt: skip
    return table, [other for _, _, other, _ in rows]


def _follow(widget: str, keys: list[str]) -> None:
    rows = st.session_state[widget].selection.rows
    if rows and rows[0] < len(keys):
        choose({"node": keys[rows[0]]})


def _relation(rag: LightRAG, graph: nx.Graph[str], first: str, second: str) -> None:
    data = graph.edges[first, second]
    ends = [entity_at(graph, data.get("source_key", first)), entity_at(graph, data.get("target_key", second))]
    st.subheader(literal(" – ".join(shortened(end.name, 60) for end in ends)), anchor=False)
    keywords = ", ".join(data.get("keywords", ()))
    st.markdown(f"Relation · weight {float(data.get('weight', 0.0)):.1f}")
    _sampled(len(data.get("source_ids", ())), int(data.get("left_out", 0)))
    if keywords:
        st.caption(f"About {literal(keywords)}")
    with st.container(horizontal=True):
        for end in ends:
            st.button(
                literal(shortened(end.name, 40)),
                key=content_id("end", end.key),
                icon=":material/arrow_forward:",
                on_click=choose,
                args=({"node": end.key},),
            )
    if data.get("description"):
        _description(str(data["description"]), key=f"about_{first}_{second}")
    spellings = [(end.name, *end.spellings) for end in ends]
    names = {name: end.type for end, group in zip(ends, spellings, strict=True) for name in group}
    _sources(rag, tuple(data.get("source_ids", ())), names, together=spellings)


def _sources(
    rag: LightRAG,
    source_ids: tuple[str, ...],
    names: dict[str, str],
    together: list[tuple[str, ...]] | None = None,
) -> None:
    if not source_ids:
        return
    sources = rag.passages(source_ids[:_PASSAGES_SHOWN])
    more = len(source_ids) > len(sources)
    shown = f"{number(len(sources))} of {number(len(source_ids))} passages" if more else "Passages"
    st.markdown(f"**{shown}**")
    for source in sources:
        with st.container(border=True):
            st.caption(literal(place(source)))
            passage(_pieces(source.content, names, together), key=f"source_{source.chunk_id}")


def _pieces(content: str, names: dict[str, str], together: list[tuple[str, ...]] | None) -> list[Segment]:
    if together and (sentences := sentences_with(content, together)):
        return excerpt(content, occurrences(content, sentences))
    return excerpt(content, mentions(content, names))


def place(source: SourceText) -> str:
    """Return where a passage stands: the file, and the page if it has pages."""
    return f"{source.document}, p. {source.page}" if source.page else source.document


def _whole(text: str, length: int) -> str | None:
    return literal(text) if len(text) > length else None
