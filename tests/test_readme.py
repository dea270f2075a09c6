"""The README says what is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lightrag_engine.documents.formats import supported_text
from lightrag_engine.settings import Settings

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_opens_with_the_two_commands() -> None:
    assert README.index("make run") < README.index("make test") < 150


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_is_listed_with_its_default(name: str) -> None:
    row = re.search(rf"^\| `LIGHTRAG_{name.upper()}` \| (.*?) \| (.*?) \|$", README, re.MULTILINE)
    assert row, f"LIGHTRAG_{name.upper()} is missing"
    field = Settings.model_fields[name]
    default = field.default
    if name == "extraction_examples":
        shown = "built in"
    else:
        shown = ", ".join(default) if isinstance(default, tuple) else str(default)
    assert row[1].strip("`").replace("\\|", "|") == (shown or "empty")
    assert row[2] == field.description


def test_every_listed_setting_exists() -> None:
    listed = {name.lower() for name in re.findall(r"^\| `LIGHTRAG_(\w+)` \|", README, re.MULTILINE)}
    assert listed == set(Settings.model_fields)


def test_every_format_that_is_read_is_listed() -> None:
    assert f"Read are {supported_text()}." in " ".join(README.split())


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(((?!http)[^)#]+)\)", README))))
def test_every_linked_file_exists(target: str) -> None:
    assert (ROOT / target).exists()
