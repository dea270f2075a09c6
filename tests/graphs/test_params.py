"""Views in an address: there and back, and nothing that an address holds is trusted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.graphs import (
    PARAMS,
    Colour,
    GraphViewState,
    Layout,
    Rank,
    Scope,
    from_params,
    to_params,
)
from lightrag_engine.names import xml_text

words = st.text(max_size=40).map(xml_text)
keys = st.lists(words.filter(bool), unique=True, max_size=4).map(tuple)
pairs = st.tuples(words.filter(bool), words.filter(bool)).map(lambda pair: tuple(sorted(pair)))
states = st.builds(
    GraphViewState,
    scope=st.sampled_from(Scope),
    rank=st.sampled_from(Rank),
    shown=st.integers(10, 1000),
    focus=keys,
    hops=st.integers(1, 3),
    paths=st.integers(1, 10),
    documents=keys,
    nodes=keys,
    pairs=st.lists(pairs, unique=True, max_size=3).map(tuple),
    community=words,
    find=words,
    types=keys,
    min_degree=st.integers(0, 1000),
    min_weight=st.integers(0, 400).map(lambda n: n / 4),
    keyword=words,
    text=words,
    expanded=keys,
    layout=st.sampled_from(Layout),
    colour=st.sampled_from(Colour),
    chosen=keys,
    edge=st.none() | pairs,
)


@given(states)
def test_a_view_survives_its_address(state):
    assert from_params(to_params(state)) == (state, [])


@given(st.dictionaries(st.sampled_from(PARAMS), st.lists(st.text(max_size=50), max_size=4)))
def test_no_address_breaks_anything(params):
    state, _ = from_params(params)
    assert 10 <= state.shown <= 1000
    assert from_params(to_params(state)) == (state, [])


def test_an_address_holds_only_what_differs_from_the_default():
    assert to_params(GraphViewState()) == {}
    state = GraphViewState(scope=Scope.AROUND, focus=("ada",), edge=("a", "b"), pairs=(("a", '"b'),))
    assert to_params(state) == {
        "scope": ["around"],
        "focus": ["ada"],
        "pair": ['["a", "\\"b"]'],
        "edge": ["a", "b"],
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scope", ["everything"]),
        ("shown", ["100000"]),
        ("shown", ["-5"]),
        ("shown", ["1e3"]),
        ("shown", ["٣٠"]),
        ("hops", ["9"]),
        ("min_weight", ["nan"]),
        ("min_weight", ["inf"]),
        ("layout", ["<script>"]),
        ("pair", ["[1, 2]"]),
        ("pair", ['["a"]']),
        ("pair", ["[" * 1500]),
        ("edge", ["a"]),
        ("find", ["x" * 1000]),
        ("entity", ["x"] * 1000),
    ],
)
def test_hostile_values_are_ignored_with_a_message(name, value):
    state, problems = from_params({name: value, "types": ["person"]})
    assert state == GraphViewState(types=("person",))
    (problem,) = problems
    assert problem.startswith(f"“{name}” in the address was ignored: ")
    assert len(problem) < 150


def test_control_characters_are_taken_out_and_other_parameters_left_alone():
    assert from_params({"find": ["a\x00b"], "workspace": ["press"]}) == (GraphViewState(find="ab"), [])
