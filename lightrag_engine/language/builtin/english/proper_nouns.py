"""Names that the tagger missed: runs of capitalised proper nouns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from spacy.tokens import Doc

from lightrag_engine.language.builtin.english import lexicon
from lightrag_engine.language.builtin.english.countries import DEMONYMS
from lightrag_engine.language.builtin.english.spans import (
    is_generic,
    is_name_part,
    join_hyphens,
    join_of,
    strip_honorific,
)


def proper_runs(doc: Doc, covered: set[int]) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and label of the runs of proper nouns outside of the covered tokens."""
    inside = _inside_capitals(doc)
    personified = _personified(doc)
    i = 0
    while i < len(doc):
        if i in covered or not (is_name_part(doc[i]) or doc[i].text in personified):
            i += 1
            continue
        end = i + 1
        while end < len(doc) and end not in covered and _continues(doc, end):
            end += 1
        start, end = join_hyphens(doc, i, end)
        i = max(end, i + 1)
        if start in covered:
            continue
        start = strip_honorific(doc, start, end)
        start = start if join_of(doc, start, end) in covered else join_of(doc, start, end)
        if _accepted(doc, start, end, inside):
            yield start, end, _run_label(doc, start, end)


def _continues(doc: Doc, i: int) -> bool:
    if doc[i].is_sent_start:
        return False
    if is_name_part(doc[i]):
        return True
    of_name = (
        doc[i].lower_ == "of" and i + 1 < len(doc) and is_name_part(doc[i + 1]) and doc[i].head.i == i - 1
    )
    return of_name and not is_generic(doc[i - 1])


def _inside_capitals(doc: Doc) -> frozenset[str]:
    """Words that have their capital inside a sentence too, so that it means something."""
    return frozenset(
        t.text
        for t in doc
        if t.text[:1].isupper()
        and not t.is_sent_start
        and t.i
        and (doc[t.i - 1].is_alpha or doc[t.i - 1].text == ",")
    )


def _personified(doc: Doc) -> frozenset[str]:
    """Common nouns that the text writes with a capital after "the", more than once: "the Ghost"."""
    capital = Counter(
        t.text
        for t in doc
        if t.pos_ in {"NOUN", "PROPN"} and t.text.istitle() and t.i and doc[t.i - 1].lower_ == "the"
    )
    return frozenset(word for word, count in capital.items() if count > 1 and len(word) > 2)


def _accepted(doc: Doc, start: int, end: int, inside: frozenset[str]) -> bool:
    words = doc[start:end]
    if (
        all(is_generic(t) or t.lower_ in lexicon.MONTHS | lexicon.WEEKDAYS for t in words)
        or words.text.isdigit()
    ):
        return False
    root, word, last = words.root, words[0], words[-1].lower_
    if end - start > 1:
        return last not in lexicon.ROLE_WORDS | lexicon.POSTS
    if word.lower_ in lexicon.KINDS:
        return False
    if len(word.text) < 3 or word.like_url or not word.is_alpha:
        return False
    if word.dep_ in {"compound", "amod", "nmod"} and not start <= word.head.i < end:
        return False
    return word.text in inside or root.dep_ in {"nsubj", "nsubjpass"}


def _run_label(doc: Doc, start: int, end: int) -> str:
    text = doc[start:end].text
    if text.casefold() in DEMONYMS:
        return "NORP"
    before = doc[start - 1].lower_.rstrip(".") if start else ""
    return "PERSON" if before in lexicon.HONORIFICS else "MISC"
