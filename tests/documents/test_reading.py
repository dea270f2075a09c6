import hashlib
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.documents import SUPPORTED, document_id, from_text, read
from lightrag_engine.errors import DocumentError
from lightrag_engine.records import Document
from lightrag_engine.settings import Settings

ReadFile = Callable[[str], Document]


def test_document(settings: Settings) -> None:
    data = "# 云岭 Ferry\r\n\r\nMara Quill.".encode()
    document = read("up/loads\\report_1.MD", data, settings)
    assert document == Document(
        id="doc-" + hashlib.sha256(data).hexdigest()[:32],
        name="report_1.MD",
        title="云岭 Ferry",
        media_type="text/markdown",
        size=len(data),
        text="# 云岭 Ferry\n\nMara Quill.",
        encoding="utf-8",
    )


def test_same_name_other_content_is_another_document(settings: Settings) -> None:
    north = read("readme.md", b"North depot: manager Ada Pell stores coal in shed 4.", settings)
    south = read("readme.md", b"South depot: manager Bram Otto stores rope in shed 9.", settings)
    assert north.name == south.name
    assert north.id != south.id == document_id(b"South depot: manager Bram Otto stores rope in shed 9.")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("empty.txt", r"empty\.txt is empty \(0 bytes\)"),
        ("whitespace_only.txt", "only white space"),
        ("punct_only.md", "only punctuation and symbols"),
        ("one_char.txt", "only punctuation and symbols"),
    ],
)
def test_nothing_to_read(read_file: ReadFile, name: str, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason) as raised:
        read_file(name)
    assert name in str(raised.value)
    assert raised.value.hint


def test_one_letter_is_a_document(settings: Settings) -> None:
    assert read("x.txt", b"x", settings).text == "x"


def test_too_large() -> None:
    with pytest.raises(DocumentError, match=r"a\.txt is too large: 3\.0 KB, at most 1\.5 KB are read"):
        read("a.txt", b"x" * 3072, Settings(max_file_bytes=1536))
    with pytest.raises(DocumentError, match="11 bytes, at most 10 bytes"):
        read("a.txt", b"x" * 11, Settings(max_file_bytes=10))


@pytest.mark.parametrize("name", ["a.exe", "song.MP3", "book.epub"])
def test_unsupported(name: str, settings: Settings) -> None:
    with pytest.raises(DocumentError, match=name) as raised:
        read(name, b"text", settings)
    assert "PDF (.pdf)" in raised.value.hint
    assert "HTML (.html .htm)" in raised.value.hint


@pytest.mark.parametrize("name", ["README", "", "Notes on St. Petersburg"])
def test_no_extension_is_read_as_text(name: str, settings: Settings) -> None:
    assert read(name, b"Mara Quill", settings).media_type == "text/plain"


@given(
    st.sampled_from(sorted(SUPPORTED)),
    st.binary(max_size=300),
    st.sampled_from([b"", b"%PDF-1.7\n", b"PK\x03\x04"]),
)
def test_any_bytes_are_read_or_refused(suffix: str, data: bytes, magic: bytes) -> None:
    text, refusal = "", ""
    try:
        text = read("a" + suffix, magic + data, Settings()).text
    except DocumentError as error:
        refusal = str(error)
    assert text.strip() or "a" + suffix in refusal
    text.encode("utf-8")


def test_pasted_text(settings: Settings) -> None:
    document = from_text(
        "Mara Quill founded the ferry in 1911 and sold it to Tobias Renn.", settings=settings
    )
    assert document.name == document.title == "Mara Quill founded the ferry in 1911 and"
    assert document.id == document_id(b"Mara Quill founded the ferry in 1911 and sold it to Tobias Renn.")


def test_pasted_text_with_heading_or_name(settings: Settings) -> None:
    assert from_text("# The Ferry\n\ntext", settings=settings).name == "The Ferry"
    named = from_text("# The Ferry\n\ntext", "my/notes.txt", settings=settings)
    assert (named.name, named.title) == ("notes.txt", "The Ferry")


def test_pasted_surrogate(settings: Settings) -> None:
    document = from_text("Ferry \udc9a log", settings=settings)
    assert document.text == "Ferry \ufffd log"
    document.name.encode()


@pytest.mark.parametrize("text", ["", " \n", "---"])
def test_pasted_nothing(text: str, settings: Settings) -> None:
    with pytest.raises(DocumentError, match="No text found in The pasted text"):
        from_text(text, settings=settings)


def test_pasted_too_much() -> None:
    with pytest.raises(DocumentError, match="too long"):
        from_text("云" * 10, settings=Settings(max_file_bytes=20))


def test_the_heavy_converters_are_loaded_only_when_needed() -> None:
    code = "import sys, lightrag_engine.documents; sys.exit('markitdown' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
