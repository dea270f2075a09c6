"""Ask the documents: streaming answers with citations and the evidence they rest on."""

import streamlit as st

from lightrag_engine import MODES
from ui.answer_view import show_turn
from ui.empty import no_documents
from ui.engine import engine
from ui.markdown import literal
from ui.modes import MODE_HELP, MODE_LINES
from ui.scroll import into_view
from ui.turns import Turn, history

rag = engine()
head, clear = st.columns([5, 1], vertical_alignment="bottom")
head.title("Chat", anchor=False)
if not rag.graph:
    no_documents(rag, "Ask your documents in your own words; every answer shows the passages it rests on.")
    st.stop()

# A plain list: once a run is being stopped, the session state itself is out of reach.
turns: list[Turn] = st.session_state.setdefault("chats", {}).setdefault(rag.name, [])

# Placed by hand: an input that Streamlit pins by itself also makes the page jump to its end when it grows.
with st.bottom:
    with st.container(horizontal=True, vertical_alignment="center"):
        mode = st.segmented_control(
            "Mode",
            MODES,
            default="mix",
            required=True,
            format_func=str.capitalize,
            key="mode",
            bind="query-params",
            label_visibility="collapsed",
        )
        mode = mode or "mix"  # an empty ?mode= in the address gives None
        st.caption(MODE_LINES[mode], help=MODE_HELP)
    question = st.chat_input("Ask a question about your documents", submit_mode="stop", key="question")
if not turns:
    offered = st.empty()
    chosen = offered.pills("For example", rag.suggested_questions(), format_func=literal, key="suggested")
    question = question or chosen
    if question:
        offered.empty()
if question and question.strip():
    turns.append(Turn(question.strip(), mode))
if turns:
    clear.button("New chat", icon=":material/edit_square:", width="stretch", on_click=turns.clear)

for index, turn in enumerate(turns):
    newest = index == len(turns) - 1
    if newest:
        into_view(index, key=f"newest_{index}")
    with st.chat_message("user", avatar=":material/person:"):
        st.markdown(literal(turn.question))
    if newest:
        # Side by side, and the evidence below the answer where there is no room.
        grid = st.grid(2, min_column_width=360, gap="medium")
        answer, aside = grid.cell(), grid.cell()
    else:
        answer = st.container()
        aside = answer.expander("Retrieved", key=f"evidence_{index}", on_change="ignore")
    with answer, st.chat_message("assistant", avatar=":material/hub:"):
        show_turn(rag, turn, f"turn_{index}", aside, history(turns[:index]))
