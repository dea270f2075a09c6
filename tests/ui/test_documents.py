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


def table(statuses, now=1020.0):
    return documents.table(statuses, documents.pace_of(statuses), now)


def test_table_has_fixed_types_with_and_without_rows():
    empty, full = table([]), table([DONE, AT_WORK, QUEUED, FAILED])
    assert list(empty.columns) == list(full.columns)
    assert empty.dtypes.to_dict() == full.dtypes.to_dict()
    assert table([QUEUED]).dtypes.to_dict() == full.dtypes.to_dict(), "no document has a time yet"
    assert pd.api.types.is_integer_dtype(empty["chunks"])
    assert pd.api.types.is_integer_dtype(empty["size"])
    assert set(documents.columns([AT_WORK, FAILED])) == set(full.columns)


def test_rows_say_how_far_and_what_to_do():
    rows = table([DONE, AT_WORK, FAILED])
    assert rows["state"].tolist() == ["● done", "◌ extracting 10 of 40", "✕ failed"]
    assert rows["note"].tolist() == ["", "", "d.pdf has no text. Run OCR."]
    assert rows["time"].tolist() == [pd.Timedelta(seconds=10), pd.NaT, pd.NaT]
    assert rows["left"].tolist() == ["", "about 1 min", ""]


def test_the_table_can_be_ordered_by_size_and_time():
    """As texts, 9 kB came after 10 MB, and 10 s after 1 h."""
    slow = replace(DONE, size=10_000_000, seconds=3600.0)
    rows = table([slow, DONE]).sort_values("size")
    assert rows["size"].tolist() == [1000, 10_000_000]
    assert rows["time"].is_monotonic_increasing


def test_the_time_left_is_shown_only_while_something_is_at_work():
    assert "left" in documents.columns([DONE, AT_WORK])
    assert "left" not in documents.columns([DONE, QUEUED])


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


def test_what_was_submitted_is_told_from_what_was_there():
    assert documents.submitted_line([QUEUED, AT_WORK]) == (
        "Reading 2 new documents; the table says what comes of it."
    )
    assert documents.submitted_line([QUEUED, DONE, QUEUED], known={DONE.id}) == (
        "Reading 1 new document; the table says what comes of it. Already here: a.txt and c.txt."
    )
    assert documents.submitted_line([DONE], known={DONE.id}) == "Already here: a.txt."
    many = [replace(DONE, id=f"doc-{n}", name=f"{n}.txt") for n in range(20)]
    assert documents.submitted_line(many, known={s.id for s in many}) == (
        "Already here: 0.txt, 1.txt, 2.txt, 3.txt and 16 more."
    )


def test_the_summary_counts_down():
    assert documents.summary_line([DONE, AT_WORK, QUEUED, QUEUED]) == "1 of 4 documents done · 2 waiting"
    assert documents.summary_line([DONE, FAILED, AT_WORK]) == "1 of 3 documents done · 1 failed"


def test_paused_and_cancelled_ones_are_neither_done_nor_at_work():
    paused = replace(DONE, id="doc-5", state=DocumentState.PAUSED)
    cancelled = replace(DONE, id="doc-6", state=DocumentState.CANCELLED)
    assert (
        documents.summary_line([DONE, paused, cancelled]) == "1 of 3 documents done · 1 cancelled · 1 paused"
    )
    assert documents.active([paused, cancelled]) == []
    assert [documents.can_be_cancelled(s) for s in (QUEUED, AT_WORK, paused, cancelled, DONE)] == [
        True, True, True, False, False,
    ]  # fmt: skip
    assert documents.can_be_retried(cancelled)


def test_the_type_is_the_same_before_and_after_reading():
    read, queued = replace(DONE, names=("a.txt",)), replace(QUEUED, names=("a.txt",), media_type="")
    assert table([read, queued])["type"].tolist() == ["Text", "Text"]


def test_only_what_may_end_otherwise_is_tried_again():
    unread = replace(FAILED, media_type="")
    model_away = replace(FAILED, error="The model went away.", hint="")
    too_long = replace(unread, hint="Split the file, or raise the setting max_pages (LIGHTRAG_MAX_PAGES).")
    statuses = (unread, model_away, DONE, too_long)
    assert [documents.can_be_retried(s) for s in statuses] == [False, True, False, True]


def test_what_became_no_document_is_told_apart():
    left_out = replace(DONE, id="", name="a.zip", warnings=("1 file is not read.",))
    unsaved = replace(FAILED, id="", error="b.txt cannot be saved.", hint="Make room.")
    assert documents.not_taken_lines([DONE, left_out, unsaved]) == [
        "a.zip: 1 file is not read.",
        "b.txt cannot be saved. Make room.",
    ]
    assert documents.submitted_line([left_out, unsaved]) == ""


def test_an_estimate_that_was_passed_is_withdrawn():
    stuck = replace(AT_WORK, steps=0, steps_done=0, seconds=5.0, state_since=1000.0)
    assert documents.seconds_left([DONE, stuck], now=1002.0) == pytest.approx(3.0)
    assert documents.seconds_left([DONE, stuck], now=1020.0) is None


def test_progress_is_that_of_all_documents():
    assert documents.progress([]) == 0.0
    assert documents.progress([DONE, QUEUED]) == 0.5
    half, over = replace(AT_WORK, steps_done=20), replace(AT_WORK, steps_done=50)
    assert documents.progress([DONE, FAILED, QUEUED, half]) == pytest.approx((2 + 0.45) / 4)
    assert documents.progress([over]) == pytest.approx(0.8)
