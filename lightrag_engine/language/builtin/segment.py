"""Chinese word segmentation with jieba's dictionary, loaded once, silently and without a cache file."""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_LOCK = threading.Lock()
# Long runs without a mark make the segmenter's graph of candidate words large: it gets them in pieces.
_PIECE = 2_000


@dataclass(frozen=True, slots=True)
class Word:
    """A word of Chinese text at ``text[start:end]``; `tag` is the dictionary's part of speech or ""."""

    text: str
    start: int
    end: int
    tag: str


@dataclass(frozen=True, slots=True)
class _Lexicon:
    tokenizer: Any
    tags: Mapping[str, str]


@cache
def _load() -> _Lexicon:
    with warnings.catch_warnings():
        # Old string escapes and pkg_resources; none of it concerns whoever uses this library.
        warnings.simplefilter("ignore")
        import jieba

    # jieba would keep a cache in the shared temporary directory, which others can write: we build it anew.
    frequencies: dict[str, int] = {}
    tags: dict[str, str] = {}
    total = 0
    lines = (Path(jieba.__file__).parent / "dict.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        word, count, tag = line.split(" ")
        frequencies[word] = int(count)
        tags[word] = tag
        total += int(count)
    for word in tags:
        for length in range(1, len(word)):
            frequencies.setdefault(word[:length], 0)  # jieba looks words up prefix by prefix
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total, tokenizer.initialized = frequencies, total, True
    return _Lexicon(tokenizer, tags)


def _lexicon() -> _Lexicon:
    with _LOCK:
        return _load()


def cut(text: str, guess: bool = True) -> list[Word]:
    """Cut a text into words.

    Parameters
    ----------
    text
        Any text; what is not Chinese comes back in pieces without a tag.
    guess
        Whether words outside the dictionary are guessed by jieba's hidden Markov model: right for
        modern text, misleading for classical text.

    Returns
    -------
    list of Word
        In order, covering the text.

    Examples
    --------
    >>> [(word.text, word.tag) for word in cut("诸葛亮在成都")]
    [('诸葛亮', 'nr'), ('在', 'p'), ('成都', 'ns')]
    """
    lexicon = _lexicon()
    words: list[Word] = []
    at = 0
    for piece in range(0, len(text), _PIECE):
        for word in lexicon.tokenizer.cut(text[piece : piece + _PIECE], HMM=guess):
            words.append(Word(word, at, at + len(word), lexicon.tags.get(word, "")))
            at += len(word)
    return words


def rarity(word: str) -> float:
    """Return the negative log probability of a word in general text, 0 (everywhere) to about 18 (unknown)."""
    tokenizer = _lexicon().tokenizer
    return math.log(tokenizer.total) - math.log(tokenizer.FREQ.get(word) or 1)


def tag_of(word: str) -> str:
    """Return the dictionary's part of speech of a word, "" when it is not in it."""
    return _lexicon().tags.get(word, "")
