import hashlib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightrag_engine.documents import read
from lightrag_engine.indexing.chunking import chunk
from lightrag_engine.records import Chunk, Document, PageStart
from lightrag_engine.settings import Settings
from lightrag_engine.tokens import count

FILES = Path(__file__).parents[1] / "data" / "documents"
SENTENCE = "Clerk {} of the Brindle Valley Ferry logged a crossing from Port Ansel to Low Harrow. "


def document(text: str, pages: tuple[PageStart, ...] = ()) -> Document:
    return Document("doc-1", "a.txt", "a", "text/plain", len(text), text, pages)


def load(name: str) -> Document:
    return read(name, (FILES / name).read_bytes(), Settings())


def check(source: Document, chunks: list[Chunk], size: int) -> None:
    """Assert everything that holds for any text, size and overlap."""
    reached = 0
    for index, piece in enumerate(chunks):
        assert piece.content == source.text[piece.start : piece.end]
        assert piece.content == piece.content.strip() != ""
        assert piece.tokens == count(piece.content)
        assert piece.tokens <= size or len(piece.content) == 1
        assert piece.end > reached  # every chunk brings something new
        assert source.text[reached : piece.start].strip() == ""  # nothing is left out
        assert piece.id == "chunk-" + hashlib.sha256(piece.content.encode()).hexdigest()[:32]
        assert (piece.chunk_order_index, piece.full_doc_id) == (index, source.id)
        reached = piece.end
    assert source.text[reached:].strip() == ""


@pytest.mark.parametrize(
    ("size", "overlap"), [(1, 0), (3, 0), (3, 2), (7, 2), (50, 10), (64, 60), (1200, 100)]
)
@pytest.mark.parametrize("name", ["emoji_zwj.txt", "cjk_dense.txt", "rtl_he_ar.txt", "special_tokens.txt"])
def test_any_script_and_size(name: str, size: int, overlap: int) -> None:
    source = load(name)
    chunks = chunk(source, size, overlap)
    check(source, chunks, size)
    assert not any("\ufffd" in piece.content for piece in chunks)


@given(
    st.text(
        st.sampled_from("ab .\n\t云岭。é👩\u200d🚒🇩🇪\u0301𠮷<|>1") | st.characters(codec="utf-8"),
        max_size=300,
    ),
    st.integers(1, 40),
    st.integers(0, 39),
)
@settings(deadline=None)
def test_any_text(text: str, size: int, overlap: int) -> None:
    source = document(text)
    check(source, chunk(source, size, min(overlap, size - 1)), size)


def test_overlap_is_about_as_asked() -> None:
    source = document("".join(SENTENCE.format(number) for number in range(400)))
    chunks = chunk(source, 300, 60)
    check(source, chunks, 300)
    shared = [count(source.text[b.start : a.end]) for a, b in pairwise(chunks)]
    assert min(shared) >= 30
    assert max(shared) <= 61
    assert all(250 <= piece.tokens <= 300 for piece in chunks[:-1])


def test_chunks_end_and_begin_with_sentences() -> None:
    source = document("".join(SENTENCE.format(number) for number in range(400)))
    chunks = chunk(source, 300, 60)
    assert all(
        piece.content.startswith("Clerk") and piece.content.endswith("Low Harrow.") for piece in chunks
    )


def test_a_paragraph_end_is_preferred() -> None:
    paragraph = "One sentence of words. " * 17 + "The last one.\n\n"
    chunks = chunk(document(paragraph * 6), 100, 0)
    assert [piece.content for piece in chunks] == [paragraph.strip()] * 6


def test_chinese_sentences() -> None:
    chunks = chunk(load("cjk_dense.txt"), 200, 40)
    assert all(piece.content.endswith(("。", "。”")) for piece in chunks)


def test_emoji_sequences_are_not_cut() -> None:
    family = "👨\u200d👩\u200d👧\u200d👦"
    chunks = chunk(document(family * 100), 60, 0)
    assert all(len(piece.content) % len(family) == 0 for piece in chunks)


def test_text_that_fits_is_one_chunk() -> None:
    source = document("  Mara Quill.\n")
    assert [(piece.content, piece.start, piece.end) for piece in chunk(source, 1200, 100)] == [
        ("Mara Quill.", 2, 13)
    ]


@pytest.mark.parametrize("length", range(280, 330, 7))
def test_no_tail_of_overlap_only(length: int) -> None:
    source = document("word " * length)
    chunks = chunk(source, 300, 100)
    assert len(chunks) == (1 if length <= 300 else 2)


@pytest.mark.parametrize("text", ["", " \n\t ", "\u3000"])
def test_blank_text_has_no_chunks(text: str) -> None:
    assert chunk(document(text), 100, 10) == []


def test_same_text_same_id_and_deterministic() -> None:
    source = load("emoji_zwj.txt")
    assert chunk(source, 64, 16) == chunk(source, 64, 16)
    assert chunk(document("Mara Quill."), 64, 16)[0].id == chunk(document("\nMara Quill. "), 9, 1)[0].id


def test_run_without_white_space() -> None:
    source = load("giant_run_nospace.txt")
    chunks = chunk(source, 64, 16)
    check(source, chunks, 64)
    assert any("Mara Quill signed it" in piece.content for piece in chunks)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 300_000,
        "x" + " " * 1_500_000 + "y",
        ("x\n" + "\n" * 5000) * 50,
        "云岭轮渡公司" * 50_000,
        "=" * 300_000,
    ],
    ids=["letters", "spaces", "line breaks", "chinese", "signs"],
)
def test_monotonous_text_takes_linear_time(text: str) -> None:
    chunks = chunk(document(text), 1200, 100)
    check(document(text), chunks, 1200)


def test_pages() -> None:
    pages = ["".join(SENTENCE.format(f"{page}-{row}") for row in range(8)).strip() for page in (1, 2, 3)]
    starts = (
        PageStart(1, 0),
        PageStart(2, len(pages[0]) + 2),
        PageStart(3, len(pages[0]) + len(pages[1]) + 4),
    )
    chunks = chunk(document("\n\n".join(pages), starts), 200, 20)
    assert [(piece.page_first, piece.page_last) for piece in chunks] == [(1, 1), (1, 2), (2, 3), (3, 3)]
    assert "\n\nClerk 2-0" in chunks[1].content
    assert "\n\nClerk 3-0" in chunks[2].content


def test_pages_without_text() -> None:
    chunks = chunk(load("pdf_half_scanned.pdf"), 1200, 100)
    assert [(piece.page_first, piece.page_last) for piece in chunks] == [(1, 1)]


def test_no_pages() -> None:
    assert chunk(document("text"), 10, 0)[0].page_first is None


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (10, 10), (10, -1)])
def test_impossible_sizes(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="cannot cut"):
        chunk(document("text"), size, overlap)
