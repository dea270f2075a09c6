"""Neighbouring mentions that are one name: "Bay" + "of" + "Biscay", "Das Lied" + "von der" + "Erde"."""

from __future__ import annotations

from collections.abc import Sequence

from spacy.tokens import Doc

from lightrag_engine.language.builtin.english.lexicon import CONNECTORS, KINDS, ROLE_WORDS
from lightrag_engine.language.builtin.english.mentions import Mention

_MAX_GAP = 3


def join(doc: Doc, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions, those of one name joined, house and sequel numbers taken in."""
    joined: list[Mention] = []
    for mention in mentions:
        before = joined[-1] if joined else None
        if before is not None and _belong(doc, before, mention):
            joined[-1] = Mention(before.start, mention.end, _label(doc, before, mention), before.rule)
        else:
            joined.append(mention)
    return _with_numbers(doc, joined)


def _belong(doc: Doc, a: Mention, b: Mention) -> bool:
    between = [t.lower_ for t in doc[a.end : b.start]]
    head = doc[b.start - 1].sent.start if b.start else 0
    if len(between) > _MAX_GAP or head > a.start or "quoted" in {a.rule, b.rule} or b.label == "DATE":
        return False
    last = doc[a.end - 1].lower_
    if not between:
        if _is_one_person(doc, a, b):
            return True
        # "2010 San Diego Festival": the year is part of an event's name.
        kind = KINDS.get(doc[b.end - 1].lower_)
        return a.label == "DATE" and a.end - a.start == 1 and kind == "EVENT" and doc[a.start].head.i < b.end
    if a.label == "DATE":
        return False
    if between in (["of"], ["of", "the"]):
        kind = KINDS.get(last)
        return kind in {"LOC", "ORG", "FAC", "GPE", "EVENT", "LAW"} and doc[a.end].head.i == a.end - 1
    if between == ["&"]:
        return True
    return all(word in CONNECTORS for word in between) and last not in ROLE_WORDS


def _is_one_person(doc: Doc, a: Mention, b: Mention) -> bool:
    """Whether the tagger cut a person's name in two: the first part is a compound of the second."""
    last = doc[a.end - 1]
    return (
        {a.label, b.label} <= {"PERSON", "MISC"}
        and "PERSON" in {a.label, b.label}
        and {a.rule, b.rule} <= {"ner", "proper"}
        and last.dep_ == "compound"
        and b.start <= last.head.i < b.end
    )


def _label(doc: Doc, a: Mention, b: Mention) -> str:
    if a.label == "DATE":
        return "EVENT"
    kind = KINDS.get(doc[a.end - 1].lower_)
    if kind:
        return kind
    return b.label if a.label == "MISC" else a.label


def _with_numbers(doc: Doc, mentions: Sequence[Mention]) -> list[Mention]:
    taken = {i for m in mentions for i in range(m.start, m.end)}
    return [_with_number(doc, m, taken) for m in mentions]


def _with_number(doc: Doc, mention: Mention, taken: set[int]) -> Mention:
    start, end = mention.start, mention.end
    if mention.rule not in {"ner", "proper"}:
        return mention
    kind = KINDS.get(doc[end - 1].lower_)
    if (
        kind == "FAC"
        and start
        and start - 1 not in taken
        and doc[start - 1].is_digit
        and not doc[start].is_sent_start
    ):
        start -= 1
    elif end < len(doc) and end not in taken and doc[end].is_digit and len(doc[end].text) < 4:
        inside = start <= doc[end].head.i < end or doc[start:end].root.head.i == end
        follows = end + 1 < len(doc) and doc[end + 1].pos_ in {"NOUN", "PROPN", "ADJ", "NUM", "SYM"}
        if inside and not follows and not doc[end].is_sent_start:
            end += 1
    return Mention(start, end, mention.label, mention.rule)
