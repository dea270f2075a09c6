from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.language.builtin.detect import Language, language, spoken

DATA = Path(__file__).parents[2] / "data" / "builtin"


@pytest.mark.parametrize(
    "name", ["eng", "deu", "fra", "rus", "arb", "hin", "jpn", "cmn_hans", "zh_sanguozhi_shu"]
)
def test_every_part_of_a_text_has_its_language(name: str) -> None:
    expected = {"eng": Language.ENGLISH, "cmn_hans": Language.CHINESE, "zh_sanguozhi_shu": Language.CHINESE}
    text = (DATA / f"{name}.txt").read_text(encoding="utf-8")
    parts = [text[at : at + 600] for at in range(0, min(len(text), 9000), 600) if len(text) - at >= 600]
    assert {language(part) for part in parts} == {expected.get(name, Language.OTHER)}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who founded the ferry", Language.ENGLISH),
        ("Mara Quill", Language.ENGLISH),
        ("谁是诸葛亮?", Language.CHINESE),
        ("OpenAI公司在哪里成立？", Language.CHINESE),
        ("誰がこの会社を設立しましたか", Language.OTHER),
        ("Wer gründete die Fähre?", Language.OTHER),
        ("Qui a fondé le bac ?", Language.OTHER),
        ("Кто основал паром?", Language.OTHER),
        ("", Language.ENGLISH),
    ],
)
def test_questions(question: str, expected: Language) -> None:
    assert language(question) is expected


@given(st.text())
def test_any_text_has_a_reader(text: str) -> None:
    assert language(text) in Language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wer hat die Fähre gegründet?", "de"),
        ("Qui a fondé le bac et où ?", "fr"),
        ("Кто основал паром?", "ru"),
        ("フェリーを設立したのは誰ですか？", "ja"),
        ("谁创办了渡轮？", "zh"),
        ("Who founded it?", "en"),
        ("ใครก่อตั้ง", ""),
    ],
)
def test_the_language_of_a_question(text: str, expected: str) -> None:
    assert spoken(text) == expected
