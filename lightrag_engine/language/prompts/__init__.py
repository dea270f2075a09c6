"""Every prompt, in one place.

Texts are filled by replacing whole placeholders, never by formatting: braces in a document or a question
are data and stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from lightrag_engine.language.prompts.filling import fill
from lightrag_engine.language.prompts.library import FILE_NAME, Prompts, load_prompts
from lightrag_engine.language.prompts.templates import ANSWER
from lightrag_engine.records import Message

__all__ = ["FILE_NAME", "Prompts", "answer_prompt", "fill", "history_text", "load_prompts"]


def answer_prompt(
    question: str,
    context: str,
    history: Sequence[Message] = (),
    response_type: str = "",
    template: str = ANSWER,
) -> str:
    """Return the whole prompt of an answer: rules, tables, conversation so far, question."""
    return fill(
        template,
        {
            "response_type": response_type or "Multiple Paragraphs",
            "context": context,
            "history": f"\n{history_text(history)}" if history else "",
            "question": question,
        },
    )


def history_text(history: Sequence[Message]) -> str:
    """Return a conversation as lines under a heading; empty when there is none."""
    turns = "\n".join(f"{message.role}: {message.content}" for message in history)
    return f"Conversation so far:\n{turns}\n" if turns else ""
