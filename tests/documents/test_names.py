import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lightrag_engine.documents import safe_name
from lightrag_engine.documents.names import MAX_NAME, suffix_of


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("../../evil.txt", "evil.txt"),
        ("..\\..\\evil.txt", "evil.txt"),
        ("/etc/cron.d/x.txt", "x.txt"),
        ("C:\\x.txt", "x.txt"),
        ("C:x.txt", "x.txt"),
        ("a/b.txt", "b.txt"),
        ("CON.txt", "CON.txt"),
        ("", "unnamed"),
        (".", "unnamed"),
        ("..", "unnamed"),
        ("folder/", "unnamed"),
        (" \t\x00", "unnamed"),
        (".hidden.txt", ".hidden.txt"),
        ("semi;colon & 'quote' %20.txt", "semi;colon & 'quote' %20.txt"),
        ("Отчёт за май 📊.txt", "Отчёт за май 📊.txt"),
        ("報告書（最終）.md", "報告書（最終）.md"),
        ("re\u0301sume\u0301.txt", "résumé.txt"),
        ("line\nbreak.txt", "line break.txt"),
        ("invoice\u202etxt.exe", "invoicetxt.exe"),
        ("caf\udce9.txt", "caf.txt"),
    ],
)
def test_base_name(raw: str, expected: str) -> None:
    assert safe_name(raw) == expected


def test_a_long_name_keeps_its_extension() -> None:
    name = safe_name("n" * 300 + ".txt")
    assert len(name) == MAX_NAME
    assert name.endswith("n….txt")


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("report.final.v2.TXT", ".TXT"),
        ("Notes on St. Petersburg", ""),
        ("release 1.2", ""),
        ("README", ""),
        (".txt", ""),
        ("song.mp3", ".mp3"),
    ],
)
def test_suffix(name: str, suffix: str) -> None:
    assert suffix_of(name) == suffix


@given(st.text(st.characters(codec=None)))
@example(" A:")
@example("A:B:c")
def test_any_name_is_made_safe(raw: str) -> None:
    name = safe_name(raw)
    name.encode("utf-8")
    assert 0 < len(name) <= MAX_NAME
    assert not set(name) & set("/\\\n\r\t\x00\u202e")
    assert name.strip(".")
    assert unicodedata.is_normalized("NFC", name)
    assert safe_name(name) == name
