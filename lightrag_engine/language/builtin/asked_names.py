"""The names of several words in a question, and whether a text speaks of them or only of a namesake."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from lightrag_engine.language.builtin.detect import FUNCTION_WORDS, Language, language
from lightrag_engine.language.builtin.english.countries import country_of
from lightrag_engine.language.builtin.english.lexicon import HONORIFICS, KINDS
from lightrag_engine.language.builtin.matching import match_terms, stem
from lightrag_engine.language.builtin.terms import tokens

_LINKS = frozenset(["of", "the", "and", "&", "de", "la", "von", "van", "der", "den", "del", "di", "du", "al"])
_THING_LINKS = frozenset({"of", "the", "and", "&"})
_WORD = re.compile(r"&|(?:[^\W\d_]\.)+|[^\W\d_]+(?:[-’'][^\W\d_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
# A question that is written like a headline shows no names by its capitals.
_HEADLINE = 0.9
# Two spellings of one surname are at least so alike (Ratcliff-Obershelp).
_SAME_SPELLING = 0.87


@dataclass(frozen=True, slots=True)
class AskedName:
    """A name of at least two words. `telling` are the stems that tell it from its namesakes."""

    text: str
    terms: frozenset[str]
    telling: frozenset[str]

    def is_in(self, terms: frozenset[str]) -> bool:
        """Whether a text with these terms may speak of what is named."""
        return not self.telling.isdisjoint(terms)


def asked_names(question: str) -> tuple[AskedName, ...]:
    """Return the names of several words in a question: runs of words with capitals.

    Examples
    --------
    >>> [(name.text, sorted(name.telling)) for name in asked_names("Did Mara Quill buy Quarry Lane School?")]
    [('Mara Quill', ['quill']), ('Quarry Lane School', ['quarr'])]
    """
    words = [(match[0], match.start(), match.end()) for match in _WORD.finditer(question)]
    capital = sum(word[0].isupper() for word, _, _ in words[1:])
    if len(words) > 4 and capital > _HEADLINE * (len(words) - 1):
        return ()
    runs: list[list[str]] = [[]]
    end = 0
    for word, start, stop in words:
        plain = _POSSESSIVE.sub("", word)
        joins = question[end:start] == " " and bool(runs[-1])
        end = stop
        if plain[:1].isupper() and plain.casefold() not in FUNCTION_WORDS:
            runs[-1:] = [[*runs[-1], plain]] if joins else [runs[-1], [plain]]
        elif joins and plain.casefold() in _LINKS:
            runs[-1].append(plain)
        else:
            runs.append([])
        if plain != word:
            runs.append([])
    found = (_name(part) for run in runs for part in _separate(run))
    return tuple({name.text: name for name in found if name is not None}.values())


def _separate(run: list[str]) -> Iterable[list[str]]:
    """Cut at "and" between two full names; without trailing links."""
    while run and run[-1].casefold() in _LINKS:
        run = run[:-1]
    for i, word in enumerate(run):
        if word == "and" and i > 1 and len(run) - i > 2:
            return [run[:i], *_separate(run[i + 1 :])]
    return [run]


def _name(words: list[str]) -> AskedName | None:
    kept = [word for word in words if word.casefold().rstrip(".") not in HONORIFICS]
    own = [word for word in kept if word.casefold() not in _LINKS and len(word.strip(".")) > 1]
    text = " ".join(kept)
    if len(own) < 2 or country_of(text):
        return None
    is_thing = own[-1].casefold() in KINDS or len(own) > 3 or not _THING_LINKS.isdisjoint(kept)
    # A person is told from others by the last name, a thing by whatever does not say what kind it is.
    telling = ([word for word in own if word.casefold() not in KINDS] or own) if is_thing else own[-1:]
    terms = frozenset(stem(word.casefold()) for word in own)
    initials = "".join(word[0] for word in own).casefold()
    more = {initials} if is_thing and len(initials) > 2 else set()
    return AskedName(text, terms, frozenset(stem(word.casefold()) for word in telling) | more)


def absent_names(question: str, texts: Iterable[str]) -> tuple[AskedName, ...]:
    """Return the names of a question that none of the texts writes.

    A surname counts as written when it stands alone or is spelled a little differently. Only English
    questions are judged, for other languages write other words with capitals too, and only on texts in Latin
    letters:
    others would write the name differently.
    """
    asked = asked_names(question)
    if not asked or language(question) is not Language.ENGLISH:
        return ()
    present = frozenset(term for text in texts for term in match_terms(text))
    written = {term for term in present if term.isascii() and term.isalpha()}
    missing = (name for name in asked if not name.is_in(present))
    return tuple(
        name
        for name in missing
        if len(written) > len(present) / 2 and not any(_is_misspelt(t, written) for t in name.telling)
    )


def _is_misspelt(term: str, written: Iterable[str]) -> bool:
    return any(
        other[:1] == term[:1]
        and abs(len(other) - len(term)) < 3
        and SequenceMatcher(None, term, other).ratio() >= _SAME_SPELLING
        for other in written
    )


def is_namesake(name: AskedName, text: str) -> bool:
    """Whether a text shares a part of the name, but not the part that tells it from others."""
    terms = frozenset(match_terms(text))
    return not name.terms.isdisjoint(terms) and not name.is_in(terms)


def names_it(name: str, text: str) -> bool:
    """Whether a text writes a name in full, or a person's last name: "Quill" for "Mara Quill"."""
    if name.casefold() in text.casefold():
        return True
    words = tokens(name)
    last = words[-1].text if len(words) > 1 else ""
    is_person = last[:1].isupper() and last.casefold() not in KINDS
    return is_person and re.search(rf"(?<!\w){re.escape(last)}(?!\w)", text) is not None
