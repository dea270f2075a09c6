"""The document's title as an entity of the text: only where the text itself writes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from spacy.tokens import Doc

from lightrag_engine.language.builtin.english.lexicon import WRITINGS
from lightrag_engine.language.builtin.english.mentions import MAX_NAME, Mention

_BRACKET = re.compile(r"\s*[(\[][^)\]]*[)\]]\s*$")
_FILE_NAME = re.compile(r"[_/\\]|\.\w{1,5}$")
# First and last word of a title may stand this many tokens apart to be its name.
_NEAR = 4


def title_mentions(doc: Doc, title: str) -> list[Mention]:
    """Return where a text writes the document's title: literally, before its comma, or first to last word.

    A title that comes from a file name, or that is an ordinary word, is not a name and gives nothing.
    """
    plain = " ".join(_BRACKET.sub("", title).split())
    if not 1 < len(plain) <= MAX_NAME or _FILE_NAME.search(plain) or not any(c.isupper() for c in plain):
        return []
    for name in dict.fromkeys((plain, plain.split(",")[0].strip())):
        found = _literal(doc, name)
        if found and is_of_a_text(plain):
            return [replace(mention, label="WORK_OF_ART") for mention in found]
        if found:
            return found
    return _first_to_last(doc, plain.split())


def _literal(doc: Doc, name: str) -> list[Mention]:
    if len(name) < 2:
        return []
    found = []
    for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", doc.text, re.IGNORECASE):
        span = doc.char_span(*match.span())
        if span is not None and span.text[:1].isupper():
            found.append(Mention(span.start, span.end, _label(doc, span.start, span.end), "title"))
    # An ordinary word ("Overview") is never a proper noun in the running text.
    named = any(t.pos_ == "PROPN" or t.ent_type_ for m in found for t in doc[m.start : m.end])
    return found if named or " " in name else []


def _label(doc: Doc, start: int, end: int) -> str:
    root = doc[start:end].root
    return root.ent_type_ if root.ent_type_ not in {"", "DATE", "CARDINAL", "ORDINAL", "TIME"} else "MISC"


def _first_to_last(doc: Doc, words: Sequence[str]) -> list[Mention]:
    if len(words) < 2 or not (words[0][0].isupper() and words[-1][0].isupper()) or words[-1].startswith("("):
        return []
    first, last = words[0].strip(",."), words[-1].strip(",.")
    for token in doc:
        if token.text != first or token.pos_ != "PROPN":
            continue
        near = doc[token.i + 1 : token.i + 1 + _NEAR]
        end = next((t.i + 1 for t in near if t.text == last and t.pos_ == "PROPN"), None)
        if end is not None and all(t.pos_ in {"PROPN", "PUNCT", "ADP", "DET"} for t in doc[token.i : end]):
            return [Mention(token.i, end, _label(doc, token.i, end), "title")]
    return []


def is_of_a_text(title: str) -> bool:
    """Whether a title says what kind of text it heads ("A History of …"): it names the text."""
    words = title.casefold().split()
    kept = words[1:] if words[:1] and words[0] in {"a", "an", "the"} else words
    return "of" in kept[1:4] and any(word in WRITINGS for word in kept[: kept.index("of")])


def is_natural(title: str) -> bool:
    """Whether a title reads like one a person wrote, not like a file name."""
    return bool(title.strip()) and not _FILE_NAME.search(title) and any(c.isupper() for c in title)
