"""Names in questions, found exactly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.retrieval.linking import NameTable, without_bracket

NAMES = [
    ("Billy Elliot", 0),
    ("Billy Elliot (musical)", 1),
    ("Elliot", 2),
    ("Ivan Meštrović", 3),
    ("诸葛亮", 4),
    ("The Who", 5),
    ("what", 6),
    ("O'Neill", 7),
]
TABLE = NameTable(NAMES, frozenset({"the", "what", "who"}))


@pytest.mark.parametrize(
    ("question", "links"),
    [
        ("Where was the composer of film Billy Elliot born?", [("Billy Elliot", (0, 1))]),
        ("Who wrote BILLY ELLIOT’S music for Elliot?", [("BILLY ELLIOT", (0, 1)), ("Elliot", (2,))]),
        ("Is it the Billy Elliot (musical)?", [("Billy Elliot (musical", (1,))]),
        ("Where did Ivan Mestrovic study?", [("Ivan Mestrovic", (3,))]),
        ("诸葛亮在哪里出生？", [("诸葛亮", (4,))]),
        ("What is the what of it?", []),
        ("Did Eugene O'Neill know it?", [("O'Neill", (7,))]),
        ("", []),
    ],
)
def test_the_longest_names_are_found_whatever_case_accents_and_brackets(
    question: str, links: list[tuple[str, tuple[int, ...]]]
) -> None:
    assert [(link.text, link.nodes) for link in TABLE.links(question)] == links


def test_a_name_of_function_words_alone_links_nothing() -> None:
    assert TABLE.links("Who are the Who?") == ()


def test_a_bracket_that_is_all_of_a_name_stays() -> None:
    assert [without_bracket(name) for name in ("(500) Days", "A (b) (c)", "(x)")] == [
        "(500) Days",
        "A (b)",
        "(x)",
    ]


@given(st.lists(st.tuples(st.text(max_size=12), st.integers(0, 3)), max_size=6), st.text(max_size=40))
def test_links_are_stretches_of_the_question_from_left_to_right(
    names: list[tuple[str, int]], question: str
) -> None:
    at = 0
    for link in NameTable(names, frozenset()).links(question):
        at = question.index(link.text, at) + len(link.text)
        assert link.text
        assert set(link.nodes) <= {node for _, node in names}


@given(st.text(min_size=1, max_size=20))
def test_a_name_is_found_in_a_question_that_is_the_name(name: str) -> None:
    links = NameTable([(name, 7)], frozenset()).links(name)
    assert all(link.nodes == (7,) for link in links)
    assert len(links) <= 1
