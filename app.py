"""LightRAG Explorer: see what is in your documents. Start with ``streamlit run app.py``."""

from pathlib import Path

import streamlit as st

st.set_page_config(
    page_title="LightRAG Explorer",
    page_icon=Path(__file__).parent / "ui" / "assets" / "icon.svg",
    layout="wide",
)
pages = [
    st.Page(
        "pages/overview.py",
        title="Overview",
        icon=":material/space_dashboard:",
        default=True,
        help="What the documents hold: counts, entity types, and which models are in use.",
    ),
    st.Page(
        "pages/documents.py",
        title="Documents",
        icon=":material/description:",
        help="Add files or text, watch them being read, look into them, change their course, delete them.",
    ),
    st.Page(
        "pages/graph.py",
        title="Graph",
        icon=":material/hub:",
        help="The entities of the documents and their relations, with the passages they come from.",
    ),
    st.Page(
        "pages/chat.py",
        title="Chat",
        icon=":material/forum:",
        help="Ask the documents; every answer shows its evidence.",
    ),
    st.Page(
        "pages/compare.py",
        title="Compare",
        icon=":material/view_column:",
        help="One question, several ways to retrieve, side by side.",
    ),
    st.Page(
        "pages/evaluate.py",
        title="Evaluate",
        icon=":material/fact_check:",
        help="A set of questions in several modes: which finds more, answers better, takes longer.",
    ),
    st.Page(
        "pages/settings.py",
        title="Settings",
        icon=":material/settings:",
        help="Models, their server, chunking and extraction, limits: for this workspace.",
    ),
    st.Page(
        "pages/workspaces.py",
        title="Workspaces",
        icon=":material/workspaces:",
        help="All workspaces: make, rename, duplicate, export, import, delete and check them.",
    ),
]
page = st.navigation(pages)

# Imported after the navigation is drawn: the first time, the engine takes a few seconds to load.
with st.spinner("Starting …"):
    from ui import entry
    from ui.engine import engine
    from ui.sidebar import brand, model_status, workspace_picker
    from ui.workspaces_view import opening_notice

entry.entered(pages)
brand()
workspace_picker()
rag = engine()
model_status(rag)
opening_notice(rag)
page.run()
