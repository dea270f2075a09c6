"""Choosing, writing and uploading question sets."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from lightrag_engine import LightRAG, LightRAGError
from lightrag_engine.evaluation.questions import questions_csv, read_questions
from lightrag_engine.evaluation.runs import QuestionSet
from ui.engine import show_error
from ui.format import counted

SET_KEY = "question_set"
_NEXT = "question_set_next"
_EXAMPLE = "question,expected,passages\nWho founded the ferry?,Mara Quill,ferry.txt"


def chosen_set(rag: LightRAG) -> QuestionSet | None:
    """Let a question set be chosen or made; return the chosen one."""
    sets = {one.id: one for one in rag.question_sets()}
    if (wanted := st.session_state.pop(_NEXT, None)) in sets:
        st.session_state[SET_KEY] = wanted
    if st.session_state.get(SET_KEY) not in sets:
        st.session_state.pop(SET_KEY, None)
    if not sets:
        st.markdown("A set of questions shows what one cannot: which mode is better **on the whole**.")
        _new(rag, "")
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        set_id = st.selectbox(
            "Question set",
            list(sets),
            format_func=lambda one: f"{sets[one].name} · {counted(len(sets[one].questions), 'question')}",
            key=SET_KEY,
            persist_state="session",
            width=420,
        )
        current = sets[set_id]
        with st.popover("New set", icon=":material/add:"):
            _new(rag, "new")
        with st.popover("Delete", icon=":material/delete:"):
            st.text(f"Delete “{current.name}” with all its runs?")
            if st.button("Delete the set", key="delete_set"):
                rag.delete_question_set(current.id)
                st.rerun()
    with st.expander(f"The questions ({len(current.questions):,})", key="set_questions", on_change="ignore"):
        rows = [(q.text, " | ".join(q.expected), " | ".join(q.passages)) for q in current.questions]
        st.dataframe(
            pd.DataFrame(rows, columns=["question", "expected", "passages"], dtype="str"),
            hide_index=True,
            column_config={
                "question": st.column_config.TextColumn("Question", width=420),
                "expected": st.column_config.TextColumn("The answer should hold"),
                "passages": st.column_config.TextColumn("The sources should hold"),
            },
            key="set_table",
            alt="The questions of the set",
        )
        st.download_button(
            "Download as CSV",
            questions_csv(current.questions).encode("utf-8-sig"),
            file_name="questions.csv",
            mime="text/csv",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
            key="set_csv",
        )
    return current


def _new(rag: LightRAG, key: str) -> None:
    with st.form(f"new_set_{key}", border=False):
        name = st.text_input("Name of the set", key=f"set_name_{key}", placeholder="Questions")
        text = st.text_area(
            "Questions",
            "\n".join(rag.suggested_questions()) if not key else "",
            key=f"set_text_{key}",
            height=180,
            help="One question a line; or a table with the columns question, expected (what the answer "
            "should hold) and passages (a text, or the name of a document, that the sources should hold). "
            "Several in one cell are parted by |.",
            placeholder=_EXAMPLE,
        )
        file = st.file_uploader("Or a CSV file", type=["csv", "tsv", "txt"], key=f"set_file_{key}")
        saved = st.form_submit_button("Save the set", type="secondary" if key else "primary")
    if not saved:
        return
    try:
        questions = read_questions(file.getvalue() if file is not None else text)
        fallback = file.name.rsplit(".", 1)[0] if file is not None else ""
        kept = rag.save_question_set(name or fallback, questions)
    except LightRAGError as error:
        show_error(error)
    else:
        st.session_state[_NEXT] = kept.id
        st.rerun()
