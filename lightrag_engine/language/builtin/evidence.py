"""The sentences of a context, as candidates for an answer, and how well each fits a question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from lightrag_engine.language.builtin.matching import coverage, match_terms
from lightrag_engine.language.builtin.mentions import clean
from lightrag_engine.records import EntityRow, RelationRow
from lightrag_engine.retrieval.context import Context
from lightrag_engine.sentences import sentence_texts

_MARKUP = re.compile(r"^(?:#{1,6}\s+|[-*+•>|]\s*|\d{1,3}[.)]\s+)+")
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|__|`|\*|_)(?=[^\s*_])(.+?)(?<=[^\s*_])\1(?!\w)|`(.+?)`")
# Cells between bars; a row of dashes only sets the head of a table apart.
_CELLS = re.compile(r"\s*\|\s*")
_RULED = re.compile(r"(?=.*\|)\|?(?:\s*:?-+:?\s*\|)*(?:\s*:?-+:?\s*)?")
_LONGEST_QUESTION = 500  # of which the pattern for posts is looked for: it takes quadratic time
_LONGEST_HEADING = 80
_REFERS_BACK = re.compile(
    r"(?i:he|she|it|they|his|her|its|their|this|these|that|there)\b|[他她它其此]"
    r"|[A-Z][a-z]+ [^A-Z.!?]{0,40}?\b(?:he|she|they|his|her|their)\b"  # "Before his departure he …"
)
_BEFORE = 0.5  # how much a word of the sentence before counts, where this one refers back
_ENDED = re.compile(r"[.!?…。！？；;:：।۔؟][\"'”’」』)\]]*$")
# Straight quotation marks by the letters beside them; curved ones tell by themselves.
_OPENING = re.compile(r"[“„«「『]|(?<![^\s(\[—–-])\"(?=\w|\S*\w)")
_CLOSING = re.compile(r"[”»」』]|(?<=[^\s(\[—–-])\"")
_PARTNERS = {"”": "“", "»": "«", "」": "「", "』": "『", '"': '"'}
_CLOSERS = {"“": "”", "„": "“", "«": "»", "「": "」", "『": "』", '"': '"'}
# A question that asks who does what where, and the words that say so.
_ASKS_POST = re.compile(
    r"\b(?:role|job|position|post|occupation|profession|title)\b|\bwho (?:works?|worked|is|was|are|were|"
    r"leads?|led|heads?|headed|runs?|ran|joined|directs?|directed|serves?|served)\b|"
    r"\bwhat (?:is|was) \w+.*\bdo\b|\bwhat (?:does|did) .+ do\b|"
    r"\b(?:for|where) (?:does|did|do) .+ work\b|职务|职位|担任|工作",
    re.I,
)
_HOLDS = (
    r"(?:is|was|are|were|works?|worked|joins?|joined|became|becomes|serves?|served|leads?|led|heads?|headed|"
    r"runs?|ran|directs?|directed|manages?|managed|succeeded|followed|replaced)"
)
_HIRED = (
    r"(?:works?|worked|joins?|joined|appointed|hired|employed|served|heads?|headed|leads?|led|runs?|ran|managed?|"
    r"directs?|directed|chairs?|chaired|founded|director|head|manager|president|engineer|member|secretary)"
)
# "X was", "X, who led", "X, a teacher"; "was X"; "worked for the X". What is done *with* somebody is no post.
_POST = (
    r"{name}(?:,? (?:who |which |had |has |have |still |also |later |then |\w+ly ){{0,3}}"
    + _HOLDS
    + r"\b|, (?:an?|the|its|their|his|her) |\s?[是任])"
    r"|\b(?:is|was|are|were) (?:the )?{name}|\b" + _HIRED + r"\b\W+(?:(?!with\b)\w+\W+){{0,4}}{name}"
)
_DATE = re.compile(r"\b1\d\d\d\b|\b20\d\d\b|\d年|[一二三四五六七八九十元]年|\bcentury\b|世纪")
_PERSON_LIKE = re.compile(r"\b[A-Z][a-zà-ÿ]+(?: [A-Z]\.)* [A-Z][a-zà-ÿ]+")
_PLACE_LIKE = re.compile(r"\b(?:in|at|near|from|to) (?:the )?[A-Z]|[州郡县市省国]")


class Asked(StrEnum):
    """What kind of thing a question wants."""

    PERSON = "person"
    DATE = "date"
    PLACE = "location"
    NUMBER = "number"
    ANYTHING = "anything"


_QUESTION_WORDS = (
    (
        Asked.NUMBER,
        re.compile(r"\bhow (?:many|much|old|long|far|tall)\b|多少|几个|\bwie viele?\b|\bcombien\b", re.I),
    ),
    (Asked.PERSON, re.compile(r"\bwho(?:se|m)?\b|谁|\bwer\b|\bqui\b|\bquién\b|\bкто\b|誰", re.I)),
    (
        Asked.DATE,
        re.compile(
            r"\bwhen\b|\b(?:what|which) (?:year|date)\b|何时|哪年|什么时候|\bwann\b|\bquand\b|\bкогда\b", re.I
        ),
    ),
    (
        Asked.PLACE,
        re.compile(
            r"\bwhere\b|\b(?:what|which) (?:place|city|town|country)\b|哪里|何处|\bwo\b|\boù\b|\bгде\b", re.I
        ),
    ),
)
_OVERVIEW = re.compile(
    r"\b(?:summar|overview|themes?\b|topics?\b|main ideas?\b|key points?\b)"
    r"|\b(?:is|are) .*\babout\b|主题|概括|总结|大意|讲了什么|主要内容|\bzusammenfass|\brésum",
    re.I,
)
_OVERVIEW_TERMS = frozenset(
    match_terms(
        "main major key central important top overall general document text story book file corpus "
        "collection theme topic idea point summary overview content report page information data article "
        "work author summarise summarize summarizing short brief "
        "这篇文章主要内容文章文本主题是什么概括总结大意全文这些文档"
    )
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may be part of an answer.

    `number` is the row of the sources table that holds it, 0 when none that is shown does; `order` is its
    place in the context. `before` is the sentence that this one refers back to ("She was …"), and `inherited`
    are its terms and those of the document's name.
    """

    text: str
    number: int
    document: str
    order: int
    terms: frozenset[str]
    before: str = ""
    inherited: frozenset[str] = frozenset()
    relation: RelationRow | None = None


