"""Telling a model's reasoning from its reply while both come in one stream of text.

Only reasoning in front of the reply counts: a tag that is talked about later stays text.
"""

from __future__ import annotations

from lightrag_engine.language.parsing.reasoning import CLOSING, OPENING, strip_reasoning

_TAG_STARTS = "<[◁"
_LONGEST_TAG = 40  # characters


class ReasoningSplitter:
    """Splits a reply that comes in pieces.

    Parameters
    ----------
    begins_inside
        For a model whose template puts the opening tag into the prompt: the text is held back until the
        closing tag, or the end, tells what it was.

    Examples
    --------
    >>> splitter = ReasoningSplitter()
    >>> [splitter.feed(piece) for piece in ("<th", "ink>Short.</th", "ink>\\n\\nYes", ", <think>.")]
    [('', ''), ('', 'Short.'), ('Yes', ''), (', <think>.', '')]
    """

    def __init__(self, begins_inside: bool = False) -> None:
        self._begins_inside = begins_inside
        self._inside = False  # after an opening tag
        self._in_text = False  # the reply's own text has begun
        self._after_reasoning = False
        self._held = ""
        self._text = ""

    def feed(self, piece: str) -> tuple[str, str]:
        """Return the (text, reasoning) that is certain now."""
        if self._in_text:
            return self._as_text(piece), ""
        self._held += piece
        if self._inside:
            return self._reasoning()
        if opening := OPENING.match(self._held):
            self._inside = True
            self._held = self._held[opening.end() :]
            return self._reasoning()
        if self._begins_inside:
            return self._reasoning() if CLOSING.search(self._held) else ("", "")
        start = self._held.lstrip()
        if not start or (start[0] in _TAG_STARTS and len(start) < _LONGEST_TAG):
            return "", ""
        return self._begin_text(self._held), ""

    def finish(self, cut_off: bool = False) -> tuple[str, str]:
        """Return what was held back when the reply ends; `cut_off`: it ended at the limit of tokens."""
        held, self._held = self._held, ""
        reasoning = self._inside or (self._begins_inside and cut_off and not self._in_text)
        return ("", held) if reasoning else (self._as_text(held), "")

    @property
    def mistaken(self) -> bool:
        """Whether reasoning that no tag opened went out as text: the model begins inside its reasoning."""
        return not self._after_reasoning and strip_reasoning(self._text)[0] != self._text.strip()

    def _reasoning(self) -> tuple[str, str]:
        if closing := CLOSING.search(self._held):
            thinking, rest = self._held[: closing.start()], self._held[closing.end() :]
            self._inside, self._after_reasoning = False, True
            return self._begin_text(rest), thinking
        # The end may be the beginning of the closing tag.
        last = max(self._held.rfind(sign) for sign in _TAG_STARTS)
        cut = last if last >= len(self._held) - _LONGEST_TAG and last >= 0 else len(self._held)
        thinking, self._held = self._held[:cut], self._held[cut:]
        return "", thinking

    def _begin_text(self, text: str) -> str:
        self._held, self._in_text = "", True
        return self._as_text(text)

    def _as_text(self, piece: str) -> str:
        if self._after_reasoning and not self._text:  # blank lines between the reasoning and the reply
            piece = piece.lstrip()
        self._text += piece
        return piece
