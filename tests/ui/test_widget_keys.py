"""Keys of widgets are made of nothing that a document wrote: Streamlit refuses some of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCREENS = sorted([*(ROOT / "ui").glob("*.py"), *(ROOT / "pages").glob("*.py")])


@pytest.mark.parametrize("path", SCREENS, ids=lambda path: path.name)
def test_no_key_holds_a_name_as_it_is(path: Path) -> None:
    assert not re.search(r'key=f"[^"]*\{\w+\.(?:key|name|entity)\}', path.read_text(encoding="utf-8"))
