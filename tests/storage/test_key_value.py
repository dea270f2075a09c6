"""One contract, every implementation of the key-value role."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lightrag_engine.errors import WorkspaceError
from lightrag_engine.storage.base import KeyValueStore
from lightrag_engine.storage.json_kv import JsonKeyValue
from lightrag_engine.storage.sqlite import Database, SqliteKeyValue

Open = Callable[..., KeyValueStore]


@pytest.fixture(params=["sqlite", "json"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    databases: list[Database] = []

    def open_(namespace: str = "things") -> KeyValueStore:
        if request.param == "json":
            return JsonKeyValue(tmp_path, namespace)
        databases.append(Database(tmp_path / "kv.db"))
        return SqliteKeyValue(databases[-1], namespace)

    yield open_
    for database in databases:
        database.close()


def test_what_is_put_can_be_got(open_store: Open) -> None:
    store = open_store()
    store.put_many({"a": {"n": 1, "text": "雲嶺 “quoted” \x00"}, "b": {"list": [1, None, {"deep": True}]}})
    assert store.get("a") == {"n": 1, "text": "雲嶺 “quoted” \x00"}
    assert store.get_many(["b", "missing", "a"]) == {"a": store.get("a"), "b": store.get("b")}
    assert list(store.keys()) == ["a", "b"]
    assert len(store) == 2


def test_a_missing_key_is_none_and_no_error(open_store: Open) -> None:
    store = open_store()
    assert store.get("missing") is None
    assert store.get_many([]) == {}
    store.delete_many(["missing"])
    assert len(store) == 0


def test_a_put_replaces_the_whole_value(open_store: Open) -> None:
    store = open_store()
    store.put_many({"a": {"old": 1}})
    store.put_many({"a": {"new": 2}})
    assert store.get("a") == {"new": 2}


def test_deleted_keys_are_gone_others_stay(open_store: Open) -> None:
    store = open_store()
    store.put_many({key: {"key": key} for key in "abc"})
    store.delete_many(["a", "c"])
    assert list(store.keys()) == ["b"]


def test_values_survive_reopening(open_store: Open) -> None:
    open_store().put_many({"a": {"n": 1}})
    assert open_store().get("a") == {"n": 1}


def test_namespaces_do_not_share_keys(open_store: Open) -> None:
    open_store("one").put_many({"a": {"n": 1}})
    assert open_store("two").get("a") is None


def test_a_value_that_was_got_is_a_copy(open_store: Open) -> None:
    store = open_store()
    store.put_many({"a": {"list": [1]}})
    got = store.get("a")
    assert got is not None
    got["list"].append(2)
    assert store.get("a") == {"list": [1]}


def test_more_keys_than_one_statement_takes(open_store: Open) -> None:
    store = open_store()
    values = {f"{n:05}": {"n": n} for n in range(2500)}
    store.put_many(values)
    assert store.get_many(list(values)) == values


JSON = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(exclude_categories=["Cs"])),
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), JSON, max_size=5)
)
def test_any_json_object_comes_back_as_it_was(open_store: Open, values: dict[str, dict[str, object]]) -> None:
    store = open_store()
    store.put_many(values)
    assert store.get_many(list(values)) == values


def test_a_damaged_json_file_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "things.json"
    path.write_text('{"a": {"n"', encoding="utf-8")
    with pytest.raises(WorkspaceError, match=r"things\.json is damaged"):
        JsonKeyValue(tmp_path, "things")
    assert path.read_text(encoding="utf-8") == '{"a": {"n"'
