"""The document table with its filter, refreshed while documents are worked on, and what is selected in it."""

from __future__ import annotations

import hashlib
import time
from functools import partial

import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.records import DocumentState, DocumentStatus, StorageUse
from ui import document_filter, documents
from ui.document_filter import Filter
from ui.format import counted, number, roughly, shortened
from ui.markdown import literal

_POLL_SECONDS = 1.0
# A long table is sent to the browser less often: each time takes as long as it has rows.
_ROWS_A_POLL_SECOND = 500
# A shorter table is seen at a glance.
_FILTERED_FROM = 5
_CHOSEN = "chosen_documents"
_FILTER_KEYS = ("documents_text", "documents_states", "documents_types")

_MEASURED_FOR = 60  # seconds


@st.cache_data(show_spinner=False, ttl=_MEASURED_FOR, max_entries=20)
def _storage_use(_rag: LightRAG, workspace: str, done: int) -> StorageUse:
    return _rag.storage_use()


def storage_use(rag: LightRAG) -> StorageUse:
    """Return what the workspace takes on disk; measured at most once a minute while nothing is finished."""
    done = sum(not status.state.active for status in rag.documents())
    return _storage_use(rag, f"{rag.settings.data_dir} {rag.name}", done)


def filter_bar(statuses: list[DocumentStatus]) -> Filter:
    """Let a person say which documents to show; kept while the session lasts."""
    if len(statuses) < _FILTERED_FROM and not any(st.session_state.get(key) for key in _FILTER_KEYS):
        return Filter()
    offered = document_filter.types(statuses)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input(
            "Find a document",
            key=_FILTER_KEYS[0],
            type="search",
            live=True,
            placeholder="Name, title or message",
            width=220,
            persist_state="session",
        )
        states = st.multiselect(
            "States", document_filter.STATES, key=_FILTER_KEYS[1], placeholder="All states", width=200,
            persist_state="session",
        )  # fmt: skip
        types = st.multiselect(
            "Types", offered, key=_FILTER_KEYS[2], placeholder="All types", width=170,
            persist_state="session",
        )  # fmt: skip
        order = st.selectbox(
            "Order", document_filter.ORDERS, key="documents_order", width=190, persist_state="session"
        )
        wanted = Filter(text or "", tuple(states), tuple(types), order or document_filter.NEWEST)
        if wanted.leaves_out:
            st.button("Show all", type="tertiary", icon=":material/filter_alt_off:", on_click=_show_all)
    return wanted


def live_table(rag: LightRAG, wanted: Filter) -> list[DocumentStatus]:
    """Show progress and the table, and return the documents that are selected in it.

    Both refresh themselves only while something is being worked on.
    """
    statuses = rag.documents()
    busy = bool(documents.active(statuses))

    @st.fragment(run_every=_POLL_SECONDS if busy else None)
    def progress() -> None:
        now = rag.documents()
        at_work = documents.active(now)
        _progress(rag, now, at_work)
        _failures(now)
        if busy and not at_work:
            st.rerun()

    @st.fragment(run_every=max(_POLL_SECONDS, len(statuses) / _ROWS_A_POLL_SECOND) if busy else None)
    def table() -> None:
        now = rag.documents()
        shown = document_filter.shown(now, wanted)
        if shown:
            _table(shown, documents.pace_of(now))
        else:
            st.info("No document is like that.", icon=":material/filter_alt_off:")
        if wanted.leaves_out:
            st.caption(f"{number(len(shown))} of {counted(len(now), 'document')}")

    progress()
    table()
    chosen = set(st.session_state.get(_CHOSEN, ()))
    # What the filter hides is not selected: nothing is done to what is not seen.
    return [s for s in document_filter.shown(statuses, wanted) if s.id in chosen] if chosen else []


def _show_all() -> None:
    st.session_state[_FILTER_KEYS[0]] = ""
    for key in _FILTER_KEYS[1:]:
        st.session_state[key] = []


def _progress(rag: LightRAG, statuses: list[DocumentStatus], at_work: list[DocumentStatus]) -> None:
    if not at_work:
        return
    first = at_work[0]
    parts = [documents.summary_line(statuses)]
    if first.state is not DocumentState.QUEUED:
        parts.append(f"{literal(shortened(first.name, 48))}: {documents.work_text(first)}")
    if (left := documents.seconds_left(statuses, time.time())) is not None:
        parts.append(f"{roughly(left)} left")
    if rag.queue_paused:
        parts = [parts[0], "the queue is paused"]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(documents.progress(statuses), text=" · ".join(parts))
        if rag.queue_paused and st.button("Resume all", icon=":material/play_arrow:"):
            rag.resume_queue()
            st.rerun()
        elif not rag.queue_paused and st.button("Pause all", icon=":material/pause:"):
            rag.pause_queue()
            st.rerun()
    # What holds everything up is said where it is looked for, not only in a column far to the right.
    if held := next((status for status in at_work if status.error), None):
        st.warning(literal(held.hint), title=literal(held.error))


def _failures(statuses: list[DocumentStatus]) -> None:
    """Say in red what came to nothing: in a long table, or one that is sorted, it would not be seen."""
    failed = [status for status in statuses if status.state is DocumentState.FAILED]
    if not failed:
        return
    newest = failed[0]
    more = f" · and {number(len(failed) - 1)} more" if len(failed) > 1 else ""
    st.markdown(
        f":red[**✕ {counted(len(failed), 'document')} failed**] · {literal(shortened(newest.name, 48))}: "
        f"{literal(newest.error)}{more}"
    )


def _table(shown: list[DocumentStatus], pace: documents.Pace) -> None:
    ids = [status.id for status in shown]
    # The key follows the rows: a selection is a row number and would point at another document else.
    key = f"documents_{hashlib.blake2b(repr(ids).encode(), digest_size=6).hexdigest()}"
    chosen = set(st.session_state.get(_CHOSEN, ()))
    st.dataframe(
        documents.table(shown, pace, time.time()),
        key=key,
        hide_index=True,
        placeholder="",
        column_order=documents.columns(shown),
        on_select=partial(_choose, key, ids),
        selection_mode="multi-row",
        selection_default={"selection": {"rows": [row for row, id_ in enumerate(ids) if id_ in chosen]}},
        alt="Documents of this workspace with their state and what was found in them",
        column_config={
            "name": st.column_config.TextColumn("Name", width=190),
            "state": st.column_config.TextColumn("State", width=185),
            "left": st.column_config.TextColumn("Left", width=105, help="Time until it is done, estimated"),
            "chunks": st.column_config.NumberColumn("Chunks", format="localized", width=62),
            "entities": st.column_config.NumberColumn("Entities", format="localized", width=66),
            "relations": st.column_config.NumberColumn("Relations", format="localized", width=72),
            "time": st.column_config.NumberColumn(
                "Time", format="localized", width=100, help="Time spent indexing, without the time of waiting"
            ),
            "note": st.column_config.TextColumn("Errors and warnings", width=260),
            "type": st.column_config.TextColumn("Type", width=90),
            "size": st.column_config.NumberColumn("Size", format="bytes", width=70),
            "added": st.column_config.DatetimeColumn("Added", format="distance", width=125),
        },
    )


def _choose(key: str, ids: list[str]) -> None:
    rows = st.session_state[key].selection.rows
    st.session_state[_CHOSEN] = [ids[row] for row in rows if row < len(ids)]
    # The table is a fragment, the preview below it is not.
    st.rerun()
