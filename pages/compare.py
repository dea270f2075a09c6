"""One question, several ways to retrieve, side by side and at the same time."""

import streamlit as st

from lightrag_engine import MODES
from ui.answer_view import show_turn
from ui.empty import no_documents
from ui.engine import engine
from ui.markdown import literal
from ui.modes import MODE_HELP, MODE_LINES
from ui.turns import Turn

MOST = 4

rag = engine()
st.title("Compare", anchor=False)
if not rag.graph:
    no_documents(rag, "Ask one question in several modes and see which evidence each of them finds.")
    st.stop()

with st.form("compare", border=False):
    with st.container(horizontal=True, vertical_alignment="bottom"):
        question = st.text_input(
            "Question",
            key="compared_question",
            persist_state="session",
            placeholder="Who worked with whom, and why?",
        )
        asked = st.form_submit_button("Compare", type="primary", icon=":material/view_column:")
    modes = st.multiselect(
        "Modes (two to four)",
        MODES,
        default=["naive", "mix"],
        max_selections=MOST,
        format_func=str.capitalize,
        key="compared_modes",
        persist_state="session",
        help=MODE_HELP,
    )

# What was asked last is kept, so that no click loses an answer.
comparisons: dict[str, list[Turn]] = st.session_state.setdefault("comparisons", {})
if asked:
    if not question.strip():
        st.warning("There is no question yet: type one above.")
    elif not 2 <= len(modes) <= MOST:
        st.warning("Choose two to four modes to compare.")
    else:
        comparisons[rag.name] = [Turn(question.strip(), mode) for mode in MODES if mode in modes]


@st.fragment(parallel=True)
def panel(turn: Turn, key: str) -> None:
    """One column: streams on the first run, and shows what is kept on every other."""
    st.subheader(turn.mode.capitalize(), anchor=False, help=MODE_LINES[turn.mode])
    answer = st.container()
    aside = st.container()
    with answer:
        show_turn(rag, turn, key, aside)


turns = comparisons.get(rag.name, [])
if turns:
    st.markdown(f"Answers to **“{literal(turns[0].question)}”**")
    grid = st.grid(len(turns), min_column_width=205, gap="small", border=True)
    for turn in turns:
        with grid.cell():
            panel(turn, f"compared_{turn.mode}")
else:
    st.caption("The same question can find other evidence in another mode: ask, and compare the tables.")
