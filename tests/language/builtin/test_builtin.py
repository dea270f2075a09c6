import asyncio
import time

import pytest

from lightrag_engine.language.base import LanguageModel
from lightrag_engine.language.builtin import BuiltinLanguage
from lightrag_engine.language.builtin.matching import match_terms, stem
from lightrag_engine.records import Chunk
from lightrag_engine.settings import Settings


def test_the_fingerprint_follows_the_relevant_settings() -> None:
    first = BuiltinLanguage(Settings())
    assert first.name == "builtin"
    assert first.fingerprint == BuiltinLanguage(Settings(chunk_token_size=300)).fingerprint
    assert first.fingerprint != BuiltinLanguage(Settings(country_rules=False)).fingerprint
    assert first.fingerprint != BuiltinLanguage(Settings(entity_types=("person",))).fingerprint


@pytest.mark.anyio
async def test_the_event_loop_stays_free_while_reading() -> None:
    model: LanguageModel = BuiltinLanguage(Settings())
    chunk = Chunk("c", "诸葛亮与刘备在成都议事。" * 400, 0, 0, "d")
    await model.extract(chunk, "")  # loads the dictionary
    reading = asyncio.gather(*(model.extract(chunk, "") for _ in range(3)))
    longest = 0.0
    while not reading.done():
        began = time.perf_counter()
        await asyncio.sleep(0.005)
        longest = max(longest, time.perf_counter() - began)
    first, second, third = reading.result()
    assert first == second == third
    assert longest < 1.0


@pytest.mark.anyio
async def test_all_four_tasks() -> None:
    model: LanguageModel = BuiltinLanguage(Settings())
    assert (await model.keywords("谁是诸葛亮？")).low_level == ("诸葛亮",)
    assert await model.summarise("Oslo", ["Oslo is old.", "Oslo is old."], 50) == "Oslo is old."


@pytest.mark.parametrize(
    "forms",
    [
        ("founded", "founder", "founding", "foundation"),
        ("ferry", "ferries"),
        ("live", "lived", "lives", "living"),
        ("cross", "crossing", "crossed"),
        ("influence", "influenced", "influences"),
        ("stop", "stopped", "stops"),
    ],
)
def test_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


def test_terms_leave_out_function_words_in_every_script() -> None:
    assert match_terms("Who is the founder of it?") == ["found"]
    assert match_terms("谁是诸葛亮？") == ["诸葛", "葛亮"]
    assert match_terms("1,200 boats") == ["boat", "1,200"]
