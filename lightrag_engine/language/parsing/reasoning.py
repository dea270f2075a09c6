"""Reasoning blocks that models put in front of their answer."""

from __future__ import annotations

import re

OPENING = re.compile(
    r"\s*(?:<\s*(?P<tag>think|thinking|thought|reasoning|reflection|analysis)\s*>|\[THINK\]|◁think▷"
    r"|<\|(?:begin_of_thought|channel\|>\s*analysis)[^\n]*?(?:\|>))",
    re.IGNORECASE,
)
CLOSING = re.compile(
    r"<\s*/\s*(?:think|thinking|thought|reasoning|reflection|analysis)\s*>|\[/THINK\]|◁/think▷"
    r"|<\|end_of_thought\|>|<\|channel\|>\s*final\s*<\|message\|>",
    re.IGNORECASE,
)
# After a model's own closing tag the answer begins: a new line, a bracket, a fence, or nothing at all.
_ANSWER = re.compile(r"\s*(?:$|\n|[(（\[{`#*\"“]|entity|relation)", re.IGNORECASE)


def strip_reasoning(text: str) -> tuple[str, bool]:
    """Return a reply without the reasoning in front, and whether the reasoning never ended.

    Only a leading block is the model's own: tags that stand inside an answer are what it talks about. Some
    templates swallow the opening tag, so a closing tag alone, followed by an answer, ends a block too.

    Examples
    --------
    >>> strip_reasoning("<think>Hm.</think>Yes.")
    ('Yes.', False)
    >>> strip_reasoning("<think>Hm, hm")
    ('', True)
    >>> strip_reasoning("Use <think> tags.")
    ('Use <think> tags.', False)
    """
    while opening := OPENING.match(text):
        closing = CLOSING.search(text, opening.end())
        if closing is None:
            return "", True
        text = text[closing.end() :]
    closing = CLOSING.search(text)
    if closing and not _opened(text[: closing.start()]) and _ANSWER.match(text, closing.end()):
        text = text[closing.end() :]
    return text.strip(), False


def _opened(text: str) -> bool:
    """Whether a tag is opened in the text: then the closing tag belongs to what the text talks about."""
    return any(OPENING.match(text, at) for at in (m.start() for m in re.finditer(r"[<\[◁]", text)))
