"""Taking off what a model puts in front of its answer, while the answer is still coming."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lightrag_engine.language.parsing.reasoning import CLOSING, OPENING

_LABEL_WORDS = (
    *("assistant", "ai", "user", "human", "question", "answer", "final answer", "response", "reply"),
    *("antwort", "réponse", "respuesta", "回答", "答案", "答"),
)
_START_TOKEN = r"<\|(?:im_start|start_header_id)\|>\s*"
_LABEL = re.compile(
    rf"(?:{_START_TOKEN})?[#*_\s]{{0,8}}(?:{'|'.join(_LABEL_WORDS)})[*_]{{0,3}}\s?[:：][*_]{{0,3}}\s*"
    rf"|{_START_TOKEN}\w+(?:<\|end_header_id\|>)?\s*|<\|(?:assistant|im_end|eot_id)\|>\s*"
    r"|(?:assistant|model)\n+",
    re.IGNORECASE,
)
_HEADER = re.compile(rf"{_START_TOKEN}\w*(?:<[|\w]*>?)?\s*", re.IGNORECASE)
# The marks that close a repeated question, then the space before the answer. Without a mark or a new line the
# sentence goes on: an answer may well begin with the words of the question.
_AFTER_ECHO = re.compile(r"(?=[^\w\s\[(<]*[?!.:。？：\n]|\s*$)[^\w\s\[(<]*\s*")
# A label is no longer than this, nor is an opening tag of reasoning.
_LONGEST_LABEL = 48
_END_TOKENS = (
    "<|im_end|>",
    "<|eot_id|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|end|>",
    "</s>",
    "<end_of_turn>",
)
_LONGEST_END = max(map(len, _END_TOKENS))


class _Echo:
    """Compares a growing text with something that it may repeat in front, by letters and digits alone."""

    def __init__(self, repeated: str) -> None:
        self.squeezed = _squeeze(repeated)
        self.restart()

    def restart(self) -> None:
        """Begin with another text."""
        self._read = self._matched = 0

    def length(self, text: str, ended: bool) -> int | None:
        """Return how long the repetition is, 0 when there is none, None when there may still be one."""
        while self._matched < len(self.squeezed):
            if self._read == len(text):
                return None
            for plain in _squeeze(text[self._read]):
                if not self.squeezed.startswith(plain, self._matched):
                    return 0
                self._matched += 1
            self._read += 1
        closing = _AFTER_ECHO.match(text, self._read)
        if closing is None:
            return None if self._read == len(text) and not ended else 0
        return closing.end() if ended or closing.end() < len(text) else None


class AnswerCleaner:
    """Cleans one streamed answer.

    In front go: a reasoning block, role names, the question and the prompt when the model repeats them. At
    the end go the tokens with which some models close a turn. Everything between stays as it is: an answer
    may well speak of ``<think>`` tags.

    Parameters
    ----------
    echoes
        What a model may repeat in front: the prompt, the question.
    """

    def __init__(self, echoes: Sequence[str] = ()) -> None:
        self._echoes = [echo for echo in map(_Echo, echoes) if echo.squeezed]
        self._held = ""
        self._in_front = True

    def feed(self, text: str) -> str:
        """Take a piece of the reply and return what of the answer is certain by now."""
        self._held += text
        if self._in_front and not self._strip_front(ended=False):
            return ""
        self._in_front = False
        cut = _sure_length(self._held)
        sure, self._held = self._held[:cut], self._held[cut:]
        return sure

    def finish(self) -> str:
        """Return what was held back when the reply has ended."""
        if self._in_front:
            self._strip_front(ended=True)
        rest, self._held = _without_end(self._held), ""
        return rest

    def _strip_front(self, ended: bool) -> bool:
        """Take off what is surely not the answer; return whether the answer has surely begun."""
        while True:
            self._held = self._held.lstrip()
            if not self._held:
                return False
            removed = self._front(ended)
            if removed is None:
                return False
            if not removed:
                return True
            self._held = self._held[removed:]
            for echo in self._echoes:
                echo.restart()

    def _front(self, ended: bool) -> int | None:
        """Return how many characters in front to take off; None when more text must come first."""
        text = self._held
        if opening := OPENING.match(text):
            closing = CLOSING.search(text, opening.end())
            if closing:
                return closing.end()
            return len(text) if ended else None
        waits = False
        for echo in self._echoes:
            length = echo.length(text, ended)
            if length:
                return length
            waits = waits or length is None
        if label := _LABEL.match(text):
            # "Answer:" may go on with more of the label's own marks.
            return label.end() if ended or label.end() < len(text) else None
        if ended:
            return 0
        return None if waits or _may_be_front(text) else 0


def _may_be_front(text: str) -> bool:
    """Whether a short text may still become a label or an opening tag."""
    if len(text) >= _LONGEST_LABEL:
        return False
    if text[0] in "<[◁":
        return _HEADER.fullmatch(text) is not None or not any(c in ">]▷" for c in text)
    plain = re.sub(r"^[#*_\s]+", "", text.casefold()).rstrip("*_ ")
    return any(word.startswith(plain) for word in (*_LABEL_WORDS, "model"))


def _sure_length(text: str) -> int:
    """Return how much of a text is answer for sure; closing tokens, begun or whole, may follow at its end.

    White space stays back too: only the end shows whether it stands before a closing token.
    """
    at = text.rfind("<", max(0, len(text) - _LONGEST_END))
    tail = text[at:].rstrip() if at >= 0 else ""
    is_begun = tail and any(token.startswith(tail) for token in _END_TOKENS)
    return len(_without_end(text[:at] if is_begun else text))


def _without_end(text: str) -> str:
    text = text.rstrip()
    while token := next((token for token in _END_TOKENS if text.endswith(token)), ""):
        text = text.removesuffix(token).rstrip()
    return text


def _squeeze(text: str) -> str:
    """Return the letters and digits of a text, in lower case."""
    return "".join(character for character in text.casefold() if character.isalnum())
