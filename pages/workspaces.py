"""The workspaces of this app: made, renamed, copied, exported, imported, deleted, checked."""

import streamlit as st

from lightrag_engine import Settings
from ui import workspaces_view
from ui.engine import engine, workspaces
from ui.format import counted, size
from ui.markdown import literal

rag = engine()
st.title("Workspaces", anchor=False)
workspaces_view.message()
found = workspaces().all()
st.caption(
    f"{counted(len(found), 'workspace')} · {size(sum(info.size for info in found))} in "
    f"{literal(str(Settings().data_dir))}. Each is one collection of documents with its own graph."
)
chosen = workspaces_view.choose(rag, found)
if chosen is None:
    st.caption("Select a row to open, rename, duplicate, export or delete a workspace.")
else:
    workspaces_view.actions(rag, chosen)
    if chosen.name == rag.name:
        workspaces_view.check_report(rag)

st.divider()
create, bring = st.columns(2, gap="large")
with create:
    st.subheader("New workspace", anchor=False)
    workspaces_view.new_workspace()
with bring:
    st.subheader("Import a workspace", anchor=False)
    workspaces_view.import_workspace()
