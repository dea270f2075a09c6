"""The order of dependency: app.py and pages/ → ui/ → lightrag_engine/."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


@pytest.mark.parametrize("path", sorted((ROOT / "lightrag_engine").rglob("*.py")), ids=lambda p: p.stem)
def test_the_engine_knows_nothing_of_screens(path: Path) -> None:
    assert not {name.split(".")[0] for name in imports(path)} & {"streamlit", "ui", "pages", "app", "pyvis"}


@pytest.mark.parametrize(
    "path", sorted([ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "ui").rglob("*.py")])
)
def test_a_screen_never_touches_a_storage(path: Path) -> None:
    assert not {name for name in imports(path) if name.startswith("lightrag_engine.storage")}
