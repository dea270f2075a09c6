from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lightrag_engine.storage.sqlite import Database
from lightrag_engine.storage.words import WordIndex, Words


@pytest.fixture
def words(tmp_path: Path) -> Iterator[WordIndex]:
    database = Database(tmp_path / "test.db")
    index = WordIndex(database)
    index.put_many(
        {
            "c1": Words(["ferr"], ["mara", "found", "ferr"]),
            "c2": Words([], ["ferr", "sail", "noon", "and", "more", "besid"]),
            "c3": Words([], ["诸葛", "葛亮"]),
        }
    )
    yield index
    database.close()


def test_what_holds_more_of_the_rarer_terms_comes_first(words: WordIndex) -> None:
    assert words.search(["ferr", "mara"], 9) == ["c1", "c2"]
    assert words.search(["葛亮"], 9) == ["c3"]
    assert words.search(["ferr", "mara"], 1) == ["c1"]
    assert words.search([], 9) == words.search(["nothing"], 9) == []


@pytest.mark.parametrize("term", ['"', '" OR "', "NEAR(", "title:", "*", "^x", "a-b", "\x00", "AND"])
def test_a_term_is_never_taken_for_an_operator(words: WordIndex, term: str) -> None:
    assert set(words.search([term], 9)) <= {"c2"}  # "and" is a word there


def test_a_chunk_is_replaced_and_removed_as_often_as_one_likes(words: WordIndex) -> None:
    for _ in range(2):
        words.put_many({"c1": Words([], ["tid"])})
        words.delete_many(["c2", "never"])
    assert words.ids() == {"c1", "c3"}
    assert words.search(["ferr"], 9) == []
    assert words.search(["tid"], 9) == ["c1"]
