"""The log of a person's edits. Edits are only ever added; undoing one marks it."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

from lightrag_engine.identity.edits import Edit, EditKind
from lightrag_engine.identity.replay import replay
from lightrag_engine.identity.state import Identity
from lightrag_engine.storage.sqlite import Database

_COLUMNS = ("id", "at", "kind", "active")


class EditLog:
    """The edits of one workspace, and what they say together. Changes take part in transactions."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._identity = replay(self.all())

    @property
    def identity(self) -> Identity:
        """What the committed edits say together."""
        return self._identity

    def all(self) -> list[Edit]:
        """Return all edits, oldest first."""
        rows = self._database.read("SELECT id, at, kind, value, undone FROM edits ORDER BY id")
        return [
            Edit(id=id_, at=at, kind=EditKind(kind), active=undone is None, **_fields(value))
            for id_, at, kind, value, undone in rows
        ]

    def get(self, edit_id: int) -> Edit | None:
        """Return an edit, or None."""
        return next((edit for edit in self.all() if edit.id == edit_id), None)

    def last_active(self) -> Edit | None:
        """Return the newest edit that was not undone, or None."""
        return next((edit for edit in reversed(self.all()) if edit.active), None)

    def last_undone(self) -> Edit | None:
        """Return the edit that was undone last, or None."""
        rows = self._database.read("SELECT id FROM edits WHERE undone > 0 ORDER BY undone DESC LIMIT 1")
        return self.get(rows[0][0]) if rows else None

    def append(self, edit: Edit) -> Edit:
        """Keep an edit; return it with its id."""
        value = {name: field for name, field in asdict(edit).items() if name not in _COLUMNS and field}
        with self._database.transaction() as connection:
            id_ = connection.execute(
                "INSERT INTO edits (at, kind, value) VALUES (?, ?, ?)",
                [edit.at, edit.kind, json.dumps(value, ensure_ascii=False)],
            ).lastrowid
            self._renew()
        return replace(edit, id=id_ or 0)

    def undo(self, edit: Edit) -> Edit:
        """Mark an edit as undone; return it so."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE edits SET undone = (SELECT coalesce(max(undone), 0) + 1 FROM edits) WHERE id = ?",
                [edit.id],
            )
            self._renew()
        return replace(edit, active=False)

    def redo(self, edit: Edit) -> Edit:
        """Let an edit that was undone count again, at its old place in the order; return it so."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE edits SET undone = NULL WHERE id = ?", [edit.id])
            self._renew()
        return replace(edit, active=True)

    def replayed(self) -> Identity:
        """Return what the edits say together, those of the transaction under way included."""
        return replay(self.all())

    def _renew(self) -> None:
        identity = self.replayed()

        def use() -> None:
            self._identity = identity

        self._database.after_commit(use)


def _fields(value: str) -> dict[str, Any]:
    return {
        name: tuple(field) if isinstance(field, list) else field for name, field in json.loads(value).items()
    }
