"""A question while it is being answered: the steps as they are taken, the text as it comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import streamlit as st

from lightrag_engine import LightRAG, Message
from lightrag_engine.conversations import Turn as Kept
from ui.chat.turns import Turn, found_line, keywords_line, run
from ui.format import duration, shortened
from ui.markdown import literal, safe_answer

_LONG = 3  # seconds after which the time is shown
_KEYWORDS_LENGTH = 120
ARROW = " → "


def stream(
    rag: LightRAG, turn: Turn, conversation: Sequence[Message], on_end: Callable[[Kept], None]
) -> None:
    """Answer a question here, and draw what is there so far; `on_end` is called with what is to be kept."""
    steps, text = st.empty(), st.empty()
    # The page's input is a stop button only while it answers what was typed into it. Pressing this one runs
    # the page anew, which ends the answer.
    stop = st.empty()
    stop.button("Stop", icon=":material/stop_circle:", type="tertiary", key=f"stop_{turn.id}")
    began = time.monotonic()

    def wait() -> None:
        # Drawn again and again: only then can a press of the stop button end the waiting.
        seconds = time.monotonic() - began
        steps.caption(running_line(turn, seconds))

    def more(so_far: str) -> None:
        wait()
        text.markdown(safe_answer(so_far))

    wait()
    run(rag, turn, tuple(conversation), wait, more, wait, on_end)


def running_line(turn: Turn, seconds: float) -> str:
    """Return the steps so far as Markdown, and what is going on since how many seconds."""
    steps = _done(turn)
    if turn.text:
        now = "Writing"
    elif turn.thinking:
        now = "Thinking"
    elif turn.context is not None:
        now = "Reading the evidence"
    else:
        now = "Looking for evidence" if turn.keywords is not None else "Looking for keywords"
    since = f" · {duration(seconds)}" if seconds >= _LONG else ""
    return ARROW.join([*steps, f":shimmer[{now} …]{since}"])


def done_line(turn: Turn) -> str:
    """Return the steps that an answer took as Markdown; empty where nothing was found yet."""
    return ARROW.join(_done(turn))


def _done(turn: Turn) -> list[str]:
    steps = []
    if turn.keywords is not None and (words := keywords_line(turn.keywords)):
        steps.append(literal(shortened(words, _KEYWORDS_LENGTH)))
    if turn.context is not None:
        steps.append(f"**{found_line(turn.context)}**")
    return steps
