"""Literal sentences of the chunk as descriptions."""

from __future__ import annotations

from collections.abc import Sequence

from spacy.tokens import Doc

from lightrag_engine.language.builtin.english.text import Block

# Longest evidence, in words of the text.
MAX_WORDS = 60


class Source:
    """The chunk's own text behind the tokens of the merged document."""

    def __init__(self, content: str, blocks: Sequence[Block], docs: Sequence[Doc]) -> None:
        self._content = content
        self._spans: list[tuple[int, int]] = []
        for block, doc in zip(blocks, docs, strict=True):
            for token in doc:
                last = max(token.idx, token.idx + len(token) - 1)
                self._spans.append((block.offsets[token.idx], block.offsets[last] + 1))

    def text(self, start: int, end: int, centre: int | None = None) -> str:
        """Return what the chunk writes from token `start` to `end`, whitespace collapsed.

        A longer text than `MAX_WORDS` tokens is cut to a window around `centre`, with ellipses.
        """
        low, high = start, end
        if end - start > MAX_WORDS:
            middle = start if centre is None else centre
            low = max(start, min(middle - MAX_WORDS // 2, end - MAX_WORDS))
            high = low + MAX_WORDS
        raw = " ".join(self._content[self._spans[low][0] : self._spans[high - 1][1]].split())
        return f"{'… ' if low > start else ''}{raw}{' …' if high < end else ''}"
