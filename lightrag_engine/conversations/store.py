"""Conversations in the database of a workspace: one row a conversation, one a turn."""

from __future__ import annotations

import json
import uuid
import zlib
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from lightrag_engine.conversations.turn import Conversation, ConversationInfo, Turn
from lightrag_engine.documents.clean import one_line
from lightrag_engine.errors import WorkspaceError
from lightrag_engine.records import QueryParam
from lightrag_engine.storage.packing import unpacked
from lightrag_engine.storage.sqlite import Database

LONGEST_NAME = 80  # characters
UNNAMED = "New conversation"
_ASK_AGAIN = "Ask the question again."

_LIST = """
    SELECT c.id, c.name, c.created_at, c.changed_at, count(t.position),
        (SELECT question FROM turns WHERE conversation_id = c.id ORDER BY position LIMIT 1)
    FROM conversations c LEFT JOIN turns t ON t.conversation_id = c.id
"""


class ConversationStore:
    """The conversations of one workspace. Each change is one transaction; times are given by the caller."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> tuple[ConversationInfo, ...]:
        """Return all conversations, the one changed last first."""
        rows = self._database.read(f"{_LIST} GROUP BY c.id ORDER BY c.changed_at DESC, c.id")
        return tuple(map(_info, rows))

    def create(self, name: str, now: float) -> ConversationInfo:
        """Make an empty conversation. Without a name it is called by its first question."""
        kept = _checked(name)
        id_ = f"chat-{uuid.uuid4().hex}"
        with self._database.transaction() as connection:
            connection.execute("INSERT INTO conversations VALUES (?, ?, ?, ?)", [id_, kept, now, now])
        return self.info(id_)

    def info(self, conversation_id: str) -> ConversationInfo:
        """Return a conversation without its turns; raises `WorkspaceError` when there is none."""
        rows = self._database.read(f"{_LIST} WHERE c.id = ? GROUP BY c.id", [conversation_id])
        if not rows:
            raise WorkspaceError(
                "The conversation is not there (any more).",
                hint="It may have been deleted elsewhere: choose another one, or begin a new one.",
            )
        return _info(rows[0])

    def get(self, conversation_id: str) -> Conversation:
        """Return a conversation with its turns; raises `WorkspaceError` when there is none."""
        rows = self._database.read(
            "SELECT question, value FROM turns WHERE conversation_id = ? ORDER BY position", [conversation_id]
        )
        return Conversation(self.info(conversation_id), tuple(_turn(*row) for row in rows))

    def rename(self, conversation_id: str, name: str) -> ConversationInfo:
        """Name a conversation; an empty name gives it that of its first question again."""
        kept = _checked(name)
        with self._database.transaction() as connection:
            self.info(conversation_id)
            connection.execute("UPDATE conversations SET name = ? WHERE id = ?", [kept, conversation_id])
        return self.info(conversation_id)

    def delete(self, conversation_id: str) -> None:
        """Remove a conversation with its turns; one that is not there is no error."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM turns WHERE conversation_id = ?", [conversation_id])
            connection.execute("DELETE FROM conversations WHERE id = ?", [conversation_id])

    def append(self, conversation_id: str, turn: Turn, now: float) -> int:
        """Keep a turn as the last one; return its position, from 0."""
        value = _packed(turn)
        question = one_line(turn.question)
        with self._database.transaction() as connection:
            position = self.info(conversation_id).turns
            connection.execute(
                "INSERT INTO turns VALUES (?, ?, ?, ?)", [conversation_id, position, question, value]
            )
            self._touch(conversation_id, now)
        return position

    def drop(self, conversation_id: str, start: int, now: float) -> None:
        """Remove the turns from a position on."""
        if start < 0:
            raise WorkspaceError(
                f"A conversation has no turn {start}.", hint="Turns are counted from 0, the first one."
            )
        with self._database.transaction() as connection:
            if self.info(conversation_id).turns > start:
                connection.execute(
                    "DELETE FROM turns WHERE conversation_id = ? AND position >= ?", [conversation_id, start]
                )
                self._touch(conversation_id, now)

    def _touch(self, conversation_id: str, now: float) -> None:
        with self._database.transaction() as connection:
            connection.execute("UPDATE conversations SET changed_at = ? WHERE id = ?", [now, conversation_id])

    def strays(self) -> tuple[str, ...]:
        """Return the ids of conversations of which only turns are there: damage."""
        rows = self._database.read(
            "SELECT DISTINCT conversation_id FROM turns "
            "WHERE conversation_id NOT IN (SELECT id FROM conversations) ORDER BY conversation_id"
        )
        return tuple(id_ for (id_,) in rows)

    def adopt(self, conversation_ids: Iterable[str], now: float) -> None:
        """List conversations again of which only turns are there."""
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO conversations VALUES (?, '', ?, ?)",
                [(id_, now, now) for id_ in conversation_ids],
            )


@cache
def turns_kept() -> TypeAdapter[Turn]:
    """Return what reads a turn from what was kept of it."""
    return TypeAdapter(Turn)


def _packed(turn: Turn) -> bytes:
    # Half of a surrogate pair is no character, and nothing that could be exported: a question mark is kept.
    plain = json.dumps(asdict(turn), ensure_ascii=False).encode("utf-8", "replace")
    return zlib.compress(plain)


def _turn(question: str, value: str | bytes) -> Turn:
    try:
        return turns_kept().validate_python(json.loads(unpacked(value)))
    except ValueError:
        # The others are worth reading all the same.
        return Turn(question, QueryParam(), error="What was kept of this answer is damaged.", hint=_ASK_AGAIN)


def _info(row: tuple[Any, ...]) -> ConversationInfo:
    id_, name, created, changed, turns, question = row
    return ConversationInfo(
        id_, name or _shortened(question or UNNAMED), created, changed, turns, named=bool(name)
    )


def _shortened(question: str) -> str:
    return question if len(question) <= LONGEST_NAME else f"{question[: LONGEST_NAME - 1].rstrip()}…"


def _checked(name: str) -> str:
    kept = one_line(name)
    if len(kept) > LONGEST_NAME:
        raise WorkspaceError(
            "The name of the conversation is too long.", hint=f"Type at most {LONGEST_NAME} characters."
        )
    return kept
