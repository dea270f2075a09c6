"""Conversations of a workspace: kept, named, continued, exported."""

from __future__ import annotations

import time
from pathlib import Path

from lightrag_engine.answering import Answer
from lightrag_engine.conversations import (
    Conversation,
    ConversationInfo,
    ConversationStore,
    Turn,
    export_conversation,
)
from lightrag_engine.evaluation.support import SentenceSupport, support
from lightrag_engine.opened import OpenWorkspace


class Conversing(OpenWorkspace):
    """What a workspace offers for conversations; see `lightrag_engine.LightRAG`.

    What is given the id of a conversation that is not there raises `WorkspaceError`; only deleting it again
    is no error.
    """

    def conversations(self) -> tuple[ConversationInfo, ...]:
        """Return all conversations without their turns, the one changed last first."""
        return self._conversations.all()

    def create_conversation(self, name: str = "") -> ConversationInfo:
        """Begin a conversation. Without a name it is called by its first question.

        Raises
        ------
        WorkspaceError
            When the name is longer than `conversations.LONGEST_NAME` characters.
        """
        return self._conversations.create(name, time.time())

    def conversation(self, conversation_id: str) -> Conversation:
        """Return a conversation with its turns."""
        return self._conversations.get(conversation_id)

    def rename_conversation(self, conversation_id: str, name: str) -> ConversationInfo:
        """Name a conversation; an empty name gives it that of its first question again.

        Raises
        ------
        WorkspaceError
            When the name is longer than `conversations.LONGEST_NAME` characters.
        """
        return self._conversations.rename(conversation_id, name)

    def delete_conversation(self, conversation_id: str) -> None:
        """Remove a conversation with its turns."""
        self._conversations.delete(conversation_id)

    def save_turn(self, conversation_id: str, turn: Turn) -> int:
        """Keep a turn as the last one of a conversation; return its position, from 0.

        ``turn_of(stream)`` makes one of an answer that has ended, however it did.
        """
        return self._conversations.append(conversation_id, turn, time.time())

    def drop_turns(self, conversation_id: str, start: int) -> None:
        """Remove the turns from a position on: to ask the question there again, the same or another one.

        Raises
        ------
        WorkspaceError
            When `start` is negative.
        """
        self._conversations.drop(conversation_id, start, time.time())

    def export_conversation(self, conversation_id: str, path: Path) -> Path:
        """Write a conversation with its evidence to a file whose ending says how: ``.md`` or ``.json``.

        Raises
        ------
        SettingsError
            When the ending is neither.
        """
        return export_conversation(self.conversation(conversation_id), path)

    async def asupport(self, answer: Answer) -> tuple[SentenceSupport, ...]:
        """Return the sentences of an answer, and which of them what was retrieved bears out: a hint.

        By words and by the workspace's embedding model; see `evaluation.support`.

        Raises
        ------
        ModelError
            When the embedding model cannot be reached.
        """
        return await self._loop.await_(support(answer, self._embedded_once))

    def support(self, answer: Answer) -> tuple[SentenceSupport, ...]:
        """See `asupport`."""
        return self._loop.run(support(answer, self._embedded_once))

    @property
    def _conversations(self) -> ConversationStore:
        return ConversationStore(self._workspace.database)
