"""The workspace screen's parts: the table, what can be done with one, making and importing."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

import pandas as pd
import streamlit as st

from lightrag_engine import CheckReport, LightRAG, LightRAGError, WorkspaceInfo
from lightrag_engine.documents import safe_name
from ui.engine import close_workspace, go_to, preferred_workspace, show_error, workspaces
from ui.format import counted, duration, number, shortened, size
from ui.markdown import literal

_CHOSEN = "workspace_chosen"  # the open workspace, and the selected one
_MESSAGE = "workspaces_message"
_TOLD = "opening_checks_told"
# As much as a browser hands over at once; what is larger is imported from a shell.
_MAX_UPLOAD_MB = 2000
_NAME_LENGTH = 60


def opening_notice(rag: LightRAG) -> None:
    """Say, once a session, what was done because the workspace was not closed as it should be."""
    report = rag.opening_check
    told: set[int] = st.session_state.setdefault(_TOLD, set())
    if report is None or id(report) in told:
        return
    told.add(id(report))
    if report.sound:
        return
    kinds = counted(len(report.problems), "kind of problem", "kinds of problems")
    outcome = "put right" if report.repaired else "found; see the Workspaces page"
    st.toast(literal(f"“{rag.name}” was checked on opening: {kinds} {outcome}."), icon=":material/healing:")


def message() -> None:
    """Show what the last action did."""
    if text := st.session_state.pop(_MESSAGE, ""):
        st.toast(literal(text))


def table_of(found: list[WorkspaceInfo], current: str) -> pd.DataFrame:
    """Return one row a workspace, numbers as people read them."""
    rows = [
        (
            info.name,
            "● open" if info.name == current else "damaged" if info.documents is None else "",
            "" if info.documents is None else number(info.documents),
            size(info.size),
            size(info.database),
            size(info.vectors),
            size(info.originals),
            pd.Timestamp(info.changed, unit="s", tz="UTC"),
        )
        for info in found
    ]
    columns = ["name", "state", "documents", "size", "database", "vectors", "files", "changed"]
    return pd.DataFrame(rows, columns=columns)


def choose(rag: LightRAG, found: list[WorkspaceInfo]) -> WorkspaceInfo | None:
    """Show the table and return the workspace that is selected: at first the one that is open."""
    names = [info.name for info in found]
    # The key follows the rows: a selection is a row number and would point at another workspace else.
    key = f"workspaces_{hashlib.blake2b(repr((names, rag.name)).encode(), digest_size=6).hexdigest()}"
    # What was chosen stays so when there are other rows, as long as the same workspace is open.
    opened, chosen = st.session_state.get(_CHOSEN, ("", ""))
    kept = chosen if opened == rag.name and chosen in names else rag.name
    right = partial(st.column_config.TextColumn, alignment="right")
    event = st.dataframe(
        table_of(found, rag.name),
        key=key,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        selection_default={"selection": {"rows": [n for n, name in enumerate(names) if name == kept]}},
        alt="Workspaces with their documents and sizes",
        column_config={
            "name": st.column_config.TextColumn("Name", width=175),
            "state": st.column_config.TextColumn("State", width=75),
            "documents": right("Documents", width=80),
            "size": right("Size", width=75),
            "database": right("Database", width=80, help="Texts, graph, and everything that was read"),
            "vectors": right("Vectors", width=75, help="What finds passages by meaning"),
            "files": right("Files", width=70, help="The files that the documents came as"),
            "changed": st.column_config.DatetimeColumn("Changed", format="distance", width=130),
        },
    )
    rows = event.selection.rows
    if not rows or rows[0] >= len(found):
        return None
    st.session_state[_CHOSEN] = (rag.name, names[rows[0]])
    return found[rows[0]]


def actions(rag: LightRAG, info: WorkspaceInfo) -> None:
    """Offer what can be done with a workspace."""
    st.subheader(literal(shortened(info.name, 80)), anchor=False)
    with st.container(horizontal=True):
        if info.name != rag.name and st.button("Open", type="primary", icon=":material/folder_open:"):
            go_to(info.name)
        if st.button("Rename …", icon=":material/edit:"):
            _rename(info)
        if st.button("Duplicate …", icon=":material/content_copy:"):
            _duplicate(info)
        if st.button("Export …", icon=":material/archive:"):
            _export(info)
        if info.name == rag.name:
            _check(rag)
        if st.button("Delete …", icon=":material/delete:"):
            _delete(rag, info)
    if info.documents is None:
        st.warning(
            "Put a backup of the database in its place, or delete the workspace and add its documents again.",
            title="The database of this workspace cannot be read.",
        )


@st.dialog("Rename workspace")
def _rename(info: WorkspaceInfo) -> None:
    with st.form("rename_workspace", border=False):
        name = st.text_input("New name", value=info.name, max_chars=max(_NAME_LENGTH, len(info.name)))
        if not st.form_submit_button("Rename", type="primary"):
            return
    try:
        renamed = workspaces().rename(info.name, name)
    except LightRAGError as error:
        show_error(error)
        return
    chats = st.session_state.get("chats", {})
    if info.name in chats:
        chats[renamed.name] = chats.pop(info.name)
    opened, chosen = st.session_state.get(_CHOSEN, ("", ""))
    if chosen == info.name:
        st.session_state[_CHOSEN] = (opened, renamed.name)
    st.session_state[_MESSAGE] = f"“{info.name}” is called “{renamed.name}” now."
    go_to(renamed.name if st.session_state.get("workspace") == info.name else "")


@st.dialog("Duplicate workspace")
def _duplicate(info: WorkspaceInfo) -> None:
    st.caption("The copy has the same documents, graph and answers; nothing is read again.")
    with st.form("duplicate_workspace", border=False):
        name = st.text_input(
            "Name of the copy", placeholder=f"{shortened(info.name, 40)} (2)", max_chars=_NAME_LENGTH
        )
        if not st.form_submit_button("Duplicate", type="primary"):
            return
    try:
        with _progress() as show:
            copy = workspaces().duplicate(info.name, name.strip(), show)
    except LightRAGError as error:
        show_error(error)
    else:
        st.session_state[_MESSAGE] = f"Made “{copy.name}”."
        go_to("")


@st.dialog("Export workspace")
def _export(info: WorkspaceInfo) -> None:
    st.caption(
        "One file with everything: documents, graph, vectors. Addresses of model servers and their keys "
        "are left out. Import it here, or on another machine."
    )
    folder = Path(_downloads().name)
    path = folder / f"{info.folder.name}.lightrag.zip"
    make = st.empty()
    if make.button("Make the archive", type="primary", icon=":material/archive:"):
        make.empty()
        try:
            with _progress() as show:
                workspaces().export(info.name, path, show)
        except LightRAGError as error:
            show_error(error)
            return
        st.download_button(
            f"Download ({size(path.stat().st_size)})",
            # Read when it is asked for, and held once.
            path.read_bytes,
            file_name=f"{safe_name(info.name)}.lightrag.zip",
            mime="application/zip",
            icon=":material/download:",
            type="primary",
            on_click="ignore",
        )


@st.cache_resource(scope="session", show_spinner=False, on_release=lambda folder: folder.cleanup())
def _downloads() -> tempfile.TemporaryDirectory[str]:
    """Return the folder for the archives of this session; it goes with the session."""
    return tempfile.TemporaryDirectory(prefix="lightrag-export-")


@st.dialog("Delete workspace?")
def _delete(rag: LightRAG, info: WorkspaceInfo) -> None:
    held = "its documents" if info.documents is None else counted(info.documents, "document")
    st.markdown(
        f"**{literal(info.name)}** with {held} ({size(info.size)}) is deleted for good: texts, graph, "
        "vectors and chats."
    )
    with st.form("delete_workspace", border=False):
        typed = st.text_input("Type its name to confirm", autocomplete="off")
        confirmed = st.form_submit_button("Delete for good", type="primary", icon=":material/delete:")
    if not confirmed:
        return
    if " ".join(typed.split()) != " ".join(info.name.split()):
        st.error("Nothing was deleted: type the name as it stands above.", title="That is not its name.")
        return
    try:
        with st.spinner("Deleting …"):
            close_workspace(info)
            workspaces().delete(info.name)
    except LightRAGError as error:
        show_error(error)
        return
    st.session_state.get("chats", {}).pop(info.name, None)
    st.session_state[_MESSAGE] = f"Deleted “{info.name}”."
    go_to(preferred_workspace() if info.name == rag.name else "")


def new_workspace() -> None:
    """Let a person make an empty workspace, and open it."""
    turn = st.session_state.setdefault("new_workspace_turn", 0)
    with st.form(f"make_workspace_{turn}", border=False):
        name = st.text_input(
            "Name",
            max_chars=_NAME_LENGTH,
            placeholder="press, research, 知识库 …",
            key=f"make_name_{turn}",
        )
        if not st.form_submit_button("Create", icon=":material/add:"):
            return
    try:
        made = workspaces().create(name)
    except LightRAGError as error:
        show_error(error)
        return
    st.session_state.new_workspace_turn += 1
    st.session_state[_MESSAGE] = f"Made “{made.name}”."
    go_to(made.name)


def import_workspace() -> None:
    """Take an archive, and make a workspace of it under its own name or another."""
    turn = st.session_state.setdefault("import_turn", 0)
    with st.form(f"import_workspace_{turn}", border=False):
        archive = st.file_uploader("Archive", type="zip", max_upload_size=_MAX_UPLOAD_MB)
        name = st.text_input(
            "Name", max_chars=_NAME_LENGTH, placeholder="as in the archive", key=f"import_name_{turn}"
        )
        wanted = st.form_submit_button("Import", icon=":material/unarchive:")
    if not wanted:
        return
    if archive is None:
        st.warning("There is no file to import: choose one first.")
        return
    try:
        made = _import(archive, name.strip())
    except LightRAGError as error:
        show_error(error)
        return
    st.session_state.import_turn += 1
    st.session_state[_MESSAGE] = f"Imported “{made.name}”."
    go_to(made.name)


def _import(archive: BinaryIO, name: str) -> WorkspaceInfo:
    with _progress() as show:
        return workspaces().import_archive(archive, name, show)


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar while a block works, and give what moves it."""
    bar = st.progress(0.0, text="Starting …")
    shown = ("", -1)

    def show(what: str, done: int, total: int) -> None:
        nonlocal shown
        share = done / total if total else 1.0
        # A message to the browser for every file would take longer than the files.
        if shown != (what, int(share * 50)):
            shown = (what, int(share * 50))
            bar.progress(min(share, 1.0), text=f"{what} …")

    yield show
    bar.empty()


