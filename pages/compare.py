"""One question, several ways to retrieve, side by side and at the same time."""

import streamlit as st

from ui.compare.asking import form, question_line
from ui.compare.columns import columns
from ui.compare.session import shown
from ui.compare.weighing import weighing
from ui.empty import no_documents
from ui.engine import engine

rag = engine()
st.title("Compare", anchor=False)
if not rag.graph:
    no_documents(rag, "Ask one question in several modes and see which evidence each of them finds.")
    st.stop()

# Before the form: an address with a question fills it.
shown(rag)
form(rag)
current = shown(rag)
if current is None:
    st.caption("The same question can find other evidence in another mode: ask, and compare the tables.")
else:
    head, stop = st.columns([5, 1], vertical_alignment="center")
    head.markdown(question_line(current.comparing.question))
    if not current.ended:
        stop.button(
            "Stop", icon=":material/stop_circle:", on_click=current.comparing.stop, key="compare_stop"
        )
    columns(rag, current)
    weighing(rag, current)
