"""Labels of the taggers -> configured types."""

from __future__ import annotations

import pytest

from lightrag_engine.language.builtin.types import PREFERENCES, entity_type
from lightrag_engine.settings import Settings


@pytest.mark.parametrize("label", PREFERENCES)
def test_every_label_has_a_default_type(label: str) -> None:
    assert entity_type(label, Settings()) in Settings().entity_types


@pytest.mark.parametrize(
    ("label", "configured", "expected"),
    [
        ("PERSON", ("Person",), "Person"),
        ("GPE", ("person", "geo"), "geo"),
        ("GPE", ("person", "concept"), "concept"),
        ("GPE", ("person",), "unknown"),
        ("never heard of", ("concept",), "concept"),
        ("never heard of", (), "unknown"),
    ],
)
def test_fallbacks(label: str, configured: tuple[str, ...], expected: str) -> None:
    assert entity_type(label, Settings(entity_types=configured)) == expected
