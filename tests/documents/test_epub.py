import pytest
from made_files import epub_members, make_zip

from lightrag_engine.documents import read
from lightrag_engine.errors import DocumentError
from lightrag_engine.settings import Settings

CHAPTERS = {
    "one.xhtml": "<html><head><title>x</title></head><body><p>Mara came.</p></body></html>",
    "two.xhtml": "<html><body><h1>Two</h1><p>Bram went.</p><script>var x</script></body></html>",
    "cover.xhtml": "<html><body><img src='c.png'/></body></html>",
}
ORDER = ["cover.xhtml", "two.xhtml", "one.xhtml"]
CONTENTS = (
    '<ol><li><a href="text/one.xhtml#a">The <b>first</b> chapter</a></li>'
    '<li><a href="text/one.xhtml#b">A section</a></li></ol>'
)


def encryption(algorithm: str) -> str:
    method = f'<e:EncryptedData><e:EncryptionMethod Algorithm="{algorithm}"/></e:EncryptedData>'
    return f'<encryption xmlns="urn:x" xmlns:e="http://www.w3.org/2001/04/xmlenc#">{method}</encryption>'


def test_chapters_in_reading_order_under_their_titles(settings: Settings) -> None:
    document = read("a.epub", make_zip(epub_members(CHAPTERS, ORDER, CONTENTS)), settings)
    assert document.title == "The Ferry Book"
    assert document.text == "# Two\n\nBram went.\n\n# The first chapter\n\nMara came."
    assert document.warnings == ()


def test_the_older_table_of_contents(settings: Settings) -> None:
    members = epub_members(CHAPTERS, ORDER)
    book = members["OEBPS/book.opf"].replace(
        "</manifest>", '<item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>'
    )
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Chapter I</text>'
        '</navLabel><content src="text/one.xhtml"/></navPoint></navMap></ncx>'
    )
    data = make_zip({**members, "OEBPS/book.opf": book, "OEBPS/toc.ncx": ncx})
    assert read("a.epub", data, settings).text.endswith("# Chapter I\n\nMara came.")


@pytest.mark.parametrize(
    "members",
    [
        {"META-INF/encryption.xml": encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc")},
        {"META-INF/rights.xml": "<rights/>"},
        {"META-INF/license.lcpl": "{}"},
    ],
)
def test_protected_books(members: dict[str, str], settings: Settings) -> None:
    data = make_zip({**epub_members(CHAPTERS, ORDER), **members})
    with pytest.raises(DocumentError, match=r"a\.epub is protected against copying \(DRM\)"):
        read("a.epub", data, settings)


def test_hidden_fonts_are_no_protection(settings: Settings) -> None:
    fonts = encryption("http://www.idpf.org/2008/embedding")
    data = make_zip({**epub_members(CHAPTERS, ORDER), "META-INF/encryption.xml": fonts})
    assert "Mara came." in read("a.epub", data, settings).text


def test_missing_parts(settings: Settings) -> None:
    members = epub_members(CHAPTERS, ORDER)
    del members["OEBPS/text/one.xhtml"]
    assert read("a.epub", make_zip(members), settings).warnings == (
        "1 of its chapters is missing in the file",
    )
    del members["OEBPS/book.opf"]
    with pytest.raises(DocumentError, match=r"a\.epub is damaged"):
        read("a.epub", make_zip(members), settings)
