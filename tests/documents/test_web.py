from collections.abc import Callable

import pytest

from lightrag_engine.documents import read
from lightrag_engine.errors import DocumentError
from lightrag_engine.records import Document
from lightrag_engine.settings import Settings

ReadFile = Callable[[str], Document]


def test_visible_text_only(read_file: ReadFile) -> None:
    document = read_file("page.html")
    assert document.text == "# Ferry\n\nMara Quill & Tobias Renn"
    assert document.title == "Ferry"


def test_title_links_pictures_and_tables(settings: Settings) -> None:
    html = b"""<html><head><title>Port &amp; Harbour</title></head><body><h2>Fees</h2><!-- hidden -->
        <p><b>Mara_Quill</b> sees <a href="https://example.invalid/?q=1">the list</a>
        <img src="https://example.invalid/x"></p>
        <table><tr><th>Leg</th><th>Fee</th></tr><tr><td>Ansel</td><td>4 crowns</td></tr></table>"""
    document = read("a.html", html, settings)
    assert document.title == "Port & Harbour"
    assert "Mara_Quill sees the list" in document.text
    assert "| Ansel | 4 crowns |" in document.text
    assert "example.invalid" not in document.text
    assert "hidden" not in document.text


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ('<meta charset="gb2312">', "gb18030"),
        ("<meta http-equiv='Content-Type' content='text/html; charset=Shift_JIS'>", "shift_jis"),
        ('<?xml version="1.0" encoding="euc-jp"?>', "euc_jp"),
        ("", "gb18030"),
        ('<meta charset="unicode_escape">', "utf-8"),
        ('<meta charset="utf-8">', "gb18030"),  # a wrong declaration
    ],
)
def test_declared_encoding(head: str, encoding: str, settings: Settings) -> None:
    html = f"{head}<p>真木は船を買った。" + "公司由和創立。" * 5
    assert "真木は船を買った。" in read("a.htm", html.encode(encoding), settings).text


def test_deep_nesting(settings: Settings) -> None:
    html = "<style>p{}</style>" + "<div>" * 5000 + "Mara Quill" + "</div>" * 5000
    assert read("a.html", html.encode(), settings).text == "Mara Quill"


def test_only_scripts(settings: Settings) -> None:
    with pytest.raises(DocumentError, match=r"No text found in a\.html"):
        read("a.html", b"<html><script>var text = 'x'</script></html>", settings)


def test_a_file_name_as_page(settings: Settings) -> None:
    assert read("a.html", b"notes.txt", settings).text == "notes.txt"
