"""Whatever the text: no error, clean names, declared ends, the same answer twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lightrag_engine.language.builtin.english import read
from lightrag_engine.language.builtin.english.mentions import MAX_NAME
from lightrag_engine.records import Chunk, Extraction
from lightrag_engine.settings import Settings

_WORDS = st.sampled_from(
    [
        *(
            "Maria Lindgren",
            "Oslo",
            "Norway",
            "the",
            "University of",
            "1999",
            "12 May 1809",
            "(",
            ")",
            ",",
            '"',
            "“",
            "”",
        ),
        *(
            "’s",
            "-",
            "--",
            "\n",
            "\n\n",
            "# ",
            "| ",
            "CHAPTER I",
            "was founded in",
            "of",
            "WHO",
            "$",
            "5%",
            "said",
            "he",
        ),
        *(
            "\x00",
            "\u200b",
            "\ud83d\ude00",
            "<b>",
            "<|endoftext|>",
            "_",
            "*",
            "é",
            "中文",
            "\u202e",
            "Mrs.",
            "and",
            "!",
            ".",
        ),
    ]
)


def check(text: str, title: str, country_rules: bool = False) -> Extraction:
    chunk, chosen = Chunk("chunk-1", text, 0, 0, "doc-1"), Settings(country_rules=country_rules)
    found = read(chunk, title, chosen)
    names = [entity.entity_name for entity in found.entities]
    assert len(names) == len(set(names))
    for name in names:
        assert 0 < len(name) <= MAX_NAME
        assert name == " ".join(name.split())
        assert name.isprintable()
    for relation in found.relations:
        assert relation.src_id in names
        assert relation.tgt_id in names
        assert relation.src_id.casefold() != relation.tgt_id.casefold()
        assert relation.keywords
        assert all(keyword.strip() for keyword in relation.keywords)
        assert relation.description
    assert read(chunk, title, chosen) == found
    return found


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(alphabet=st.characters(), max_size=200), st.text(max_size=30))
def test_any_text(text: str, title: str) -> None:
    check(text, title)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(_WORDS, max_size=60).map(" ".join), st.lists(_WORDS, max_size=4).map(" ".join), st.booleans())
def test_text_that_looks_like_text(text: str, title: str, country_rules: bool) -> None:
    check(text, title, country_rules)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 30_000,
        "Oslo " * 3_000,
        "(" * 5_000,
        '"' * 5_000,
        "A,B," * 3_000,
        "\n" * 5_000,
        "Oslo, " * 400 + "Norway.",
    ],
    ids=["run", "name", "brackets", "quotes", "commas", "breaks", "list"],
)
def test_long_monsters(text: str) -> None:
    check(text, "Oslo")


def test_threads_agree() -> None:
    texts = [f"Maria Lindgren met Karl Berg in Oslo in {year}." for year in range(1990, 2006)]
    alone = [check(text, "") for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: check(text, ""), texts)) == alone
