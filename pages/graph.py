"""The entity graph: what a corpus is about, how two things are connected, and which sentence says so."""

import streamlit as st

from ui.empty import no_documents
from ui.engine import engine
from ui.graph import session
from ui.graph.component import load
from ui.graph.screen import screen

rag = engine()
if not rag.graph:
    st.title("Graph", anchor=False)
    no_documents(
        rag, "The graph shows the people, places and ideas of your documents and how they are related."
    )
    st.stop()
session.enter(rag)
# Above each other without a gap: the library shows nothing.
with st.container(gap=None):
    load(session.GRAPH_KEY)
    with st.container():
        screen(rag)
