"""What the workspace holds, at a glance."""

import streamlit as st

from lightrag_engine.graphs.kinds import type_counts
from ui import charts
from ui.empty import no_documents
from ui.engine import engine
from ui.format import number
from ui.graph.duplicates_view import link
from ui.markdown import literal
from ui.sidebar import model_name

rag = engine()
st.title("Overview", anchor=False)
if not rag.documents():
    no_documents(
        rag, "See what is in your documents: an entity graph, and answers with evidence. Start with a few."
    )
    st.stop()

counts = rag.counts()
with st.grid(4):
    st.metric("Documents", number(counts.documents), border=True)
    most = number(rag.settings.chunk_token_size)
    st.metric(
        "Chunks",
        number(counts.chunks),
        border=True,
        help=f"Pieces of text: now of up to {most} tokens, in documents read earlier as it was set then",
    )
    st.metric(
        "Entities", number(counts.entities), border=True, help="People, places, ideas … : the graph's nodes"
    )
    st.metric(
        "Relations", number(counts.relations), border=True, help="What joins two entities: the graph's edges"
    )

graph = rag.graph
if graph:
    link(rag)
grid = st.grid(2, min_column_width=380, gap="medium")
types, degrees = grid.cell(), grid.cell()
with types:
    st.subheader("Entity types", anchor=False)
    if graph:
        found = type_counts(graph)
        st.altair_chart(charts.type_chart(found), alt=charts.type_alt(found))
    else:
        st.caption("No entities yet.")
with degrees:
    st.subheader("Degree distribution", anchor=False, help="How many entities have how many relations")
    if graph:
        spread = charts.degree_bins([degree for _, degree in graph.degree])
        st.altair_chart(charts.degree_chart(spread), alt=charts.degree_alt(spread))
    else:
        st.caption("No relations yet.")

st.subheader("Models in use", anchor=False)
models = rag.models()
language, embedding = st.columns(2, gap="medium")
for column, role, model, reason in (
    (language, "Language: reads the documents, writes the answers", models.language, models.language_reason),
    (embedding, "Embeddings: find passages by meaning", models.embedding, models.embedding_reason),
):
    with column.container(border=True, height="stretch"):
        st.caption(role)
        st.markdown(f"**{literal(model_name(model))}**")
        st.caption(literal(reason))
with st.container(horizontal=True):
    st.page_link("pages/graph.py", label="Look at the graph", icon=":material/hub:")
    st.page_link("pages/chat.py", label="Ask a question", icon=":material/forum:")
