"""Conversations: questions with their answers and evidence, kept in the workspace as they were."""

from lightrag_engine.conversations.store import LONGEST_NAME, ConversationStore
from lightrag_engine.conversations.turn import (
    Conversation,
    ConversationInfo,
    Turn,
    history_of,
    turn_of,
)

__all__ = [
    "LONGEST_NAME",
    "Conversation",
    "ConversationInfo",
    "ConversationStore",
    "Turn",
    "history_of",
    "turn_of",
]