def asked_for(question: str) -> Asked:
    """Return what a question wants, by its question word."""
    return next((kind for kind, pattern in _QUESTION_WORDS if pattern.search(question)), Asked.ANYTHING)


def is_overview(question: str) -> bool:
    """Whether a question asks for the whole: what it is about, its themes, a summary."""
    terms = match_terms(question)
    asks = _OVERVIEW.search(question) is not None
    return asks and all(term in _OVERVIEW_TERMS or _OVERVIEW.search(term) for term in terms)


def candidates(context: Context) -> list[Candidate]:
    """Return the distinct sentences of the sources, then those of relations that no shown source holds."""
    found: list[Candidate] = []
    seen: set[str] = set()
    for text, number, document, relation, before in _sentences(context):
        key = "".join(text.casefold().split())
        terms = frozenset(match_terms(text))
        if key in seen or not terms:
            continue
        seen.add(key)
        before = before if _REFERS_BACK.match(text) else ""
        inherited = frozenset([*match_terms(before), *match_terms(_stem_of(document))]) - terms
        found.append(Candidate(text, number, document, len(found), terms, before, inherited, relation))
    return found


def _plain(raw: str) -> str:
    """Return a sentence for reading: no markup, the cells of a table row joined, quotation marks in pairs."""
    text = clean(raw)
    if text.startswith("|") or text.count("|") > 1:
        text = " – ".join(cell for cell in _CELLS.split(text) if cell)
    text = _EMPHASIS.sub(lambda match: match[2] or match[3] or "", _MARKUP.sub("", text))
    return _in_pairs(text)


def _in_pairs(text: str) -> str:
    """Add the quotation mark that the cut into sentences left in another sentence, at either end.

    Examples
    --------
    >>> _in_pairs('We sail at dawn," said Quill.')
    '"We sail at dawn," said Quill.'
    """
    opening = list(_OPENING.finditer(text))
    closing = [mark for mark in _CLOSING.finditer(text) if mark.start()]
    if len(closing) == len(opening) + 1 and (not opening or closing[0].start() < opening[0].start()):
        return _PARTNERS[closing[0][0]] + text
    if len(opening) == len(closing) + 1 and (not closing or closing[-1].start() < opening[-1].start()):
        return text + _CLOSERS[opening[-1][0]]
    return text


