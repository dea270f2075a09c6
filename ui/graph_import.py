"""Taking in a graph that comes as CSV tables."""

from __future__ import annotations

import streamlit as st
from streamlit.typing import UploadedFile

from lightrag_engine import Upload
from lightrag_engine.uploads import graph_upload


def graph_import(turn: int) -> Upload | None:
    """Show the form; return the graph as a file when it was handed in. Another `turn` is an empty form.

    Raises
    ------
    DocumentError
        When a table lacks its columns.
    """
    with st.form(f"graph_import_{turn}", border=False):
        left, right = st.columns(2)
        relations = left.file_uploader(
            "Relations",
            type=["csv", "tsv", "txt"],
            help="Columns source and target; also keywords, description, weight",
        )
        entities = right.file_uploader(
            "Entities (optional)", type=["csv", "tsv", "txt"], help="Column name; also type and description"
        )
        st.caption(
            "CSV tables of Gephi, GraphRAG, this app's export, or your own: the first line names the "
            "columns. Each row becomes a passage of one document: it can be asked, exported, deleted again."
        )
        handed_in = st.form_submit_button("Import")
    if not handed_in:
        return None
    if relations is None:
        st.warning("Choose a table of relations first.")
        return None
    return graph_upload(_upload(relations), _upload(entities) if entities else None)


def _upload(file: UploadedFile) -> Upload:
    return Upload(file.name, file.getvalue())
