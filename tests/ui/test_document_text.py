"""The text of a document in parts."""

from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.records import Chunk, Entity
from ui.document_text import pages_of, parts, spellings


def chunk(number, start, end, page=None):
    return Chunk(f"chunk-{number}", "", 1, number, "doc-1", start, end, page, page)


@given(st.integers(1, 300), st.integers(1, 40), st.integers(0, 10), st.integers(1, 120))
def test_parts_give_the_text_back_without_the_overlap(length, step, overlap, part):
    text = "".join(chr(97 + n % 26) for n in range(length))
    chunks = [
        chunk(n, start, min(start + step + overlap, length)) for n, start in enumerate(range(0, length, step))
    ]
    found = parts(text, chunks, part)
    assert "".join(piece.text for piece in found) == text
    assert [c for piece in found for c in piece.chunks] == chunks
    assert all(len(piece.text) >= min(part, length) for piece in found[:-1])


def test_pages_are_named_once():
    assert pages_of([chunk(0, 0, 1)]) == ""
    assert pages_of([chunk(0, 0, 1, 4), chunk(1, 1, 2, 4)]) == "page 4"
    assert pages_of([chunk(0, 0, 1, 4), chunk(1, 1, 2, 6)]) == "pages 4–6"


def test_every_spelling_leads_to_its_entity():
    mara = Entity("mara quill", "Mara Quill", "person", "", 1.0, (), ("Mara Quill", "MARA QUILL", "Quill"))
    kinds, keys = spellings([mara])
    assert kinds == {"Mara Quill": "person", "MARA QUILL": "person", "Quill": "person"}
    assert keys == {"mara quill": "mara quill", "quill": "mara quill"}
