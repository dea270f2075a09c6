"""Which names may be names of one thing, and which are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.identity.candidates import by_name
from lightrag_engine.identity.name_likeness import compare
from lightrag_engine.identity.names import Name
from lightrag_engine.names import fold_name

ALIKE = [
    ("Pierre", "Pierre Curie", "part of the other"),
    ("北京", "北京大学", "part of the other"),
    ("IBM", "International Business Machines", "initials"),
    ("U.S.A.", "United States of America", "initials"),
    ("DoD", "Department of Defense", "initials"),
    ("UN", "United Nations", "initials"),
    ("Chen Wenbo", "陈文博", "sound alike"),
    ("Wenbo Chen", "陈文博", "sound alike"),
    ("Tchaikovsky", "Чайковский", "sound alike"),
    ("Tobias Renn", "Tobias Ren", "a letter or two"),
    ("Microsft", "Microsoft", "a letter or two"),
    ("J. Smith", "John Smith", "initials where"),
    ("Acme", "Acme Inc.", "legal form"),
    ("Zoë Ångström", "Zoe Angstrom", "accents"),
    ("e-mail", "Email", "punctuation"),
    ("Curie, Marie", "Marie Curie", "another order"),
]
DIFFERENT = [
    ("Marie Curie", "Pierre Curie"),
    ("World War I", "World War II"),
    ("Apollo", "Apollo 11"),
    ("Chapter 1", "Chapter 2"),
    ("University of Oslo", "University of Bergen"),
    ("Ada", "Adam"),
    ("Tom Smith", "Tim Smith"),
    ("李明", "黎明"),
    ("…", "!"),
]


@pytest.mark.parametrize(("a", "b", "reason"), ALIKE)
def test_names_of_one_thing_and_why(a: str, b: str, reason: str) -> None:
    one, other = Name.of(fold_name(a)), Name.of(fold_name(b))
    found, turned = compare(one, other), compare(other, one)
    assert found is not None
    assert turned is not None
    assert reason in found.reason
    assert found.score == pytest.approx(turned.score)
    assert by_name({"a": [one], "b": [other]}) == {("a", "b")}, "they would never be compared"


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_names_of_different_things(a: str, b: str) -> None:
    one, other = Name.of(fold_name(a)), Name.of(fold_name(b))
    assert compare(one, other) is None
    assert compare(other, one) is None


@given(a=st.text(max_size=12), b=st.text(max_size=12))
def test_any_two_texts_can_be_compared(a: str, b: str) -> None:
    found = compare(Name.of(a), Name.of(b))
    assert found is None or 0 <= found.score <= 1


def test_a_word_that_everybody_has_makes_no_pairs_of_everybody() -> None:
    names = {f"n{n:04}": [Name.of(f"university of place{n:04}x")] for n in range(1000)}
    assert len(by_name(names)) < 20 * len(names)
