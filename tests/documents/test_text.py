from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.documents import read
from lightrag_engine.documents.text import decode
from lightrag_engine.errors import DocumentError
from lightrag_engine.records import Document
from lightrag_engine.settings import Settings

ReadFile = Callable[[str], Document]


@pytest.mark.parametrize(
    ("name", "encoding", "found"),
    [
        ("enc_gbk.txt", "gb18030", ["马清和", "鸬鹚号"]),
        ("enc_gb18030_rare.txt", "gb18030", ["马清和", "𠮷"]),
        ("enc_big5.txt", "big5", ["雲嶺", "馬清和"]),
        ("enc_shift_jis.txt", "cp932", ["真木ミナ", "鵜丸"]),
        ("enc_cp1252_quotes.txt", "cp1252", ["“a mile of nerves”", "café", "€4"]),
        ("enc_utf8_one_bad_byte.txt", "utf-8", ["Mara Quill in 1911. \ufffdIt links", "Cormorant"]),
        ("semicolon_latin1.csv", "cp1252", ["Jörg Müller"]),
        ("rtl_he_ar.txt", "utf-8", ["מארה קוויל", "مارا كويل"]),
        ("emoji_zwj.txt", "utf-8", ["👨\u200d👩\u200d👧\u200d👦"]),
        ("nfc_nfd.txt", "utf-8", ["Zoë Ångström. Zoë Ångström", "Ａｕｄｉｔｏｒíａ"]),
        ("special_tokens.txt", "utf-8", ["<|endoftext|>", "{tuple_delimiter}", "{0}"]),
        ("injection_html.md", "utf-8", ["</script><script>", "onerror="]),
    ],
)
def test_decoded(read_file: ReadFile, name: str, encoding: str, found: list[str]) -> None:
    document = read_file(name)
    assert document.encoding == encoding
    assert [text for text in found if text not in document.text] == []


def test_one_bad_byte_costs_one_character(read_file: ReadFile) -> None:
    document = read_file("enc_utf8_one_bad_byte.txt")
    assert document.text.count("\ufffd") == 1
    assert document.warnings == ("1 character could not be decoded as UTF-8 and shown as \ufffd",)


def test_bad_bytes_in_accented_utf8() -> None:
    data = "L’été à Port Ansel, où les élèves sont".encode() + b"\xff\xfe ici"
    assert decode(data).encoding == "utf-8"
    assert decode(data).damaged == 2


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Мара Куилл основала паромную переправу в 1911 году.", "cp1251"),
        ("Мара Куилл основала паромную переправу в 1911 году.", "koi8_r"),
        ("마라 퀼은 1911년에 항구에서 여객선 회사를 세웠다.", "cp949"),
        ("雲嶺フェリーは一九一一年に設立された。", "euc_jp"),
        ("Η Μάρα Κουίλ ίδρυσε το πορθμείο.", "cp1253"),
        ("Zażółć gęślą jaźń. Łódź leży w środkowej Polsce nad rzeką Łódką.", "cp1250"),
        ("L’été à Port Ansel : le café fut fermé.", "cp1252"),
        ("Mara Quill (马清和) founded the ferry in 1911. " * 5, "gb18030"),
        ("Port Ansel, café", "utf-16"),
        ("Port Ansel, café", "utf-16-le"),
        ("Port Ansel, café", "utf-16-be"),
        ("Port Ansel 云岭", "utf-8-sig"),
        ("Port Ansel 云岭", "utf-32"),
    ],
)
def test_other_encodings(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_old_mac_line_breaks(read_file: ReadFile) -> None:
    assert read_file("newline_cr_only.txt").text.count("\n") == 4


def test_control_characters_are_removed(read_file: ReadFile) -> None:
    text = read_file("control_chars.txt").text
    assert "Build red capture by Tobias Renn" in text
    assert "NUL here:end" in text
    assert not set(text) & set(map(chr, [*range(9), *range(11, 32), 0xFFFF]))


def test_bidi_overrides_are_removed(read_file: ReadFile) -> None:
    assert "evil.txt is only a display trick" in read_file("rtl_he_ar.txt").text


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "a PNG image"),
        (b"PK\x03\x04" + b"\x00" * 20, "a ZIP archive"),
        (b"PK\x03\x04" + b"\x00" * 20 + b"word/document.xml", "a Word document"),
        (b"\xd0\xcf\x11\xe0" + b"\x00" * 20, "an old or password-protected Office file"),
        (b"MZ\x90\x00\x03\x00\x00\x00\x04", "a program"),
        (bytes(range(256)) * 4, "binary data"),
    ],
)
def test_binary_data_is_refused(data: bytes, kind: str, settings: Settings) -> None:
    with pytest.raises(DocumentError, match=f"x.txt is {kind}, not text"):
        read("x.txt", data, settings)


def test_text_that_begins_like_a_binary_file(settings: Settings) -> None:
    assert read("x.txt", b"MZ and BM are initials.", settings).text == "MZ and BM are initials."


def test_png_named_txt(read_file: ReadFile) -> None:
    with pytest.raises(DocumentError, match=r"wrong_png_named\.txt is a PNG image, not text"):
        read_file("wrong_png_named.txt")


@given(st.binary(max_size=400))
def test_any_bytes_are_decoded(data: bytes) -> None:
    decoded = decode(data)
    assert decoded.damaged <= decoded.text.count("\ufffd")


@given(st.text(st.characters(codec="utf-8", exclude_characters="\ufeff\x00"), min_size=1))
def test_utf8_is_never_taken_for_something_else(text: str) -> None:
    assert decode(text.encode()).text == text
