"""Lists of words, written as running text."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """Return the set of the words in a text.

    Examples
    --------
    >>> sorted(word_set("le la les"))
    ['la', 'le', 'les']
    """
    return frozenset(text.split())
