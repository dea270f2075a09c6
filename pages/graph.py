"""The entity graph: the best connected entities, search, and the evidence of what is clicked."""

import streamlit as st

from lightrag_engine.names import content_id
from ui import graph_component, graph_state, graph_view
from ui.empty import no_documents
from ui.engine import engine
from ui.format import number, shortened
from ui.graph_data import view
from ui.graph_details import details, type_badge
from ui.markdown import literal

rag = engine()
graph = rag.graph
st.title("Graph", anchor=False)
if not graph:
    no_documents(
        rag, "The graph shows the people, places and ideas of your documents and how they are related."
    )
    st.stop()

selected = graph_state.chosen()
total = len(graph)
counts = graph_view.type_counts(graph)

with st.container(horizontal=True, vertical_alignment="bottom"):
    wanted = st.text_input(
        "Find an entity",
        key="find",
        type="search",
        live=True,
        placeholder="Name or spelling",
        width=210,
        on_change=graph_state.find,
        args=(rag,),
    )
    shown = graph_view.DEFAULT_SHOWN
    if total > 60:
        steps = graph_view.shown_steps(total)
        shown = st.select_slider(
            "Entities shown",
            steps,
            min(graph_view.DEFAULT_SHOWN, steps[-1]),
            key="shown",
            bind="query-params",
            help="The best connected ones. More than about 500 are slow to move.",
            width=205,
        )
# Always there, also without results: the drawing below would be built anew if its place in the page changed.
results = st.container(horizontal=True, vertical_alignment="center")
found = rag.search_entities(wanted, limit=graph_state.HITS) if wanted else []
# One hit that is chosen already needs no button.
for entity in found if [{"node": entity.key} for entity in found] != [selected] else []:
    results.button(
        literal(shortened(entity.name, 40)),
        key=content_id("found", entity.key),
        help=f"{type_badge(entity.type)} · {number(graph.degree(entity.key))} relations",
        on_click=graph_state.choose,
        args=({"node": entity.key},),
    )
if wanted and not found:
    results.caption("No entity of this name. Try a part of it or another spelling.")

names = [kind for kind, _ in counts]
graph_state.restore_types(names)
types = st.pills(
    "Types: choose to show only these",
    names,
    selection_mode="multi",
    format_func=lambda kind: f"{type_badge(kind)} {number(dict(counts).get(kind, 0))}",
    key=graph_state.TYPES_KEY,
    on_change=graph_state.types_chosen,
)

# Two parts to one, and below each other where there is no room.
grid = st.grid(3, min_column_width=270, gap="medium")
drawing, aside = grid.cell(column_span=2), grid.cell()
with drawing:
    best = graph_view.best_connected(graph, shown, types)
    keys = graph_view.with_neighbourhood(graph, best, (selected or {}).get("node"))
    drawn = view(graph, keys)
    line = graph_view.shown_line(len(keys), total, types, added=len(keys) - len(best))
    graph_component.draw(
        drawn,
        selected,
        key=graph_state.GRAPH_KEY,
        height=600,
        alt=f"Entity graph: {line}. The search above finds every entity without the drawing.",
        on_picked=graph_state.picked,
    )
    st.caption(line)
with aside, st.container(height=640, border=False):
    details(rag, graph, selected)
