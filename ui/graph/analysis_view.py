"""What stands out in the graph, as tables and charts; rows can be shown in the map."""

from __future__ import annotations

from functools import partial

import altair as alt
import pandas as pd
import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.graphs import Scope
from lightrag_engine.graphs.analysis import Summary
from lightrag_engine.graphs.kinds import type_counts
from ui import colors
from ui.charts import degree_alt, degree_bins, degree_chart
from ui.downloads import csv_bytes
from ui.format import counted, number, shortened
from ui.graph import session
from ui.tables import type_column

_MOST_PICKED = 400
_FEW = 8  # picked entities that are chosen at once
_CHART_DOCUMENTS = 25


def analysis(rag: LightRAG) -> None:
    """Show the graph in numbers, central entities, surprising relations, and types over documents."""
    with st.spinner("Measuring the graph …"):
        numbers, table = rag.explorer.summary(), rag.explorer.centrality()
    with st.grid(5, min_column_width=130):
        st.metric("Components", number(numbers.components), border=True, help=_parts_help(numbers))
        st.metric("Communities", number(numbers.communities), border=True)
        st.metric(
            "Density",
            f"{numbers.density:.2%}",
            border=True,
            help="Share of possible relations that are there",
        )
        st.metric("Mean degree", f"{numbers.mean_degree:.1f}", border=True, help="Relations an entity has")
        st.metric("Unrelated", number(numbers.isolated), border=True, help="Entities without any relation")
    which = st.segmented_control(
        "What to look at",
        list(_PARTS),
        default="Entities",
        required=True,
        key="part",
        bind="query-params",
        label_visibility="collapsed",
    )
    _PARTS[which or "Entities"](rag, table)


def _parts_help(numbers: Summary) -> str:
    largest = counted(numbers.largest_component, "entity", "entities")
    return f"Parts that no relation joins; the largest has {largest}"


def _entities(rag: LightRAG, table: pd.DataFrame) -> None:
    kinds = [kind for kind, _ in type_counts(rag.explorer.graph)]
    place = st.container(horizontal=True, vertical_alignment="bottom")
    wanted = place.multiselect("Types", kinds, key="analysis_types", placeholder="All types", width=320)
    shown = table[table["type"].isin(wanted)] if wanted else table
    sampled = rag.explorer.betweenness_is_sampled()
    chosen = st.dataframe(
        shown.assign(type=shown["type"].map(lambda kind: [kind])),
        key="centrality",
        hide_index=True,
        height=420,
        on_select="rerun",
        selection_mode="multi-row",
        column_order=[
            "entity",
            "type",
            "degree",
            "weight",
            "pagerank",
            "betweenness",
            "community",
            "component",
        ],
        alt="All entities with their degree, PageRank and betweenness; click a column's name to sort",
        column_config={
            "entity": st.column_config.TextColumn("Entity", width=230),
            "type": type_column(kinds),
            "degree": st.column_config.NumberColumn("Degree", format="localized", help="Number of relations"),
            "weight": st.column_config.NumberColumn(
                "Weight", format="%.1f", help="Sum of the weights of its relations"
            ),
            "pagerank": st.column_config.NumberColumn(
                "PageRank", format="%.4f", help="Relations with well connected entities count more"
            ),
            "betweenness": st.column_config.NumberColumn(
                "Betweenness" + (" (estimated)" if sampled else ""),
                format="%.4f",
                help="The share of shortest paths between others that pass it"
                + (", from a sample of 200 entities" if sampled else ""),
            ),
            "community": st.column_config.NumberColumn("Community"),
            "component": st.column_config.NumberColumn("Component", help="1 is the largest part"),
        },
    )
    keys = [shown["key"].iloc[row] for row in chosen.selection.rows if row < len(shown)]
    place.button(
        f"Show {counted(len(keys), 'entity', 'entities')} in the map" if keys else "Show in the map",
        icon=":material/hub:",
        type="primary",
        disabled=not keys,
        help=None if keys else "Select rows in the table first",
        on_click=_pick,
        args=(tuple(keys[:_MOST_PICKED]), ()),
    )
    place.download_button(
        "Download as CSV",
        partial(csv_bytes, shown.drop(columns="key")),
        "entities.csv",
        "text/csv",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
    )
    bins = degree_bins(table["degree"].tolist())
    st.subheader("Degree distribution", anchor=False, help="How many entities have how many relations")
    st.altair_chart(degree_chart(bins), alt=degree_alt(bins))


