"""Cutting a document's text into overlapping windows of tokens."""

from __future__ import annotations

import hashlib
from bisect import bisect_right

import regex  # type: ignore[import-untyped]

from lightrag_engine.records import Chunk, Document, PageStart
from lightrag_engine.tokens import count, encode, encoding

# The last part of a window in which a better place to end is looked for, and the first part of the overlap
# in which a better place to begin is.
_END_ZONE = 0.15
_START_ZONE = 0.5
# Places to cut, best first; the cut is at the end of the match.
_BOUNDARIES = (
    regex.compile(r"\n[ \t]*\n\s*"),  # paragraph
    regex.compile(r"[.!?…؟۔।][\"'”’»)\]]*\s++(?!\p{Ll})|[。！？][”’」』）]*"),  # sentence
    regex.compile(r"\n"),  # line
    regex.compile(r"\s"),  # word
)
_GRAPHEME = regex.compile(r"\X")
_GRAPHEME_LOOKBACK = 64  # characters; the longest emoji sequences have about ten
# How many characters are encoded to find the end of a window: a guess at first, then what the text needs.
_FIRST_GUESS = 4  # characters a token
_MARGIN = 1.25
_MOST = 32  # characters a token: beyond that (a giant run of spaces) a chunk may hold fewer tokens


def chunk_id(content: str) -> str:
    """Return ``chunk-`` and 32 hex digits of the SHA-256 of the content: same text, same id."""
    return "chunk-" + hashlib.sha256(content.encode("utf-8")).hexdigest()[:32]


def chunk(document: Document, size: int, overlap: int) -> list[Chunk]:
    """Cut a document into chunks of at most `size` tokens that overlap by about `overlap` tokens.

    Every chunk is a literal part of the text without white space at its ends, and together they cover
    everything else. A chunk ends at the end of a paragraph, sentence, line or word, in this order of
    preference, when one lies in the last 15 % of its window, and begins at one when one lies in the first
    half of its overlap: so an overlap has between half of `overlap` and `overlap` tokens. Else the cut is
    between two characters, if possible not inside what is seen as one (an emoji sequence).

    Parameters
    ----------
    document : Document
    size : int
        Tokens a chunk holds at most. The one exception: a single character that has more tokens than `size`.
    overlap : int
        Tokens, fewer than `size`.

    Returns
    -------
    list of Chunk
        In the order of the text; empty when the text is blank. Two chunks with the same content have the
        same id.

    Raises
    ------
    ValueError
        When `size` is below 1 or `overlap` is not in ``[0, size)``.
    """
    if size < 1 or not 0 <= overlap < size:
        raise ValueError(f"cannot cut into chunks of {size} tokens with an overlap of {overlap}")
    text = document.text.rstrip()
    chunks: list[Chunk] = []
    characters_a_token = float(_FIRST_GUESS)
    start = _skip_space(text, 0)
    end = 0
    while end < len(text):
        window = _Window(text, start, size, characters_a_token)
        new_end = window.end(after=end)
        if new_end <= end:
            # The overlap alone fills the window: go on behind it.
            start = _skip_space(text, end)
            window = _Window(text, start, size, characters_a_token)
            new_end = window.end(after=start)
        end = new_end
        content = text[start:end]
        tokens = count(content)
        chunks.append(_make(document, len(chunks), start, content, tokens))
        characters_a_token = len(content) / tokens
        start = window.next_start(end, tokens, overlap)
    return chunks


class _Window:
    """The tokens of a text from `start` on: more than `size` of them, or all that are left."""

    def __init__(self, text: str, start: int, size: int, characters_a_token: float) -> None:
        self._text = text
        self._start = start
        self._size = size
        length = int(size * characters_a_token * _MARGIN) + 16
        self._ids = encode(text[start : start + length])
        while len(self._ids) <= size and length < min(len(text) - start, size * _MOST):
            length *= 2
            self._ids = encode(text[start : start + length])

    def end(self, after: int) -> int:
        """Return where a chunk ends, preferably at a boundary behind `after`, white space left out.

        The end is at `after` or before it when the window does not reach further.
        """
        limit = min(self._size, len(self._ids))
        while limit > 0:
            end = self._cut(limit, after)
            end = self._start + len(self._text[self._start : end].rstrip())
            # Cut out of its surroundings a text may have other tokens than within them.
            excess = count(self._text[self._start : end]) - self._size
            if excess <= 0 and end > self._start:
                return end
            limit -= max(1, excess)
        return self._start + 1

    def next_start(self, end: int, tokens: int, overlap: int) -> int:
        """Return where the next chunk begins: about `overlap` tokens before `end`."""
        overlap = min(overlap, tokens // 2)  # a chunk that ended early is not repeated whole
        if not overlap:
            return _skip_space(self._text, end)
        first = self._start + 1
        low = min(end, max(first, self._offset(tokens - overlap)))
        high = min(end, self._offset(tokens - int(overlap * _START_ZONE)))
        start = _first_boundary(self._text, low, high) or _grapheme_floor(self._text, first, low)
        return _skip_space(self._text, start)

    def _cut(self, limit: int, after: int) -> int:
        """Return the best place to cut that the first `limit` tokens reach."""
        high = self._offset(limit)
        if high >= len(self._text):
            return high
        low = max(after, self._offset(int(limit * (1 - _END_ZONE))))
        return _last_boundary(self._text, low, high) or _grapheme_floor(
            self._text, max(after, self._start), high
        )

    def _offset(self, tokens: int) -> int:
        """Return the offset in the text behind the last character that the first `tokens` tokens complete."""
        whole = encoding().decode_bytes(self._ids[:tokens]).decode("utf-8", "ignore")
        return self._start + len(whole)


def _skip_space(text: str, start: int) -> int:
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def _last_boundary(text: str, low: int, high: int) -> int:
    """Return the last cut of the best kind in ``(low, high]``, 0 when there is none."""
    for boundary in _BOUNDARIES:
        # One character more: white space that begins at `high` makes it a boundary too.
        ends = [min(match.end(), high) for match in boundary.finditer(text, low, high + 1)]
        if ends and ends[-1] > low:
            return int(ends[-1])
    return 0


def _first_boundary(text: str, low: int, high: int) -> int:
    """Return the first cut of the best kind in ``[low, high)``, 0 when there is none."""
    for boundary in _BOUNDARIES:
        match = boundary.search(text, max(0, low - 1), high)
        if match and match.end() < high:
            return int(match.end())
    return 0


def _grapheme_floor(text: str, low: int, position: int) -> int:
    """Return the last place up to `position` between two visible characters, or `position` itself."""
    begin = max(low, position - _GRAPHEME_LOOKBACK)
    matches = _GRAPHEME.finditer(text, begin, position + _GRAPHEME_LOOKBACK)
    return max((int(match.end()) for match in matches if match.end() <= position), default=position)


def _make(document: Document, index: int, start: int, content: str, tokens: int) -> Chunk:
    end = start + len(content)
    return Chunk(
        id=chunk_id(content),
        content=content,
        tokens=tokens,
        chunk_order_index=index,
        full_doc_id=document.id,
        start=start,
        end=end,
        page_first=_page(document.pages, start),
        page_last=_page(document.pages, end - 1),
    )


def _page(pages: tuple[PageStart, ...], offset: int) -> int | None:
    """Return the number of the page on which the character at `offset` stands, None without pages."""
    if not pages:
        return None
    return pages[max(0, bisect_right(pages, offset, key=lambda page: page.start) - 1)].number
