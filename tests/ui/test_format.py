"""Numbers, sizes and times as people read them: the edges between two ways of saying it."""

import doctest
import importlib
from pathlib import Path

import pytest

from ui import format as formats

UI = Path(formats.__file__).parent
MODULES = [
    ".".join(("ui", *path.relative_to(UI).with_suffix("").parts))
    for path in sorted(UI.rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_the_documentation(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.6, "1 min 0 s"),
        (3599.6, "1 h 0 min"),
        (-1, "0.0 s"),
    ],
)
def test_durations_at_the_edges(seconds, text):
    assert formats.duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(9.9, "a few seconds"), (54.9, "about 50 s"), (55, "about 1 min"), (3600, "about 1.0 h")],
)
def test_estimates_at_the_edges(seconds, text):
    assert formats.roughly(seconds) == text


def test_shortened_keeps_what_fits_and_joins_lines():
    assert formats.shortened("a\n b", 10) == "a b"
    assert formats.shortened("知识库" * 20, 10) == "知识库知识库知识库…"
    assert len(formats.shortened("x" * 300, 40)) == 40


def test_listed_nothing_is_empty():
    assert formats.listed([]) == ""
