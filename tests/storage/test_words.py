from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from lightrag_engine.storage.schema import MIGRATIONS, migrate
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


def test_an_index_that_does_not_agree_with_its_lists_is_made_anew(words: WordIndex) -> None:
    with words._database.transaction() as connection:
        connection.execute("INSERT INTO words (rowid, title, content) VALUES (7, '', 'stray')")
        connection.execute("UPDATE word_lists SET content = 'sail tid' WHERE chunk_id = 'c2'")
    words.rebuild()
    assert words.search(["tid"], 9) == words.search(["sail"], 9) == ["c2"]
    assert words.search(["noon"], 9) == words.search(["stray"], 9) == []
    assert words.search(["ferr", "mara"], 9) == ["c1"]
    words.delete_many(["c1", "c2", "c3"])
    assert words.search(["tid", "ferr", "葛亮"], 9) == []


def test_the_index_of_an_earlier_schema_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    steps = [name for name, _ in MIGRATIONS]
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, steps.index("words only in their index"))
        number = int.from_bytes(hashlib.blake2b(b"c1", digest_size=8).digest()) >> 1
        text = "mara found ferr " * 100
        connection.execute(
            "INSERT INTO words (rowid, chunk_id, title, content) VALUES (?, 'c1', 'ferr', ?)", [number, text]
        )
    database = Database(path)
    index = WordIndex(database)
    assert index.search(["mara"], 9) == ["c1"]
    assert len(database.read("SELECT content FROM word_lists")[0][0]) < 100
    index.put_many({"c1": Words([], ["tid"])})
    assert index.search(["mara", "ferr"], 9) == []
    assert index.search(["tid"], 9) == ["c1"]
    database.close()


def test_only_chunks_among_those_given_are_found_as_many_as_are_asked_for(words: WordIndex) -> None:
    assert words.search(["ferr", "mara"], 1, among=["c2", "c3", "gone"]) == ["c2"]
    assert words.search(["ferr", "mara"], 9, among=["c3"]) == []
    assert words.search(["ferr"], 9, among=[]) == []
    assert words.search(["ferr"], 9, among=(f"c{n}" for n in range(50_000))) == ["c1", "c2"]