def _check(rag: LightRAG) -> None:
    """Offer to have the open workspace checked, and what is wrong put right; the report follows."""
    reports: dict[str, CheckReport] = st.session_state.setdefault("check_reports", {})
    report = reports.get(rag.name) or rag.opening_check
    look = st.button(
        "Check",
        icon=":material/fact_check:",
        help="Compares documents, chunks, what was read, graph and vectors with each other. That happens by "
        "itself when a workspace is opened that was not closed as it should be.",
    )
    mend = (
        report is not None
        and not report.repaired
        and st.button("Repair", type="primary", icon=":material/build:")
    )
    if look or mend:
        with st.spinner("Repairing …" if mend else "Checking …"):
            reports[rag.name] = rag.check(repair=mend)
        st.rerun()


def check_report(rag: LightRAG) -> None:
    """Show what the last check of the open workspace found; one on opening only if it found something."""
    report = st.session_state.get("check_reports", {}).get(rag.name)
    if report is None and rag.opening_check is not None and not rag.opening_check.sound:
        report = rag.opening_check
    if report is not None:
        _report(report)


def _report(report: CheckReport) -> None:
    looked = " · ".join(f"{number(count)} {name}" for name, count in report.checked)
    looked += f" · {duration(report.seconds)}"
    if report.sound:
        st.success(looked, title="Everything is as it should be.", icon=":material/check:")
        return
    title = "Found, and put right" if report.repaired else "Found"
    show = st.info if report.repaired else st.warning
    lines = []
    for problem in report.problems:
        examples = ", ".join(shortened(example, 60) for example in problem.examples[:3])
        lines.append(f"- {literal(str(problem))}" + (f"  \n  {literal(examples)}" if examples else ""))
    show("\n".join([*lines, "", looked]), title=f"{title}:")