def _surprising(rag: LightRAG, _: pd.DataFrame) -> None:
    table = rag.explorer.surprising()
    if table.empty:
        st.caption("No relation joins two communities.")
        return
    st.caption(
        "Relations between communities that otherwise hardly meet, of entities that have many relations: "
        "what one would expect least comes first."
    )
    place = st.container(horizontal=True)
    chosen = st.dataframe(
        table,
        key="surprising",
        hide_index=True,
        height=min(38 + 35 * len(table), 480),
        on_select="rerun",
        selection_mode="multi-row",
        column_order=["source", "target", "keywords", "description", "surprise", "weight"],
        alt="The least expected relations, most surprising first",
        column_config={
            "source": st.column_config.TextColumn("Source", width=150),
            "target": st.column_config.TextColumn("Target", width=150),
            "keywords": st.column_config.TextColumn("About", width=150),
            "description": st.column_config.TextColumn("Description", width=380),
            "surprise": st.column_config.NumberColumn(
                "Surprise",
                format="%.1f",
                width=80,
                help="How many times fewer relations (as a power of two) the two communities share than by "
                "chance, times the logarithm of the degree of the less connected end",
            ),
            "weight": st.column_config.NumberColumn("Weight", format="%.1f", width=70),
        },
    )
    pairs = [
        (str(table["low_key"].iloc[row]), str(table["high_key"].iloc[row]))
        for row in chosen.selection.rows
        if row < len(table)
    ]
    place.button(
        f"Show {counted(len(pairs), 'relation')} in the map" if pairs else "Show in the map",
        icon=":material/hub:",
        type="primary",
        disabled=not pairs,
        help=None if pairs else "Select rows in the table first",
        on_click=_pick,
        args=((), tuple(pairs)),
    )


def _documents(rag: LightRAG, _: pd.DataFrame) -> None:
    table = rag.explorer.types_by_document()
    if table.empty:
        st.caption("No entities yet.")
        return
    sizes = table.groupby("document")["entities"].sum().sort_values(ascending=False)
    largest = list(sizes.index[:_CHART_DOCUMENTS])
    drawn = table[table["document"].isin(largest)]
    kinds = [kind for kind, _ in type_counts(rag.explorer.graph)]
    styles = [colors.style_of(kind) for kind in kinds]
    names = {name: shortened(name, 36) for name in largest}
    chart = (
        alt.Chart(drawn.assign(shown=drawn["document"].map(names)))
        .mark_bar(size=16)
        .encode(
            y=alt.Y(
                "shown:N",
                sort=[names[name] for name in largest],
                title=None,
                axis=alt.Axis(ticks=False, domain=False, labelLimit=240),
            ),
            x=alt.X("entities:Q", title="Entities", axis=alt.Axis(format=",d", tickMinStep=1)),
            color=alt.Color(
                "type:N",
                title="Type",
                scale=alt.Scale(domain=kinds, range=[style.fill for style in styles]),
                legend=alt.Legend(orient="bottom", columns=6),
            ),
            tooltip=[
                alt.Tooltip("document:N", title="Document"),
                alt.Tooltip("type:N", title="Type"),
                alt.Tooltip("entities:Q", title="Entities", format=","),
            ],
        )
        .properties(height=max(120, 26 * len(largest) + 60))
    )
    st.altair_chart(chart, alt=f"Entities by type in each of {counted(len(largest), 'document')}")
    if len(sizes) > len(largest):
        st.caption(f"The {number(len(largest))} documents with most entities of {number(len(sizes))}.")
    wide = table.pivot_table(index="document", columns="type", values="entities", fill_value=0, aggfunc="sum")
    wide = wide[[kind for kind in kinds if kind in wide.columns]].astype("int64")
    st.dataframe(wide, alt="Entities by type in each document")


def _pick(keys: tuple[str, ...], pairs: tuple[tuple[str, str], ...]) -> None:
    session.show_map()
    # Few are chosen as by Shift-click: whoever does not use the drawing can connect and merge them too.
    few = keys if len(keys) <= _FEW and not pairs else ()
    session.change(scope=Scope.EVIDENCE, nodes=keys, pairs=pairs, expanded=(), chosen=few, edge=None)


_PARTS = {
    "Entities": _entities,
    "Surprising relations": _surprising,
    "Types by document": _documents,
}