def _is_heading(raw: str, first: bool) -> bool:
    """Whether a line names what follows instead of saying something."""
    untold = first and len(raw) <= _LONGEST_HEADING and _ENDED.search(raw.strip()) is None
    return raw.lstrip().startswith("#") or untold


def _stem_of(document: str) -> str:
    return PurePath(document).stem.replace("_", " ")


def _sentences(context: Context) -> Iterator[tuple[str, int, str, RelationRow | None, str]]:
    """Yield text, source number, document, relation and the sentence before."""
    for row in context.source_rows:
        before = ""
        pieces = sentence_texts(row.content)
        for number, raw in enumerate(pieces):
            following = pieces[number + 1] if number + 1 < len(pieces) else ""
            if _RULED.fullmatch(raw) or ("|" in raw and _RULED.fullmatch(following)):
                continue  # the head of a table says nothing by itself
            text = _plain(raw)
            if not _is_heading(raw, first=number == 0):
                yield text, row.id, row.document, None, before
            before = text
    shown = {row.chunk_id: row for row in context.source_rows}
    whole = " ".join("".join(row.content.casefold().split()) for row in context.source_rows)
    for relation in context.relation_rows:
        source = next((shown[chunk] for chunk in relation.source_ids if chunk in shown), None)
        for raw in sentence_texts(relation.description):
            if "".join(clean(raw).casefold().split()) not in whole:
                yield _plain(raw), source.id if source else 0, source.document if source else "", relation, ""


def fits(
    candidate: Candidate,
    wanted: Mapping[str, float],
    phrases: Sequence[str],
    kind: Asked,
    rows: Sequence[EntityRow],
    post: bool = False,
) -> float:
    """Return how well a sentence fits a question by its words: 0 (not at all) to about 1.8.

    Parameters
    ----------
    candidate
        The sentence.
    wanted
        The terms of the question with their rarities.
    phrases
        Keywords of the question, case-folded: found literally they count extra.
    kind
        What the question asks for; a sentence that has such a thing is preferred.
    rows
        The entities of the context; their types tell persons and places.
    post
        Whether the question asks for a post or work; a sentence that says what somebody is or does there is
        preferred over one that only has the name.
    """
    share = coverage(wanted, set(candidate.terms))
    taken_over = _BEFORE * coverage(wanted, set(candidate.inherited))
    share += taken_over if share else taken_over / 2
    if not share:
        return 0.0
    folded = f"{candidate.before} {candidate.text}".casefold()
    literal = sum(phrase in folded for phrase in phrases) / len(phrases) if phrases else 0.0
    hint = 0.25 if _has(candidate.text, kind, wanted, rows) else 0.0
    if post and _says_post(candidate.text, phrases):
        hint += 0.25
    score = share + 0.2 * literal + hint * min(1.0, 2 * share)
    if candidate.text.endswith(("?", "？")):
        score *= 0.4  # what asks answers nothing, however alike it is
    elif len(candidate.terms) < 3:
        score *= 0.6
    return score if is_whole(candidate.text) else 0.7 * score


def asks_post(question: str) -> bool:
    """Whether a question asks what somebody's role or work is, or who has it."""
    return _ASKS_POST.search(question[:_LONGEST_QUESTION]) is not None


def _says_post(text: str, phrases: Sequence[str]) -> bool:
    """Whether a text says what one of the names asked for is or does, or who does something for it."""
    return any(
        re.search(_POST.format(name=re.escape(phrase)), text, re.IGNORECASE) is not None
        for phrase in phrases
        if phrase.casefold() in text.casefold()
    )


def is_whole(text: str) -> bool:
    """Whether a sentence has its beginning and end: chunks are cut anywhere."""
    return not text[:1].islower() and _ENDED.search(text) is not None


def _has(text: str, kind: Asked, wanted: Mapping[str, float], rows: Sequence[EntityRow]) -> bool:
    if kind is Asked.DATE:
        return _DATE.search(text) is not None
    if kind is Asked.NUMBER:
        return any(char.isdigit() for char in text)
    if kind not in {Asked.PERSON, Asked.PLACE}:
        return False
    named = [row.entity for row in rows if row.type == kind.value and row.entity in text]
    pattern = _PERSON_LIKE if kind is Asked.PERSON else _PLACE_LIKE
    named += [match[0] for match in pattern.finditer(text)]
    # What the question itself names is not what it asks for.
    return any(not set(match_terms(name)) <= wanted.keys() for name in named)
