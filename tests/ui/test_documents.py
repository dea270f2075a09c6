"""The document table and the estimate of the time left."""

from dataclasses import replace

import pandas as pd
import pytest

from lightrag_engine.records import DocumentState, DocumentStatus
from ui import documents

DONE = DocumentStatus(
    "doc-1",
    "a.txt",
    ("a.txt",),
    "text/plain",
    1000,
    DocumentState.DONE,
    chunks=3,
    seconds=10.0,
    added_at=100.0,
)
AT_WORK = replace(
    DONE, id="doc-2", name="b.txt", state=DocumentState.EXTRACTING,
    steps=40, steps_done=10, state_since=1000.0, seconds=20.0,
)  # fmt: skip
QUEUED = replace(DONE, id="doc-3", name="c.txt", state=DocumentState.QUEUED, seconds=0.0, size=2000)
FAILED = replace(
    DONE,
    id="doc-4",
    name="d.pdf",
    state=DocumentState.FAILED,
    error="d.pdf has no text.",
    hint="Run OCR.",
    seconds=0.0,
)


def test_table_has_fixed_types_with_and_without_rows():
    empty, full = documents.table([]), documents.table([DONE, AT_WORK, QUEUED, FAILED])
    assert list(empty.columns) == list(full.columns)
    assert empty.dtypes.to_dict() == full.dtypes.to_dict()
    assert pd.api.types.is_integer_dtype(empty["chunks"])


def test_rows_say_how_far_and_what_to_do():
    table = documents.table([DONE, AT_WORK, FAILED])
    assert table["state"].tolist() == ["● done", "◌ extracting 10 of 40 chunks", "✕ failed"]
    assert table["note"].tolist() == ["", "", "d.pdf has no text. Run OCR."]
    assert table["time"].tolist() == ["10 s", "20 s", ""]


def test_the_error_column_is_only_there_when_something_went_wrong():
    assert "note" not in documents.columns([DONE, AT_WORK])
    assert "note" in documents.columns([DONE, FAILED])
    assert "note" in documents.columns([replace(DONE, warnings=("2 pages have no text.",))])


def test_those_at_work_come_before_those_waiting():
    assert documents.active([QUEUED, DONE, AT_WORK, FAILED]) == [AT_WORK, QUEUED]


def test_time_left_from_the_pace_of_the_steps():
    assert documents.seconds_left([AT_WORK], now=1020.0) == pytest.approx(60.0)


def test_time_left_of_waiting_documents_from_finished_ones():
    assert documents.seconds_left([DONE, QUEUED], now=0.0) == pytest.approx(20.0)
    assert documents.seconds_left([DONE, AT_WORK, QUEUED], now=1020.0) == pytest.approx(80.0)


def test_no_estimate_without_anything_to_go_by():
    assert documents.seconds_left([QUEUED], now=0.0) is None
    assert documents.seconds_left([replace(AT_WORK, steps_done=0)], now=1020.0) is None
    assert documents.seconds_left([replace(DONE, size=0), QUEUED], now=0.0) is None


def test_nothing_left_when_nothing_is_at_work():
    assert documents.seconds_left([DONE, FAILED], now=0.0) == 0.0


def test_what_was_submitted_names_the_unreadable():
    assert documents.submitted_line([DONE, QUEUED]) == "2 documents added."
    assert documents.submitted_line([QUEUED, FAILED]) == (
        "1 document added. d.pdf could not be read; the table says why."
    )


def test_facts_name_all_names():
    status = replace(
        DONE, names=("a.txt", "b.txt", "c.txt"), pages=1, encoding="gb18030", tokens=1200, title="A"
    )
    assert documents.facts(status) == [
        "Title: A", "1 page", "1,200 tokens", "Encoding: gb18030", "Also added as b.txt and c.txt",
    ]  # fmt: skip
    assert documents.facts(DONE) == []


def test_progress_stays_between_nothing_and_all():
    assert documents.progress(AT_WORK) == 0.25
    assert documents.progress(replace(AT_WORK, steps=0)) == 0.0
    assert documents.progress(replace(AT_WORK, steps_done=50)) == 1.0
