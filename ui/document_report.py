"""The report of a document: what was read and found in it, what was mended and skipped, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from lightrag_engine import DocumentReport
from lightrag_engine.language.parsing.reply import LOSSES
from lightrag_engine.records import DocumentStatus
from ui.format import counted, duration, listed, number
from ui.markdown import literal
from ui.sidebar import model_name

_TABLE_HEIGHT = 300


def read_rows(status: DocumentStatus, report: DocumentReport) -> dict[str, str]:
    """Return what was read: label to value, without what there is nothing to say of."""
    others = [name for name in status.names if name != status.name]
    reader = f" by {model_name(report.language_model)}" if report.language_model else ""
    rows = {
        "Title": status.title if status.title != status.name else "",
        "Pages": number(status.pages) if status.pages else "",
        "Encoding": status.encoding,
        "Tokens": number(status.tokens) if status.tokens else "",
        "Chunks": number(status.chunks) if status.chunks else "",
        "Read": f"{counted(report.chunks_read, 'chunk')}{reader}" if report.chunks_read else "",
        "Taken from before": counted(report.chunks_reused, "chunk") if report.chunks_reused else "",
        "Not read": counted(len(report.failed), "chunk") if report.failed else "",
        "Also added as": listed(others),
    }
    return {label: value for label, value in rows.items() if value}


def found_rows(status: DocumentStatus, report: DocumentReport) -> dict[str, str]:
    """Return what was found, mended and left out."""
    kinds = dict(report.repairs)
    mended = {kind: count for kind, count in kinds.items() if kind not in LOSSES}
    lost = {kind: count for kind, count in kinds.items() if kind in LOSSES}
    rows = {
        "Entities": number(status.entities),
        "Relations": number(status.relations),
        "Chunks without any": number(report.empty) if report.empty else "",
        "Replies cut off": number(report.truncated) if report.truncated else "",
        "Records repaired": _with_kinds(report.repaired, mended),
        "Records dropped": _with_kinds(report.dropped, lost),
        "Entities not in the text by name": number(report.ungrounded) if report.ungrounded else "",
    }
    return {label: value for label, value in rows.items() if value}


def time_rows(report: DocumentReport) -> dict[str, str]:
    """Return the time of each stage with its share."""
    stages = {
        "Reading": report.read_seconds,
        "Chunking": report.chunk_seconds,
        "Extracting": report.extract_seconds,
        "Merging": report.merge_seconds,
        "Embedding": report.embed_seconds,
    }
    total = sum(stages.values())
    if not total:
        return {}
    rows = {name: f"{duration(seconds)} · {seconds / total:.0%}" for name, seconds in stages.items()}
    return {**rows, "Together": duration(total)}


def model_rows(report: DocumentReport) -> dict[str, str]:
    """Return what the language model was asked; nothing when none was."""
    if not (report.calls or report.cached_calls):
        return {}
    rows = {
        "Calls": number(report.calls),
        "Answered from the cache": number(report.cached_calls) if report.cached_calls else "",
        "Tokens in prompts": number(report.prompt_tokens),
        "Tokens in replies": number(report.reply_tokens),
    }
    return {label: value for label, value in rows.items() if value}


def failed_table(report: DocumentReport) -> pd.DataFrame:
    """Return the chunks that could not be read: number, pages, reason."""
    rows = [
        (chunk.number, _pages(chunk.page_first, chunk.page_last), chunk.reason) for chunk in report.failed
    ]
    kinds = {"number": "int64", "pages": "str", "reason": "str"}
    return pd.DataFrame(rows, columns=list(kinds)).astype(kinds)


def show(status: DocumentStatus, report: DocumentReport) -> None:
    """Draw the report."""
    if report.failed:
        st.markdown(f"**{counted(len(report.failed), 'chunk')} could not be read**")
        st.dataframe(
            failed_table(report),
            hide_index=True,
            height=min(38 + 35 * len(report.failed), _TABLE_HEIGHT),
            alt="Chunks that could not be read, with the reason",
            column_config={
                "number": st.column_config.NumberColumn("Chunk", width=65),
                "pages": st.column_config.TextColumn("Page", width=65),
                "reason": st.column_config.TextColumn("Why", width="large"),
            },
        )
    grid = st.grid(2, min_column_width=300, gap="medium")
    sections = (
        ("What was read", read_rows(status, report)),
        ("What was found", found_rows(status, report)),
        ("Time", time_rows(report)),
        ("Language model", model_rows(report)),
    )
    for title, rows in sections:
        if rows:
            with grid.cell():
                _section(title, rows)


def _section(title: str, rows: Mapping[str, str]) -> None:
    st.markdown(f"**{title}**")
    st.table({label: literal(value) for label, value in rows.items()}, border="horizontal", alt=title)


def _with_kinds(total: int, kinds: Mapping[str, int]) -> str:
    if not total:
        return ""
    only = len(kinds) == 1
    words = ", ".join(kind if only else f"{number(count)} {kind}" for kind, count in kinds.items())
    return f"{number(total)} ({words})" if words else number(total)


def _pages(first: int | None, last: int | None) -> str:
    if first is None:
        return ""
    return str(first) if last in (None, first) else f"{first}–{last}"
