"""Repairing the tagger's spans: what belongs to a name and what does not."""

from __future__ import annotations

from spacy.tokens import Doc, Span, Token

from lightrag_engine.language.builtin.english import lexicon

_EDGE_POS = frozenset({"DET", "PUNCT", "SPACE", "PART", "PRON", "ADP", "SCONJ", "CCONJ", "AUX"})


def repair(span: Span) -> Span | None:
    doc = span.doc
    bracket = next((t.i for t in span if t.text in {"(", "["} and t.i > span.start), span.end)
    trimmed = _trim(doc, span.start, bracket)
    if trimmed is None:
        return None
    start, end = _extend(doc, *trimmed)
    start, end = join_hyphens(doc, start, end)
    start = join_of(doc, start, end)
    start = strip_honorific(doc, start, end)
    first = doc[start]
    capital = any(t.text[:1].isupper() or (t.text[:1].isdigit() and end - start > 1) for t in doc[start:end])
    if not capital or (end - start == 1 and (is_generic(first) or first.lower_ in lexicon.KINDS)):
        return None
    return doc[start:end]


def is_generic(token: Token) -> bool:
    word = token.lower_
    if word in lexicon.ROLE_WORDS or word in lexicon.VAGUE or word == "government":
        return True
    return token.is_stop or word.startswith("'") or not any(c.isalpha() for c in word)


def _trim(doc: Doc, start: int, end: int) -> tuple[int, int] | None:
    """Take determiners, possessives, quotes and punctuation off both ends; None when nothing is left."""
    while start < end and (
        doc[start].pos_ in _EDGE_POS or doc[start].is_quote or not any(c.isalnum() for c in doc[start].text)
    ):
        if (
            doc[start].text[:1].isupper()
            and doc[start].pos_ in {"ADP", "PRON"}
            and end - start > 1
            and start != doc[start].sent.start
        ):
            break
        start += 1
    while end > start and (
        doc[end - 1].lower_ in {"'s", "’s", "'", "’"}
        or doc[end - 1].is_quote
        or doc[end - 1].pos_ in {"SPACE", "ADP", "CCONJ", "DET"}
        or not any(c.isalnum() or c in ")!." for c in doc[end - 1].text)
    ):
        end -= 1
    if end > start and doc[end - 1].text in {".", "!", ")"} and not _balanced(doc[start:end].text):
        end -= 1
    return (start, end) if end > start else None


def _balanced(text: str) -> bool:
    return text.endswith(")") and text.count("(") == text.count(")")


def is_name_part(token: Token) -> bool:
    """A capitalised proper noun, or a noun that the text capitalises as one ("the Ghost")."""
    return token.pos_ == "PROPN" and token.text[:1].isupper() and token.text[:1].isalpha()


def _extend(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """Take in adjacent capitalised proper nouns of the same compound."""
    root = doc[start:end].root
    while start and is_name_part(doc[start - 1]) and doc[start - 1].dep_ in {"compound", "nmod"}:
        if doc[start - 1].ent_type_ or not start <= doc[start - 1].head.i < end or is_generic(doc[start - 1]):
            break
        start -= 1
    while end < len(doc) and is_name_part(doc[end]) and not doc[end].ent_type_ and not is_generic(doc[end]):
        if root.dep_ not in {"compound", "nmod"} or root.head.i != doc[end].i:
            break
        end += 1
        root = doc[end - 1]
    return start, end


def join_hyphens(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """Join unspaced hyphens: "Devi" of "Devi-Kanya" is half a name."""
    while end + 1 < len(doc) and doc[end].text in {"-", "–"} and not doc[end].whitespace_:
        if doc[end - 1].whitespace_ or not doc[end + 1].text[:1].isupper() or doc[end + 1].is_digit:
            break
        end += 2
    while start > 1 and doc[start - 1].text in {"-", "–"} and not doc[start - 1].whitespace_:
        if doc[start - 2].whitespace_ or not doc[start - 2].text[:1].isupper():
            break
        start -= 2
    return start, end


def join_of(doc: Doc, start: int, end: int) -> int:
    """Join "University of X", "Bay of X", "Ghost of X": where the name starts."""
    of = start - 1
    if of > 0 and doc[of].lower_ == "the":
        of -= 1
    if of < 1 or doc[of].lower_ != "of" or not is_name_part(doc[of - 1]) or doc[of].head.i != of - 1:
        return start
    first = of - 1
    if is_generic(doc[first]) or doc[first].lower_ in {"north", "south", "east", "west"}:
        return start
    while (
        first
        and is_name_part(doc[first - 1])
        and doc[first - 1].dep_ == "compound"
        and not is_generic(doc[first - 1])
    ):
        first -= 1
    return first


def strip_honorific(doc: Doc, start: int, end: int) -> int:
    """Strip honorifics of persons, except the one that tells "Mrs. Smith" from "Smith"."""
    if end - start > 1 and doc[start].lower_ in lexicon.EPITHETS and doc[end - 1].ent_type_ in {"PERSON", ""}:
        start += 1
    while end - start > 1 and _is_honorific(doc[start]):
        if doc[start:end].root.ent_type_ not in {"PERSON", ""} or _kept(doc, start, end):
            break
        start += 1
    if start and end - start == 1 and doc[start].ent_type_ == "PERSON" and _kept(doc, start - 1, end):
        start -= 1
    return start


def _is_honorific(token: Token) -> bool:
    word = token.lower_.rstrip(".")
    known = word in lexicon.HONORIFICS or word.removesuffix("s") in lexicon.HONORIFICS
    return known and token.pos_ == "PROPN" and token.nbor().pos_ == "PROPN"


def _kept(doc: Doc, start: int, end: int) -> bool:
    word = doc[start]
    return end - start == 2 and word.text[:1].isupper() and word.lower_.rstrip(".") in lexicon.KEPT_HONORIFICS
