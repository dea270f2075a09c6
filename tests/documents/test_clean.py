import unicodedata
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.documents.clean import clean, has_words, one_line

# Any code point, lone surrogates included.
ANY_TEXT = st.text(st.characters(codec=None))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("a\r\nb\rc\x0cd\u2028e\x85f", "a\nb\nc\nd\ne\nf"),
        ("Mara\u00a0Quill\u3000云", "Mara Quill 云"),
        ("NUL here:\x00end \x01\x02 \uffff\ufdd0\U0001fffe.", "NUL here:end  ."),
        ("Build \x1b[31mred\x1b[0m capture", "Build red capture"),
        ("Zoe\u0308 A\u030angstro\u0308m", "Zoë Ångström"),
        ("e\u200b\u0301", "é"),
        ("\ufeffco\u00adoperation", "cooperation"),
        ("\u202eevil.txt\u202c", "evil.txt"),
        ("ignore\U000e0069\U000e0067 this", "ignore this"),
        ("Ferry \udc9a log", "Ferry \ufffd log"),
        ("\ud83d\ude00", "😀"),
        ("tab\tstays", "tab\tstays"),
    ],
)
def test_characters(raw: str, expected: str) -> None:
    assert clean(raw) == expected


@pytest.mark.parametrize(
    "text", ["👨\u200d👩\u200d👧\u200d👦 🏴\u200d☠️ 🇩🇪", "می\u200cخواهم", "Ａｕｄｉｔｏｒ", "马清和 𠮷"]
)
def test_visible_text_stays(text: str) -> None:
    assert clean(text) == text


@given(ANY_TEXT)
def test_result_can_be_stored_everywhere(text: str) -> None:
    result = clean(text)
    result.encode("utf-8")
    assert unicodedata.is_normalized("NFC", result)
    assert "\r" not in result
    assert ElementTree.fromstring(f"<t>{escape(result)}</t>").text in (result, None)
    assert clean(result) == result


@given(ANY_TEXT)
def test_one_line_has_single_spaces(text: str) -> None:
    line = one_line(text)
    assert line == " ".join(line.split())


def test_has_words_in_any_script() -> None:
    assert has_words("— 云")
    assert has_words("7")
    assert not has_words("---\n*** |  | …")
