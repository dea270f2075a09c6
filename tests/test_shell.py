"""What the shell commands share."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.table import Table

from lightrag_engine.shell import plain


@pytest.mark.parametrize("name", ["[red]boat", r"a\[/b]", r"a\[red]", "[/]", "tail\\", r"\[x"])
def test_a_name_in_a_table_is_shown_as_it_is(name: str) -> None:
    r"""With a backslash before its bracket a name was markup again: ``\[/b]`` ended the command."""
    table = Table("name", title="t")
    table.add_row(plain(name))
    shown = io.StringIO()
    Console(file=shown, width=60).print(table)
    assert f" {name} " in shown.getvalue()
