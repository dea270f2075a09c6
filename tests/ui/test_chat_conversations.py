"""The names of conversations in a list."""

from lightrag_engine.conversations import ConversationInfo
from ui.chat.conversations import conversation_labels


def test_conversations_of_one_name_are_told_apart_and_long_names_are_cut():
    infos = [
        ConversationInfo("c", "Who?", created_at=3.0, changed_at=3.0),
        ConversationInfo("a", "Who?", created_at=1.0, changed_at=9.0),
        ConversationInfo("b", "W" * 90, created_at=2.0, changed_at=2.0),
    ]
    labels = conversation_labels(infos)
    assert (labels["a"], labels["c"]) == ("Who?", "Who? (2)")
    assert labels["b"].endswith("W…")
