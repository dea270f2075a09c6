"""Keywords of a question: low level (names, concrete things) and high level (themes)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

from lightrag_engine.language.builtin import chinese, english_keywords, other
from lightrag_engine.language.builtin.detect import HAN, Language, language
from lightrag_engine.language.builtin.mentions import clean_name, without_overlaps
from lightrag_engine.language.builtin.segment import Word, cut
from lightrag_engine.language.builtin.terms import function_words, tokens
from lightrag_engine.records import Keywords, Message
from lightrag_engine.settings import Settings

_MOST = 12  # keywords of a level
_LONGEST = 4_000  # characters of a question that are read
_QUOTED = re.compile(r"[\"“„«「『《](.{2,80}?)[\"”“»」』》]")
_WORDS = re.compile(r"\w+")
_REFERS_BACK = re.compile(
    r"\b(?:he|she|it|they|him|her|his|hers|its|their|them|this|that|these|those|there|"
    r"il|elle|ils|elles|lui|leur|er|sie|ihn|ihm|sein|seine|ihre|él|ella|ellos|su|он|она|оно|они|его|её|их)\b"
    r"|[他她它]|[這这那]",
    re.I,
)
_CHINESE_THEMES = re.compile(
    "(?:性|化|度|力|主义|关系|影响|质量|原因|意义|作用|结果|历史|文化|政治|经济|制度|精神|思想|"
    "战争|能力|水平|问题)$"
)
_PHRASE = frozenset({"n", "nz", "vn", "ns", "nt", "an", "j", "b", ""})


def keywords(question: str, history: Sequence[Message], settings: Settings) -> Keywords:
    """Return the keywords of a question.

    A question that only refers to what was spoken of ("When was it built?") takes the names of the last
    question that had some. Neither level is empty as long as the question has a word with meaning.
    """
    question = question[:_LONGEST]
    low, high, named = _read(question, settings)
    if not named and _REFERS_BACK.search(question):
        low = (*_names_before(history, settings), *low)
    words = _content_words(question)
    low, high = low or high or words, high or low or words
    return Keywords(high_level=_distinct(high), low_level=_distinct(low))


def _names_before(history: Sequence[Message], settings: Settings) -> tuple[str, ...]:
    for message in reversed(history):
        if message.role == "user":
            low, _, named = _read(message.content[:_LONGEST], settings)
            if named or (low and not _REFERS_BACK.search(message.content)):
                return named or low
    return ()


def _read(question: str, settings: Settings) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the low level, the high level, and those of the low level that are names."""
    quoted = tuple(_QUOTED.findall(question))
    spoken = language(question)
    if spoken is Language.ENGLISH:
        low, high, named = english_keywords.read(question)
    elif spoken is Language.CHINESE:
        low, high, named = _chinese(question, settings)
    else:
        named = tuple(m.name for m in without_overlaps(other.names(question, settings)) if m.is_name)
        words = tuple(other.content_words(question))
        inside = {word for name in named for word in _WORDS.findall(name)}
        high = tuple(word for word in words if word not in inside)
        low = named or words
    return (*quoted, *low), high, (*quoted, *named)


def _chinese(question: str, settings: Settings) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    found = without_overlaps(chinese.mentions(question, settings))
    latin = [m for m in other.names(question, settings) if not re.search(f"[{HAN}]", m.name)]
    named = tuple(mention.name for mention in [*found, *latin] if mention.is_name)
    low: list[str] = []
    high: list[str] = []
    for phrase in _phrases(cut(question)):
        text = "".join(word.text for word in phrase)
        if text in named:
            continue
        is_theme = phrase[-1].tag in {"vn", "v", "an", "a"} or _CHINESE_THEMES.search(text)
        (high if is_theme else low).append(text)
    return (*named, *low), tuple(high), named


def _phrases(words: Sequence[Word]) -> Iterable[list[Word]]:
    """Join neighbouring nouns: 城市 空气质量 is one theme; verbs stand alone."""
    phrase: list[Word] = []
    for word in words:
        joins = chinese.is_content(word) and word.tag in _PHRASE and word.tag not in {"vn", "an"}
        if phrase and not joins:
            yield phrase
            phrase = []
        if joins:
            phrase.append(word)
        elif chinese.is_content(word):
            yield [word]
    if phrase:
        yield phrase


def _content_words(question: str) -> tuple[str, ...]:
    """Return the words with meaning, up to three neighbours as one phrase ("mara quill"); else any words."""
    words = tokens(question)
    ignored = function_words(words)
    phrases: list[str] = []
    for is_ignored, group in groupby(words, key=lambda word: word.text.casefold() in ignored):
        run = list(group)
        if is_ignored:
            continue
        together = len(run) <= 3 and all(question[a.end : b.start] == " " for a, b in pairwise(run))
        phrases += [question[run[0].start : run[-1].end]] if together else [word.text for word in run]
    return tuple(phrases or other.content_words(question) or _WORDS.findall(question))


def _distinct(found: Iterable[str]) -> tuple[str, ...]:
    by_key = {name.casefold(): name for name in reversed([clean_name(keyword) for keyword in found]) if name}
    return tuple(reversed(by_key.values()))[:_MOST]
