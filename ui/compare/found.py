"""Who found what: the tables of all variants as one, how much they share, and one map of it all."""

from __future__ import annotations

import networkx as nx
import pandas as pd
import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.evaluation.difference import KINDS, Difference, FoundRow, union_graph
from lightrag_engine.evaluation.figures import drawn_keys, matrix_svg, union_places, union_svg
from lightrag_engine.graphs.indexed import pair_of
from lightrag_engine.graphs.params import to_params
from lightrag_engine.graphs.state import GraphViewState, Scope
from ui.compare.ink import ink
from ui.compare.session import Shown
from ui.downloads import csv_bytes
from ui.format import counted, number

_MOST_OPENED = 100  # entities, and relations: they stand in the address
_WHICH = {"": "everything", "all": "found by all", "some": "found by some", "one": "found by one"}


def found(rag: LightRAG, shown: Shown) -> None:
    """Show the difference tables, the overlaps and the map."""
    _, difference = shown.kept
    kind = st.segmented_control(
        "What",
        KINDS,
        default=KINDS[0],
        required=True,
        format_func=lambda one: f"{one.capitalize()} {number(len(difference.rows(one)))}",
        key=f"kind_{shown.id}",
    )
    _table(shown, difference, kind or KINDS[0])
    st.markdown("**How much they share**")
    st.caption(f"{(kind or KINDS[0]).capitalize()} found by both, of those found by either (Jaccard)")
    labels = [variant.label for variant in difference.variants]
    st.image(
        matrix_svg(labels, difference.overlaps[kind or KINDS[0]], ink()),
        width=480,
        alt=f"How many {kind} every two variants share",
    )
    _map(rag, shown)


def _table(shown: Shown, difference: Difference, kind: str) -> None:
    counts = difference.counts(kind)
    which = st.pills(
        "Show",
        list(_WHICH),
        default="",
        required=True,
        format_func=lambda one: f"{_WHICH[one]} {number(counts[one])}" if one else _WHICH[one],
        key=f"which_{kind}_{shown.id}",
        label_visibility="collapsed",
    )
    rows = [row for row in difference.rows(kind) if which in ("", row.found_by)]
    table = frame(rows, difference)
    if table.empty:
        st.caption(f"No {kind} here.")
        return
    st.dataframe(
        table,
        key=f"found_{kind}_{shown.id}",
        hide_index=True,
        height=min(38 + 35 * len(table), 320),
        column_config={
            "what": st.column_config.TextColumn(kind.capitalize(), width=220, pinned=True),
            "detail": st.column_config.TextColumn("Text", width=320),
            **{
                variant.label: st.column_config.TextColumn(variant.label, alignment="right", width=90)
                for variant in difference.variants
            },
        },
        alt=f"{kind.capitalize()} that any variant found, with the rank in each",
    )
    st.download_button(
        f"Download {kind} as CSV",
        csv_bytes(table),
        file_name=f"compared-{kind}.csv",
        mime="text/csv",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key=f"found_{kind}_csv_{shown.id}",
    )


def frame(rows: list[FoundRow], difference: Difference) -> pd.DataFrame:
    """Return found rows as a table: a column a variant with the rank there, or a dash."""
    labels = [variant.label for variant in difference.variants]
    cells = [
        [row.label, *("–" if rank is None else str(rank) for rank in row.ranks), row.detail] for row in rows
    ]
    return pd.DataFrame(cells, columns=["what", *labels, "detail"], dtype="str")


def _map(rag: LightRAG, shown: Shown) -> None:
    comparison, _ = shown.kept
    labels = dict(enumerate(variant.label for variant in comparison.variants))
    st.markdown("**One map of what was found**")
    chosen = st.pills(
        "Variants on the map",
        list(labels),
        default=list(labels),
        selection_mode="multi",
        format_func=labels.__getitem__,
        key=f"map_{shown.id}",
        wrap=True,
    )
    graph = union_graph(comparison, chosen)
    if not graph:
        st.caption("Nothing of the graph was found by these variants.")
        return
    # Places are those of the whole union: an entity stays where it is when variants are taken away.
    whole = union_graph(comparison)
    with st.spinner("Looking up the places on the map …"):
        places = union_places(whole, rag.explorer.map_places())
    drawn = graph.subgraph([key for key in drawn_keys(whole) if key in graph])
    st.image(
        union_svg(drawn, {position: labels[position] for position in sorted(chosen)}, ink(), places),
        width="stretch",
        alt="Map of the entities and relations that were found, coloured by variant",
    )
    cut = (
        f"{number(len(drawn))} of {counted(len(graph), 'entity', 'entities')}"
        if len(drawn) < len(graph)
        else ""
    )
    st.caption(
        (f"{cut}, those most variants found. " if cut else "")
        + "Each entity has the colours of the variants that found it; a grey line was found by several. "
        "Left and right, above and below are those of the map on the graph page."
    )
    if st.button("Open these in the graph", icon=":material/hub:", key=f"union_graph_{shown.id}"):
        st.switch_page("pages/graph.py", query_params=_as_view(graph))


def _as_view(graph: nx.Graph[str]) -> dict[str, list[str]]:
    keys = drawn_keys(graph, _MOST_OPENED)
    pairs = tuple(pair_of(*edge) for edge in graph.subgraph(keys).edges)
    state = GraphViewState(scope=Scope.EVIDENCE, nodes=tuple(keys), pairs=pairs[:_MOST_OPENED])
    return to_params(state)
