"""Where a text names something: the tagger's spans, repaired, and the names it missed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from spacy.tokens import Doc, Span

from lightrag_engine.language.builtin.english import lexicon
from lightrag_engine.language.builtin.english.dates import (
    date_spans,
    duration_spans,
    is_large,
    measure,
    without_approximation,
)
from lightrag_engine.language.builtin.english.proper_nouns import proper_runs
from lightrag_engine.language.builtin.english.spans import is_name_part, repair

MAX_NAME = 100
_NUMBERS = frozenset({"PERCENT", "MONEY", "QUANTITY", "CARDINAL"})
AMOUNTS = frozenset({"figure", "duration", "count"})
"""Rules of numbers that are no names: how many a text has says nothing of how many names it has."""
_QUOTED = re.compile(r"[\"“]([^\"“”]{2,90})[\"”]")
# A name holds no code, no markup and no address.
_FORBIDDEN = re.compile(r"[<>{}\[\]\\|=@#*_~^`\x00-\x1f\x7f-\x9f]|://|www\.")
_SPEECH_END = re.compile(r"[,.!?;:–—-]+$")


@dataclass(frozen=True, slots=True)
class Mention:
    """Tokens ``start:end`` of the text name something; `rule` says how that was seen."""

    start: int
    end: int
    label: str
    rule: str


def find_mentions(
    doc: Doc, used: Collection[str], title: Sequence[Mention] = (), narrative: bool = False
) -> list[Mention]:
    """Return the mentions of names, dates and measures in a parsed text, in order, without overlaps.

    Parameters
    ----------
    doc
        The parsed text.
    used
        The names of the rules to use (`rules.RULES`).
    title
        Mentions of the document's title: they win over others, except over a longer name that contains them.
    narrative
        Whether the text is a story, whose numbers and durations are no facts.
    """
    spans: list[Mention] = []
    for found in (_dates(doc), _quoted(doc), [] if narrative else _amounts(doc, used), _tagged(doc)):
        spans = without_overlaps(spans, (m for m in found if m.rule in used))
    if "proper" in used:
        runs = proper_runs(doc, _covered(spans))
        spans = without_overlaps(spans, [Mention(start, end, label, "proper") for start, end, label in runs])
    inner = [
        t
        for t in title
        if not any(m.start <= t.start and t.end <= m.end and m.end - m.start > t.end - t.start for m in spans)
    ]
    spans = without_overlaps(inner, spans)
    return sorted((m for m in spans if _plausible(doc, m)), key=lambda m: m.start)


def _dates(doc: Doc) -> list[Mention]:
    return [Mention(span.start, span.end, "DATE", "date") for span in date_spans(doc)]


def _amounts(doc: Doc, used: Collection[str]) -> Iterator[Mention]:
    """Yield durations and bare numbers; a number is a figure when it is large, else a count."""
    for span in duration_spans(doc):
        yield Mention(span.start, span.end, "DATE", "duration")
    for entity in doc.ents:
        # "Hot 100", "Route 660": the number is part of a name.
        named = entity.start > 0 and is_name_part(doc[entity.start - 1])
        if entity.label_ == "CARDINAL" and not named:
            number = without_approximation(entity)
            if number is not None:
                rule = "figure" if "figure" in used and is_large(number) else "count"
                yield Mention(number.start, number.end, "QUANTITY", rule)


def _covered(mentions: Iterable[Mention]) -> set[int]:
    return {i for m in mentions for i in range(m.start, m.end)}


def without_overlaps(kept: list[Mention], more: Iterable[Mention]) -> list[Mention]:
    taken = _covered(kept)
    result = list(kept)
    for mention in more:
        if taken.isdisjoint(range(mention.start, mention.end)):
            taken.update(range(mention.start, mention.end))
            result.append(mention)
    return result


def _plausible(doc: Doc, mention: Mention) -> bool:
    text = doc[mention.start : mention.end].text
    if not 1 < len(text) <= MAX_NAME or _FORBIDDEN.search(text):
        return False
    if mention.rule in {"ner", "proper"} and re.search(r"[!?;:]\s", text):
        return False
    letters = sum(c.isalpha() for c in text)
    return letters > 0 or mention.label in _NUMBERS or mention.label == "DATE"


def _quoted(doc: Doc) -> list[Mention]:
    """Quoted titles: mostly capitals. Where quotes are mainly speech, none is a title."""
    titles: list[Mention] = []
    speech = 0
    for match in _QUOTED.finditer(doc.text):
        words = re.findall(r"[^\W\d_][\w'’]*", match.group(1))
        long = [w for w in words if len(w) > 3] or words
        capital = sum(w[0].isupper() for w in long)
        if not 0 < len(words) <= 12 or not words[0][0].isupper() or capital < 0.7 * len(long):
            speech += len(words) > 2
            continue
        start, end = match.span(1)
        end -= len(match.group(1)) - len(_SPEECH_END.sub("", match.group(1)))
        span = doc.char_span(start, end, alignment_mode="contract") if end > start else None
        if span is not None and any(t.is_alpha for t in span) and (len(words) > 1 or span[0].pos_ == "PROPN"):
            label = "WORK_OF_ART" if len(words) > 1 or not span[0].ent_type_ else span[0].ent_type_
            titles.append(Mention(span.start, span.end, label, "quoted"))
    return titles if len(titles) > speech else []


def _tagged(doc: Doc) -> Iterator[Mention]:
    """The tagger's own entities, repaired."""
    for entity in doc.ents:
        label = entity.label_
        if label in _NUMBERS:
            number = measure(entity) if label != "CARDINAL" else None
            if number is not None:
                yield Mention(number.start, number.end, label, "number")
            continue
        if label in {"ORDINAL", "TIME"}:
            continue
        span = repair(entity)
        if span is None:
            continue
        if label == "DATE":
            # Only what has a name of its own: Christmas, Easter Monday.
            if _names_day(span):
                yield Mention(span.start, span.end, "EVENT", "ner")
            continue
        yield Mention(span.start, span.end, label, "ner")


def _names_day(span: Span) -> bool:
    words = [t for t in span if t.lower_ not in lexicon.MONTHS | lexicon.WEEKDAYS]
    return bool(words) and all(t.pos_ == "PROPN" and t.text[:1].isupper() for t in words)
