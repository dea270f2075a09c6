from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.retrieval.fusion import fuse

LISTS = st.lists(st.tuples(st.floats(0.1, 5), st.lists(st.sampled_from("abcdef"), unique=True)), max_size=4)


def test_what_two_lists_place_well_beats_the_head_of_one() -> None:
    assert fuse([(1.0, "abc"), (1.0, "dbe")], constant=5) == ["b", "a", "d", "c", "e"]
    assert fuse([(9.0, "abc"), (1.0, "dbe")], constant=5)[0] == "a"
    assert fuse([], constant=5) == []


@given(LISTS)
def test_every_item_comes_once_and_one_list_keeps_its_order(lists: list[tuple[float, list[str]]]) -> None:
    found = fuse(lists, constant=5)
    assert sorted(found) == sorted({item for _, items in lists for item in items})
    for weight, items in lists:
        assert fuse([(weight, items)], constant=5) == items


@given(LISTS, st.sampled_from("abcdef"))
def test_to_lead_every_list_is_to_lead(lists: list[tuple[float, list[str]]], best: str) -> None:
    led = [(weight, [best, *(item for item in items if item != best)]) for weight, items in lists]
    assert not led or fuse(led, constant=5)[0] == best
