import pytest

from lightrag_engine.documents import read
from lightrag_engine.errors import DocumentError
from lightrag_engine.settings import Settings


def test_text_of_any_encoding(settings: Settings) -> None:
    data = (
        rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\info{\author X}{\title Ferry Plan}}"
        rb"\b Mara Quill\b0  founded it.\par{\pict\pngblip 89504e470d}Caf\'e9 \u20113?\u23725?, raw "
        b"\xe9.\\par}"
    )
    document = read("a.rtf", data, settings)
    assert document.title == "Ferry Plan"
    assert document.text == "Mara Quill founded it.\nCafé 云岭, raw é."


def test_first_line_as_title(settings: Settings) -> None:
    assert read("a.rtf", rb"{\rtf1 Ferry rules\par Mara Quill wrote them.}", settings).title == "Ferry rules"


@pytest.mark.parametrize("data", [rb"{\rtf1}", rb"{\rtf1{\pict 00ff}}", b"{\\rtf1" + b"{" * 50_000])
def test_no_text(data: bytes, settings: Settings) -> None:
    with pytest.raises(DocumentError, match=r"a\.rtf"):
        read("a.rtf", data, settings)


def test_other_content(settings: Settings) -> None:
    with pytest.raises(DocumentError, match=r"a\.rtf is not RTF: it holds plain text") as raised:
        read("a.rtf", b"hello", settings)
    assert raised.value.hint == "Rename it to .txt."
