"""Conversations: questions with their answers and evidence, kept in the workspace as they were."""

from lightrag_engine.conversations.evidence import (
    TABLES,
    Evidence,
    TableName,
    evidence_csv,
    evidence_of,
)
from lightrag_engine.conversations.exporting import (
    answer_value,
    conversation_json,
    conversation_markdown,
    export_conversation,
    turn_markdown,
    turn_zip,
)
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
    "TABLES",
    "Conversation",
    "ConversationInfo",
    "ConversationStore",
    "Evidence",
    "TableName",
    "Turn",
    "answer_value",
    "conversation_json",
    "conversation_markdown",
    "evidence_csv",
    "evidence_of",
    "export_conversation",
    "history_of",
    "turn_markdown",
    "turn_of",
    "turn_zip",
]
