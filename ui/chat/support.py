"""Which sentences of an answer its evidence bears out: asked for beside the page, drawn when known."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.evaluation.support import SentenceSupport
from lightrag_engine.loop import engine_loop
from ui.chat.turns import Turn
from ui.format import listed
from ui.markdown import MARKED, literal

_NUMBERS = 6  # of those that stand nowhere, how many are named


def ask(rag: LightRAG, turn: Turn) -> None:
    """Have the sentences of an answer looked at, once; it takes seconds, and nobody waits for it."""
    if turn.support is None and turn.answer is not None and turn.answer.kind == "answer":
        turn.support = engine_loop().submit(rag.asupport(turn.answer))


def doubtful(turn: Turn) -> list[SentenceSupport]:
    """Return the sentences that nothing bears out; none as long as that is not known."""
    return [one for one in turn.supported if not one.supported]


def legend(sentences: Sequence[SentenceSupport]) -> None:
    """Say what the marks mean, and what they do not."""
    if not sentences:
        return
    numbers = list(dict.fromkeys(number for one in sentences for number in one.unfounded))
    named = f" Numbers found nowhere in it: {literal(listed(numbers[:_NUMBERS]))}." if numbers else ""
    st.caption(
        f"{MARKED}[Marked]: nothing like it was found in the evidence.{named} A hint, no verdict.",
        help="Each sentence is held against the retrieved passages and descriptions, by its words, its "
        "meaning and its numbers. What is well known, or put together from several passages, may be marked "
        "although it is right; a twisted statement about the same things may not be.",
    )
