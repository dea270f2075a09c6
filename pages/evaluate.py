"""A set of questions in several modes: run, gone on with, and compared with earlier runs."""

import streamlit as st

from ui.empty import no_documents
from ui.engine import engine
from ui.evaluate.results import results
from ui.evaluate.runs import begin, progress
from ui.evaluate.sets import chosen_set

rag = engine()
st.title("Evaluate", anchor=False)
if not rag.graph:
    no_documents(rag, "Run a set of questions in several modes and see which is better on the whole.")
    st.stop()

current = chosen_set(rag)
if current is not None:
    begin(rag, current)
    progress(rag)
    results(rag, current)
