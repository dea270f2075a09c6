"""Comparing texts by shared words: stems for languages with spaces, pairs of characters for the rest."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from lightrag_engine.language.builtin.detect import FUNCTION_WORDS, HAN, KANA
from lightrag_engine.language.builtin.terms import words
from lightrag_engine.language.builtin.wordlist import word_set

_DENSE = re.compile(f"[{HAN}]+|[{KANA}]{{2,}}")
_UNSPACED = re.compile("[\u0e00-\u0e4e\u0e80-\u0ecd\u1000-\u1049\u1780-\u17d3]{3,}")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
# Longer endings first.
_SUFFIXES = (
    *("ations", "ation", "ments", "ment", "ings", "ing", "edly", "ions", "ion", "ers", "ors", "er", "or"),
    *("ely", "ies", "ied", "ed", "ly", "es", "s", "e", "y"),
)
_STOPS = FUNCTION_WORDS | word_set(
    "a an i we me my our us if so no not only also very just more most much many some any all "
    "each every other such than then now up out over under again once here too own same will may "
    "might must am being do doing don having tell give know called name named mean means happen "
    "happened describe explain during after before while because through against among within "
    "without upon per via"
)
# Function words and question words; of two characters, as they are compared.
_DENSE_STOPS = word_set(
    "什么 怎么 怎样 如何 为何 为什 哪里 哪个 哪些 是谁 谁是 多少 几个 何时 时候 有什 么是 是什 "
    "的是 是否 没有 这个 那个 一个 他们 我们 你们 请问 之间 です ます した する いる ある こと "
    "もの から まで など には では とは のは 何で"
)
_DENSE_SINGLE = frozenset("的了是在和与及有不之其也而以于为就都这那谁何吗呢么被把从到对将等者所")


def match_terms(text: str) -> list[str]:
    """Return the units by which a text is compared, function words left out, in order, with repeats.

    Examples
    --------
    >>> match_terms("Who founded the ferries in 1851?"), match_terms("诸葛亮")
    (['found', 'ferr', '1851'], ['诸葛', '葛亮'])
    """
    units = [_unit(word) for word in words(text)]
    units += _NUMBER.findall(text)
    for match in _DENSE.finditer(text):
        units += _pairs(match[0])
    for match in _UNSPACED.finditer(text):
        units += [match[0][i : i + 4] for i in range(max(1, len(match[0]) - 3))]
    return [unit for unit in units if unit]


@lru_cache(maxsize=50_000)
def _unit(word: str) -> str:
    folded = word.casefold()
    return "" if folded in _STOPS else stem(folded)


def _pairs(run: str) -> list[str]:
    if len(run) == 1:
        return [] if run in _DENSE_SINGLE else [run]
    pairs = [run[i : i + 2] for i in range(len(run) - 1)]
    return [p for p in pairs if p not in _DENSE_STOPS and not (set(p) & _DENSE_SINGLE)]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return a word without its commonest English endings, the same for its forms: founded -> found."""
    word = word.removesuffix("'s").removesuffix("’s")
    if not word.isascii():
        return word[:-1] if len(word) > 6 else word
    for suffix in _SUFFIXES:
        rest = word.removesuffix(suffix)
        if (
            rest != word
            and len(rest) >= (3 if suffix in {"s", "e", "ed", "ing"} else 4)
            and not word.endswith("ss")
        ):
            rest = rest.rstrip("ey") if len(rest) > 3 else rest
            doubled = len(rest) > 4 and rest[-1] == rest[-2] and rest[-1] in "bdgmnprt"
            return rest[:-1] if doubled else rest
    return word


def rarities(texts: Iterable[Iterable[str]]) -> dict[str, float]:
    """Return the inverse document frequency of every term: ``log(1 + n / count)`` over n texts."""
    documents = [set(terms) for terms in texts]
    counts = Counter(term for terms in documents for term in terms)
    return {term: math.log(1 + len(documents) / count) for term, count in counts.items()}


def coverage(wanted: Mapping[str, float], present: set[str]) -> float:
    """Return the weighted share of the wanted terms that are present, 0 to 1."""
    total = sum(wanted.values())
    return sum(weight for term, weight in wanted.items() if term in present) / total if total else 0.0


def overlap(a: set[str], b: set[str]) -> float:
    """Return how much the smaller set lies in the other, 0 to 1."""
    smaller = min(len(a), len(b))
    return len(a & b) / smaller if smaller else 0.0
