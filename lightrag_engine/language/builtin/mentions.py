"""From mentions found in a chunk to its records: entities that meet in a sentence are related."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from lightrag_engine import names
from lightrag_engine.language.builtin.detect import has_han
from lightrag_engine.records import Chunk, EntityRecord, Extraction, RelationRecord
from lightrag_engine.sentences import split_sentences

MAX_NAME = 80
MAX_DESCRIPTION = 700
_PAIRS_A_SENTENCE = 12
_KEYWORDS = 3
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_OUTER = " \t\"'“”‘’«»,.;:!?…-–—_*`#|~，。、；：！？「」『』"
NESTED = "name_in_name"  # rule of a name inside a longer one
_NESTED_WEIGHT = 0.6
ALIAS = "alias"  # rule of a pair of which one is the other's name in another script
Words = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Mention:
    """A name or a term at ``content[start:end]``. Terms (`is_name` false) make weaker relations."""

    name: str
    type: str
    start: int
    end: int
    rule: str
    is_name: bool = True


def clean(text: str) -> str:
    """Return a text on one line, without control characters."""
    return _BLANKS.sub(" ", text).strip()


def clean_name(text: str) -> str:
    """Return a name on one line without the marks around it, or "" when nothing is left to name."""
    name = names.clean_name(clean(text).strip(_OUTER)).strip(_OUTER)
    return name if len(name) <= MAX_NAME and any(char.isalnum() for char in name) else ""


def without_overlaps(mentions: Iterable[Mention]) -> list[Mention]:
    """Return the mentions in order of the text, of overlapping ones the longer, then the earlier."""
    kept: list[Mention] = []
    taken: set[int] = set()
    for mention in sorted(mentions, key=lambda m: (m.start - m.end, m.start, m.name, m.rule)):
        places = range(mention.start, mention.end)
        if taken.isdisjoint(places):
            taken.update(places)
            kept.append(mention)
    return sorted(kept, key=lambda m: m.start)


@dataclass(slots=True)
class _Evidence:
    description: str
    rule: str
    weight: float = 0.0
    keywords: dict[str, None] = field(default_factory=dict)


def to_extraction(
    chunk: Chunk,
    mentions: Sequence[Mention],
    reach: int,
    words: Words,
    themes: Sequence[str] = (),
    nested: Iterable[tuple[str, str]] = (),
) -> Extraction:
    """Turn the mentions of a chunk into its records.

    Parameters
    ----------
    chunk
        Where the mentions were found.
    mentions
        Any order; overlapping ones are resolved, names cleaned.
    reach
        Two mentions further apart than so many characters are not related.
    words
        Gives the content words of a piece of text: the keywords of relations.
    themes
        The content keywords of the chunk.
    nested
        Names and the longer names of mentions that they are part of.

    Returns
    -------
    Extraction
        One record a name and one a pair; the description is the first sentence with it. A pair's weight is
        1 for every sentence in which the two are next to each other, ½ where another stands between or one
        is a common term.
    """
    entities: dict[str, EntityRecord] = {}
    pairs: dict[tuple[str, str], _Evidence] = {}
    keys = {mention.name: names.fold_name(clean_name(mention.name)) for mention in mentions}
    found = [mention for mention in without_overlaps(mentions) if keys[mention.name]]
    for start, end, inside in _by_sentence(chunk.content, found):
        sentence = clean(chunk.content[start:end])[:MAX_DESCRIPTION]
        for mention in inside:
            record = EntityRecord(clean_name(mention.name), mention.type, sentence, chunk.id, mention.rule)
            entities.setdefault(keys[mention.name], record)
        for a, b, weight, rule in _meetings(chunk.content, inside, keys, reach):
            pair = keys[a.name], keys[b.name]
            pair = pair[::-1] if pair[::-1] in pairs else pair
            evidence = pairs.setdefault(
                pair, _Evidence(_around(chunk.content, start, end, a, b, reach), rule)
            )
            evidence.weight += weight
            if rule == ALIAS:
                evidence.keywords.update({"又名": None})
                continue
            if len(evidence.keywords) < _KEYWORDS:
                between = words(chunk.content[a.end : b.start]) or words(chunk.content[b.end : end])
                fresh = [clean_name(word) for word in between if names.fold_name(word) not in pair]
                evidence.keywords.update(dict.fromkeys(filter(None, fresh)))
    for inner, outer in nested:
        pair = keys.get(inner, ""), keys.get(outer, "")
        if set(pair) <= entities.keys() and not {pair, pair[::-1]} & pairs.keys():
            sentence = entities[pair[1]].entity_description
            pairs[pair] = _Evidence(sentence, NESTED, _NESTED_WEIGHT, {"所属": None})
    relations = tuple(
        RelationRecord(
            entities[a].entity_name,
            entities[b].entity_name,
            evidence.description,
            tuple(evidence.keywords)[:_KEYWORDS],
            evidence.weight,
            chunk.id,
            evidence.rule,
        )
        for (a, b), evidence in pairs.items()
    )
    return Extraction(
        chunk.id, tuple(entities.values()), relations, tuple(filter(None, map(clean_name, themes)))
    )


def _around(text: str, start: int, end: int, a: Mention, b: Mention, reach: int) -> str:
    """Return the sentence as evidence of a pair; of one without end, the part around the two."""
    if end - start > 3 * reach:
        start, end = max(start, a.start - reach), min(end, b.end + reach)
    return clean(text[start:end])[:MAX_DESCRIPTION]


def _by_sentence(text: str, mentions: Sequence[Mention]) -> Iterator[tuple[int, int, list[Mention]]]:
    at = 0
    for start, end in split_sentences(text):
        inside: list[Mention] = []
        while at < len(mentions) and mentions[at].start < end:
            inside.append(mentions[at])
            at += 1
        if inside:
            yield start, end, inside


def is_alias(text: str, a: Mention, b: Mention) -> bool:
    """Whether the second name is the first in another script, in the brackets after it: 南京（Nanjing）."""
    between, after = text[a.end : b.start].strip(), text[b.end :].lstrip()[:1]
    scripts = {has_han(a.name), has_han(b.name)}
    return between in {"(", "（"} and after in {")", "）"} and len(scripts) == 2


def _meetings(
    text: str, inside: Sequence[Mention], keys: Mapping[str, str], reach: int
) -> Iterator[tuple[Mention, Mention, float, str]]:
    """Yield the pairs of neighbours in a sentence, with weight and rule: a bounded number, so that lists
    do not relate everything with everything."""
    neighbours = [
        (a, b, 1.0 if a.is_name and b.is_name else 0.5, ALIAS if is_alias(text, a, b) else "next")
        for a, b in pairwise(inside)
    ]
    named = [mention for mention in inside if mention.is_name]
    over_terms = [(a, b, 0.5, "near") for a, b in pairwise(named)]
    second = [(a, b, 0.5, "near") for a, b in zip(named, named[2:], strict=False)]
    seen: set[frozenset[str]] = set()
    for a, b, weight, rule in neighbours + over_terms + second:
        pair = frozenset((keys[a.name], keys[b.name]))
        if len(pair) == 2 and pair not in seen and b.start - a.end <= reach and len(seen) < _PAIRS_A_SENTENCE:
            seen.add(pair)
            yield a, b, weight, rule
