"""The report of a document in words and tables."""

from lightrag_engine import DocumentReport
from lightrag_engine.language.parsing.reply import LOSSES, Repair
from lightrag_engine.records import DocumentState, DocumentStatus, FailedChunk
from ui import document_report

STATUS = DocumentStatus(
    "doc-1", "a.pdf", ("a.pdf", "b.pdf"), "application/pdf", 9, DocumentState.PROBLEMS,
    chunks=7, entities=1200, relations=30, tokens=5000, pages=12, title="Ferries",
)  # fmt: skip
LOST = sorted(LOSSES)[0]
REPORT = DocumentReport(
    "doc-1", language_model="ollama:small", read_seconds=1.0, extract_seconds=62.0, embed_seconds=1.0,
    chunks_read=4, chunks_reused=1, calls=9, cached_calls=2, prompt_tokens=18422, reply_tokens=610,
    failed=(FailedChunk(2, "c", 3, 3, "no reply"), FailedChunk(7, "d", 5, 6, "cut off")),
    repaired=3, dropped=1, empty=1, truncated=2, ungrounded=5,
    repairs=((Repair.BRACKET, 3), (LOST, 1)),
)  # fmt: skip


def test_what_was_read_is_told_without_what_there_is_nothing_of():
    assert document_report.read_rows(STATUS, REPORT) == {
        "Title": "Ferries",
        "Pages": "12",
        "Tokens": "5,000",
        "Chunks": "7",
        "Read": "4 chunks by ollama:small",
        "Taken from before": "1 chunk",
        "Not read": "2 chunks",
        "Also added as": "b.pdf",
    }


def test_what_was_found_mended_and_left_out():
    assert document_report.found_rows(STATUS, REPORT) == {
        "Entities": "1,200",
        "Relations": "30",
        "Chunks without any": "1",
        "Replies cut off": "2",
        "Records repaired": f"3 ({Repair.BRACKET})",
        "Records dropped": f"1 ({LOST})",
        "Entities not in the text by name": "5",
    }
    assert set(document_report.found_rows(STATUS, DocumentReport("doc-1"))) == {"Entities", "Relations"}


def test_times_have_their_shares_and_a_sum():
    rows = document_report.time_rows(REPORT)
    assert rows["Extracting"] == "1 min 2 s · 97%"
    assert rows["Together"] == "1 min 4 s"
    assert document_report.time_rows(DocumentReport("doc-1")) == {}


def test_the_model_is_left_out_where_none_was_asked():
    assert document_report.model_rows(REPORT)["Tokens in prompts"] == "18,422"
    assert document_report.model_rows(DocumentReport("doc-1")) == {}


def test_failed_chunks_have_their_page_and_reason():
    table = document_report.failed_table(REPORT)
    assert table["pages"].tolist() == ["3", "5–6"]
    assert table["reason"].tolist() == ["no reply", "cut off"]
    assert table.dtypes.to_dict() == document_report.failed_table(DocumentReport("doc-1")).dtypes.to_dict()
