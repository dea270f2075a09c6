"""How an extractive answer is laid out, by the response type the user asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from lightrag_engine.language.builtin.evidence import Candidate
from lightrag_engine.markdown import escape_markdown

_NUMBER = re.compile(r"\b([1-9]\d?)\b")
_MOST = 20
_LEAD = 3
_PARAGRAPH = 4


@dataclass(frozen=True, slots=True)
class Layout:
    """How many sentences, and whether as points or in how many paragraphs."""

    sentences: int
    bullets: bool = False
    paragraphs: bool = False


def layout(response_type: str) -> Layout:
    """Return the layout for a response type, any free text.

    Examples
    --------
    >>> layout("3 bullet points")
    Layout(sentences=3, bullets=True, paragraphs=False)
    """
    wish = response_type.casefold()
    number = _NUMBER.search(wish)
    bullets = any(word in wish for word in ("bullet", "list", "point", "要点", "列表"))
    if number and (bullets or "sentence" in wish):
        return Layout(min(int(number[1]), _MOST), bullets)
    if bullets:
        return Layout(6, bullets=True)
    if any(word in wish for word in ("short", "brief", "concise", "one sentence", "single sentence", "简短")):
        return Layout(2)
    if any(word in wish for word in ("single paragraph", "one paragraph", "a paragraph")):
        return Layout(4)
    if any(word in wish for word in ("report", "page", "detail", "essay", "long")):
        return Layout(14, paragraphs=True)
    return Layout(8, paragraphs=True)


def lay_out(chosen: Sequence[Candidate], scores: Sequence[float], wanted: Layout) -> Iterator[str]:
    """Yield the answer in pieces, a sentence each, as Markdown.

    Parameters
    ----------
    chosen
        The sentences, best first.
    scores
        Their scores.
    wanted
        The layout. In paragraphs the best sentences lead; the others follow by document, in the order of
        the text.
    """
    if wanted.bullets:
        for at, candidate in enumerate(chosen):
            yield ("\n" if at else "") + "- " + cited(candidate)
        return
    lead, rest = list(chosen), []
    if wanted.paragraphs:
        size = next((i for i, score in enumerate(scores) if score < 0.75 * scores[0]), len(chosen))
        size = min(size, _LEAD)
        lead, rest = lead[:size], lead[size:]
    yield from _joined(lead if wanted.paragraphs else [lead[0], *sorted(lead[1:], key=lambda c: c.order)])
    documents = list(dict.fromkeys(candidate.document for candidate in rest))
    grouped = sorted(rest, key=lambda c: (documents.index(c.document), c.order))
    named = len({candidate.document for candidate in chosen}) > 1
    for document, group in groupby(grouped, key=lambda c: c.document):
        sentences = list(group)
        for start in range(0, len(sentences), _PARAGRAPH):
            head = f"**{escape_markdown(document)}:** " if named and document and not start else ""
            yield "\n\n" + head
            yield from _joined(sentences[start : start + _PARAGRAPH])


def cited(candidate: Candidate) -> str:
    """Return a sentence as plain text in Markdown with its citation, or the relation it comes from."""
    text = escape_markdown(candidate.text)
    if candidate.number:
        return f"{text} [{candidate.number}]"
    if candidate.relation is None:
        return text
    ends = f"{candidate.relation.source} – {candidate.relation.target}"
    return f"{text} (from the graph: {escape_markdown(ends)})"


def _joined(sentences: Sequence[Candidate]) -> Iterator[str]:
    for at, candidate in enumerate(sentences):
        yield (" " if at else "") + cited(candidate)
