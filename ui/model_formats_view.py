"""What a model made of one chunk in either format of replies, side by side, and choosing one."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from lightrag_engine import LightRAG, LightRAGError
from lightrag_engine.language.trial import FormatComparison, ModelTest
from ui import setting_fields
from ui.format import number
from ui.markdown import literal
from ui.settings_view import at_work, change, refused

FORMATS = ("json", "records")
_SETTING = "extraction_format"


def show_formats(rag: LightRAG, compared: FormatComparison) -> None:
    """Show both readings, say which format the model gets right, and let it be chosen."""
    with st.container(border=True):
        st.markdown(f"**{literal(compared.json.model)}** · {literal(compared.verdict)}")
        st.caption(f"Read: {literal(compared.json.source)}, {number(compared.json.chunk_tokens)} tokens.")
        st.dataframe(
            format_table(compared),
            key="formats_compared",
            hide_index=True,
            alt="What the model read with JSON and with records",
            column_config={
                "what": st.column_config.TextColumn("Of this chunk", width=190),
                **{name: st.column_config.TextColumn(name, width=110, alignment="right") for name in FORMATS},
            },
        )
        for name, test in zip(FORMATS, (compared.json, compared.records), strict=True):
            if test.problems:
                with st.expander(f"Mended or left out with {name}: {number(len(test.problems))}"):
                    for problem in test.problems:
                        st.markdown(f"- {literal(problem)}")
        _choose(rag, compared.better)


def format_table(compared: FormatComparison) -> pd.DataFrame:
    """Return one row a figure, one column a format."""
    figures = [_figures(compared.json), _figures(compared.records)]
    rows = [(what, figures[0][what], figures[1][what]) for what in figures[0]]
    return pd.DataFrame(rows, columns=["what", *FORMATS], dtype="str")


def _figures(test: ModelTest) -> dict[str, str]:
    health = test.health
    return {
        "Entities": number(len(test.entities)),
        "of these not in the text": number(health.ungrounded),
        "Relations": number(len(test.relations)),
        "Records repaired": number(health.repaired),
        "Records dropped": number(health.dropped),
        "Reply": "no usable one" if health.failed else "cut off" if health.truncated else "whole",
        "Calls": number(health.calls),
        "Seconds, without loading": f"{health.seconds:,.1f}",
        "Tokens of prompts": number(health.prompt_tokens),
        "Tokens of replies": number(health.reply_tokens),
    }


def _choose(rag: LightRAG, better: str) -> None:
    now = rag.settings.extraction_format
    if not better or better == now:
        st.caption(f"This workspace uses **{now}**." + (" Nothing to change." if better else ""))
        return
    if _SETTING in rag.settings_fixed():
        st.caption(f":material/lock: {literal(setting_fields.fixed_reason(_SETTING))}")
        return
    label = f"Use {better} in this workspace"
    if st.button(label, key="choose_format", icon=":material/check:", disabled=at_work(rag)):
        try:
            change(rag, {_SETTING: better})
        except LightRAGError as error:
            refused(error)
    st.caption(f"It uses **{now}** now. The choice counts for documents that are read from then on.")
