"""Finding what to mark in a text: mentions of entities, sentences that an answer used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lightrag_engine.sentences import sentence_texts, split_sentences

USED = "used"
GAP = "gap"
_BREAK = re.compile(r"(?<=[^\n])\n(?=[^\n])")
_SENTENCE_ENDS = ".!?:;。！？：；"
_SHORTEST_WIDTH = 40  # characters of a line that a page has cut; lists and verses are narrower
_FULL_LINE = 0.6
_STARTS_A_LINE = re.compile(r"\s|[-*+•–—|#>]|\(?\w{1,3}[.)]\s|$")


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text to mark: offsets, and why (an entity type, or `USED`)."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of text as it is drawn; `kind` is empty for plain text, `GAP` where text was left out.

    `entity` is the key of the entity that it names, where that can be opened.
    """

    text: str
    kind: str = ""
    entity: str = ""


def mentions(text: str, names: Mapping[str, str]) -> list[Span]:
    """Return where names stand in a text, longest names first, without overlaps, in order.

    Parameters
    ----------
    text
        The text to search.
    names
        Spelling to entity type.

    Notes
    -----
    Case is ignored. A name that begins or ends with a letter of a script with spaces between words must
    stand as a whole word; Chinese and Japanese names may stand anywhere.
    """
    spellings = {name.casefold(): kind for name, kind in names.items() if name.strip()}
    if not spellings:
        return []
    pattern = "|".join(_bounded(name) for name in sorted(names, key=len, reverse=True) if name.strip())
    return [
        Span(found.start(), found.end(), spellings.get(found.group().casefold(), ""))
        for found in re.finditer(pattern, text, re.IGNORECASE)
    ]


def _bounded(name: str) -> str:
    left = r"(?<!\w)" if _is_spaced(name[0]) else ""
    right = r"(?!\w)" if _is_spaced(name[-1]) else ""
    return f"{left}{re.escape(name)}{right}"


def _is_spaced(char: str) -> bool:
    # U+2E80 is where the scripts written without spaces (Han, kana, …) begin; Hangul has spaces but
    # glues particles to nouns, so it counts as unspaced too.
    return char.isalnum() and ord(char) < 0x2E80


def occurrences(text: str, parts: Iterable[str], kind: str = USED) -> list[Span]:
    """Return where the given literal parts stand in a text, overlaps joined; parts not found are left out."""
    found = [(text.find(part), len(part)) for part in parts if part]
    spans: list[Span] = []
    for start, length in sorted(place for place in found if place[0] >= 0):
        if spans and start <= spans[-1].end:
            spans[-1] = Span(spans[-1].start, max(spans[-1].end, start + length), kind)
        else:
            spans.append(Span(start, start + length, kind))
    return spans


def segments(text: str, spans: Sequence[Span]) -> list[Segment]:
    """Cut a text into plain and marked segments; joined they give the text back.

    `spans` must be in order and must not overlap.
    """
    pieces: list[Segment] = []
    position = 0
    for span in spans:
        if span.start > position:
            pieces.append(Segment(text[position : span.start]))
        pieces.append(Segment(text[span.start : span.end], span.kind))
        position = span.end
    if position < len(text):
        pieces.append(Segment(text[position:]))
    return pieces


def excerpt(text: str, spans: Sequence[Span], limit: int = 600) -> list[Segment]:
    """Return the sentences around the marks, about `limit` characters, with gaps where text is left out.

    Without marks it is the beginning of the text.
    """
    chosen: list[tuple[int, int]] = []
    length = 0
    for start, end in split_sentences(text):
        wanted = any(span.start < end and span.end > start for span in spans) if spans else True
        if wanted and (length < limit or not chosen):
            chosen.append((start, end))
            length += end - start
    pieces: list[Segment] = []
    previous = 0
    for start, end in chosen:
        between = text[previous:start]
        if between.strip():
            pieces.append(Segment(" … ", GAP))
        elif pieces:
            pieces.append(Segment(between))
        inside = [
            Span(max(span.start, start) - start, min(span.end, end) - start, span.kind)
            for span in spans
            if span.start < end and span.end > start
        ]
        pieces.extend(segments(text[start:end], inside))
        previous = end
    if text[previous:].strip():
        pieces.append(Segment(" …", GAP))
    return pieces


def joined(pieces: Sequence[Segment]) -> list[Segment]:
    r"""Return segments with the line breaks taken out that only a page's width has made.

    Such a break comes at the end of a line about as long as the others, or before a small letter. A break
    beside a blank line, or before a list item, a heading, a table row or an indented line, is always kept. A
    hyphen at the end of a line stays: whether it is part of the word is not known.

    Examples
    --------
    >>> "".join(piece.text for piece in joined([Segment("The\nprogramme of "), Segment("Mara", "person")]))
    'The programme of Mara'
    """
    text = "".join(piece.text for piece in pieces)
    width = _line_width(text)
    soft = {found.start() for found in _BREAK.finditer(text) if _is_soft(text, found.start(), width)}
    result, position = [], 0
    for piece in pieces:
        drawn = "".join(
            _joint(text, position + offset) if position + offset in soft else char
            for offset, char in enumerate(piece.text)
        )
        position += len(piece.text)
        result.append(Segment(drawn, piece.kind, piece.entity))
    return result


def _line_width(text: str) -> int:
    lengths = sorted(len(line) for line in text.split("\n") if line.strip())
    return lengths[len(lengths) * 3 // 4] if lengths else 0


def _is_soft(text: str, at: int, width: int) -> bool:
    before = text[text.rfind("\n", 0, at) + 1 : at].rstrip()
    end = text.find("\n", at + 1)
    after = text[at + 1 : end if end >= 0 else len(text)]
    if not before or _STARTS_A_LINE.match(after) or "|" in before or before.startswith("#"):
        return False
    if before[-1] not in _SENTENCE_ENDS and after[0].islower():
        return True
    return width >= _SHORTEST_WIDTH and len(before) >= _FULL_LINE * width


def _joint(text: str, at: int) -> str:
    # Scripts without spaces between words are joined without one; a space that is there is enough.
    around = text[at - 1], text[at + 1]
    spaced = all(ord(char) < 0x2E80 for char in around)
    return " " if spaced and not any(char.isspace() for char in around) else ""


def sentences_with(text: str, names: Sequence[Iterable[str]]) -> list[str]:
    """Return the sentences that name every one of the given things, each given as its spellings."""
    return [
        sentence
        for sentence in sentence_texts(text)
        if all(mentions(sentence, dict.fromkeys(spellings, "")) for spellings in names)
    ]
