"""Reading any language without a tagger: capitalised spans, katakana and kanji runs, frequent terms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from lightrag_engine.language.builtin.detect import FUNCTION_WORDS, HAN
from lightrag_engine.language.builtin.mentions import Mention
from lightrag_engine.language.builtin.terms import Token, frequent_terms, function_words, tokens
from lightrag_engine.language.builtin.types import entity_type
from lightrag_engine.language.builtin.wordlist import word_set
from lightrag_engine.records import UNKNOWN_TYPE
from lightrag_engine.sentences import split_sentences
from lightrag_engine.settings import Settings

REACH = 160  # characters between two related mentions
_TERMS = 10  # a chunk
_MAX_WORDS = 6  # of a name
_PARTICLES = word_set("de del della di da do dos das du des la le von van der den zu zur ter y e of af av")
_GAP = re.compile(r"[ \u00a0]|-")
_YEAR = r"(?:1[0-9]|20)\d\d"
_DATE = re.compile(
    rf"\b\d{{1,2}}\.? (?:de )?[^\W\d_]{{3,12}}\.?(?: de)? {_YEAR}\b|\b\d{{1,2}}[./]\d{{1,2}}[./]{_YEAR}\b"
    rf"|\b{_YEAR}-\d\d-\d\d\b|{_YEAR}年(?:\d{{1,2}}月)?(?:\d{{1,2}}日)?|\b{_YEAR}\b"
)
_HAN_BESIDE = re.compile(f"[{HAN}]")
_ROMAN = re.compile("[IVXLCDM]+")
_KATAKANA = re.compile(f"[ァ-ヺー]{{2,}}(?:[・＝=][ァ-ヺー]{{2,}})*(?:[{HAN}]{{2,6}})?")
_KANJI = re.compile(f"[{HAN}々]{{2,10}}")
_KANJI_TAIL = re.compile("[及又並且等]+$")
_KANJI_PERSON = re.compile("(?:さん|くん|さま|ちゃん)")
_KANJI_HONORIFIC = re.compile("(?:氏|君|様|先生)$")
_KANJI_PLACE = re.compile("[^各自他諸同両本一]..?.?[県市区町村都府]$")
_QUOTED = re.compile(r"[「『«„“]([^「」『』«»„“”\n]{2,40})[」』»“”]")


def mentions(text: str, settings: Settings) -> list[Mention]:
    """Find names and terms of a text in any language; mentions may overlap."""
    return [*names(text, settings), *_terms(text, settings), *_kanji(text, settings)]


def names(text: str, settings: Settings) -> list[Mention]:
    """Find what looks like a name: capitalised spans, dates, katakana, titles in quotation marks."""
    return [*_patterns(text, settings), *_capitalised(text, settings)]


def content_words(text: str) -> list[str]:
    """Return the words of a text that carry meaning, in order, each once."""
    words = tokens(text)
    ignored = function_words(words)
    spaced = [word.text for word in words if word.text.casefold() not in ignored]
    return list(dict.fromkeys([*spaced, *_KANJI.findall(text), *_KATAKANA.findall(text)]))


def themes(found: Sequence[Mention]) -> list[str]:
    """Return the terms of a chunk, the most frequent first."""
    counts = Counter(mention.name for mention in found if not mention.is_name)
    return [name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))][:6]


def _patterns(text: str, settings: Settings) -> Iterator[Mention]:
    for match in _DATE.finditer(text):
        yield Mention(match[0], entity_type("DATE", settings), *match.span(), "date")
    for match in _KATAKANA.finditer(text):
        yield Mention(match[0], UNKNOWN_TYPE, *match.span(), "katakana")
    for match in _QUOTED.finditer(text):
        if 0 < len(match[1].split()) <= _MAX_WORDS:
            yield Mention(match[1], entity_type("CONCEPT", settings), *match.span(1), "quoted", is_name=False)


def _terms(text: str, settings: Settings) -> Iterator[Mention]:
    concept = entity_type("CONCEPT", settings)
    words = tokens(text)
    nouns_too = _capitalises_nouns(words, _openings(text, words))
    found = [t for t in frequent_terms(text, _TERMS) if not nouns_too or not t.text.islower()]
    shown = _most_frequent_spelling(found)
    for term in found:
        yield Mention(shown[term.text.casefold()], concept, term.start, term.end, "term", is_name=False)


def _kanji(text: str, settings: Settings) -> Iterator[Mention]:
    """Yield persons and places by suffix, and the runs of kanji that come back most often."""
    concept = entity_type("CONCEPT", settings)
    runs = [(_KANJI_TAIL.sub("", match[0]), match.start()) for match in _KANJI.finditer(text)]
    counts = Counter(name for name, _ in runs if len(name) > 1)
    frequent = sorted((n for n, count in counts.items() if count > 1), key=lambda n: (-counts[n], -len(n), n))
    for name, start in runs:
        end = start + len(name)
        person = _KANJI_HONORIFIC.sub("", name)
        if len(person) > 1 and (person != name or _KANJI_PERSON.match(text, end)):
            yield Mention(person, entity_type("PERSON", settings), start, start + len(person), "honorific")
        elif _KANJI_PLACE.fullmatch(name):
            yield Mention(name, entity_type("LOC", settings), start, end, "suffix")
        elif name in frequent[: 2 * _TERMS]:
            yield Mention(name, concept, start, end, "term", is_name=False)


def _most_frequent_spelling(found: Sequence[Token]) -> dict[str, str]:
    counts = Counter(token.text for token in found)
    best: dict[str, str] = {}
    for spelling in sorted(counts, key=lambda s: (counts[s], s)):
        best[spelling.casefold()] = spelling
    return best


def _capitalised(text: str, settings: Settings) -> Iterator[Mention]:
    """Yield runs of capitalised words.

    The first word of a sentence is capitalised anyway: it counts when it also is elsewhere, and never is
    small. Where nouns are capitalised (German), a single word is a term when it comes back, and no name.
    """
    words = tokens(text)
    openings = _openings(text, words)
    nouns_too = _capitalises_nouns(words, openings)
    runs = list(_runs(text, words, frozenset() if nouns_too else _PARTICLES))
    ignored = FUNCTION_WORDS | {word.text for word in words if word.text[:1].islower()}
    # Words seen capitalised where nothing but their being a name demands it.
    known = {w.text for w in words if w.start not in openings and _is_capitalised(w)}
    known |= {word.text for run in runs if len(run) > 1 for word in run}
    totals = Counter(word.text for word in words)
    found: list[tuple[str, int, int]] = []
    for run in runs:
        first = run[0]
        beside_han = (
            _HAN_BESIDE.match(text, run[-1].end) is not None
        )  # where no capital is owed to a sentence
        if (
            not beside_han
            and first.start in openings
            and (first.text.casefold() in ignored or (len(run) == 1 and first.text not in known))
        ):
            run = _without_particles(run[1:])
        if not run:
            continue
        name, start, end = text[run[0].start : run[-1].end], run[0].start, run[-1].end
        if len(name) < 2 or _ROMAN.fullmatch(name) or (name.isupper() and len(name) > 6):
            continue
        if len(run) > 1 or not nouns_too or (name.isupper() and len(name) < 6):
            found.append((name, start, end))
        elif totals[name] > 1 and name.casefold() not in ignored:
            yield Mention(name, entity_type("CONCEPT", settings), start, end, "noun", is_name=False)
    full = _by_last_word([name for name, _, _ in found])
    for name, start, end in found:
        yield Mention(full.get(name, name), UNKNOWN_TYPE, start, end, "capitals")


def _by_last_word(found: Sequence[str]) -> dict[str, str]:
    """Map last names to the full name in the same chunk, where there is just one."""
    longer: dict[str, set[str]] = {}
    for name in found:
        if " " in name:
            longer.setdefault(name.rsplit(" ", 1)[1], set()).add(name)
    return {last: next(iter(full)) for last, full in longer.items() if len(full) == 1}


def _capitalises_nouns(words: Sequence[Token], openings: set[int]) -> bool:
    """Whether nouns are capitalised, as in German: so many capitals inside sentences are not all names."""
    inside = [word for word in words if word.start not in openings]
    capitals = sum(_is_capitalised(word) for word in inside)
    return len(inside) > 40 and capitals > 0.18 * len(inside)


def _openings(text: str, words: Sequence[Token]) -> set[int]:
    """Return where the first words of sentences and of quotations start."""
    starts = [start for start, _ in split_sentences(text)]
    found: set[int] = set()
    at = 0
    for start in starts:
        while at < len(words) and words[at].start < start:
            at += 1
        if at < len(words):
            found.add(words[at].start)
    return found | {
        word.start
        for word in words
        if text[max(0, word.start - 2) : word.start].strip(" ") in set('«„“":—–•')
    }


def _runs(text: str, words: Sequence[Token], particles: frozenset[str]) -> Iterator[list[Token]]:
    """Yield the longest runs of capitalised words on one line; particles ("de", "von") may be inside."""
    run: list[Token] = []
    for word in words:
        joins = bool(run) and _GAP.fullmatch(text[run[-1].end : word.start]) is not None
        if run and not (
            joins and len(run) < _MAX_WORDS and (_is_capitalised(word) or word.text in particles)
        ):
            yield _without_particles(run)
            run = []
        if run or _is_capitalised(word):
            run.append(word)
    if run:
        yield _without_particles(run)


def _without_particles(run: list[Token]) -> list[Token]:
    first = next((i for i, word in enumerate(run) if _is_capitalised(word)), len(run))
    last = next((i for i in range(len(run), first, -1) if _is_capitalised(run[i - 1])), first)
    return run[first:last]


def _is_capitalised(word: Token) -> bool:
    return word.text[:1].isupper()
