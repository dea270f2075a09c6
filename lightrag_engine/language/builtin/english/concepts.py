"""Terms of the text that are no names: recurring noun phrases such as "lithium battery" or "air quality"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spacy.tokens import Doc, Token

from lightrag_engine.language.builtin.english.lexicon import (
    EMPTY_WORDS,
    HE_SHE,
    I_YOU,
    KINDS,
    TECHNICAL,
    VAGUE,
)
from lightrag_engine.language.builtin.english.mentions import MAX_NAME, Mention
from lightrag_engine.language.builtin.english.names import Node
from lightrag_engine.language.builtin.english.scene import share_of, words_of

# A text with fewer names than this in a hundred words speaks of things rather than of persons and places.
_SPARSE = 3.0
# So does one in which so many phrases recur.
_TECHNICAL = 3
# Above this share of personal pronouns a frequent noun is a thing of the story, no concept.
_PERSONAL_SHARE = 0.02
# Above so many a text speaks of names.
_DENSE = 5.0
_MAX_TERMS = 12
_MAX_TERMS_TECHNICAL = 30
_MAX_THEMES = 8
_MAX_WORDS = 3


@dataclass(frozen=True, slots=True)
class Term:
    """A noun phrase: its singular form and where it stands."""

    name: str
    mentions: tuple[Mention, ...]
    words: int


def find_terms(doc: Doc, covered: set[int]) -> list[Term]:
    """Return the noun phrases outside of names, most frequent first; the longer of two equals first."""
    found: dict[str, list[Mention]] = defaultdict(list)
    for tokens in _phrases(doc, covered):
        name = " ".join([*(_written(t) for t in tokens[:-1]), _singular(tokens[-1])])
        if len(name) <= MAX_NAME:
            label = "TECHNOLOGY" if tokens[-1].lemma_.lower() in TECHNICAL else "CONCEPT"
            found[name].append(Mention(tokens[0].i, tokens[-1].i + 1, label, "term"))
    terms = [Term(name, tuple(mentions), name.count(" ") + 1) for name, mentions in found.items()]
    return sorted(terms, key=lambda t: (-len(t.mentions) * t.words, -t.words, t.mentions[0].start))


def _phrases(doc: Doc, covered: set[int]) -> Iterator[list[Token]]:
    for head in doc:
        if head.pos_ != "NOUN" or head.i in covered or head.dep_ == "compound" or not _is_word(head):
            continue
        start = head.i
        while start > head.sent.start and head.i - start < _MAX_WORDS - 1 and start - 1 not in covered:
            before = doc[start - 1]
            modifies = start <= before.head.i <= head.i and before.dep_ in {"compound", "amod", "nmod"}
            if not modifies or before.pos_ not in {"NOUN", "ADJ", "PROPN"} or not _is_word(before):
                break
            start -= 1
        yield [doc[i] for i in range(start, head.i + 1)]


def _is_word(token: Token) -> bool:
    word = token.text.replace("-", "")
    lemma = token.lemma_.lower()
    return (
        word.isalpha()
        and len(word) > 2
        and not token.is_stop
        and lemma not in EMPTY_WORDS
        and lemma not in VAGUE
    )


def _written(token: Token) -> str:
    return token.text if sum(c.isupper() for c in token.text) > 1 else token.lower_


def _singular(token: Token) -> str:
    return token.text if sum(c.isupper() for c in token.text) > 1 else token.lemma_.lower()


def term_nodes(doc: Doc, terms: Sequence[Term], names: int, narrative: bool) -> list[Node]:
    """Choose the terms that become entities: those that recur, and more of them where the text has few names.

    Stories get none while they have names: what recurs in them is "poor boy" and "old man".
    """
    if narrative and names:
        return []
    words = sum(token.is_alpha for token in doc) or 1
    recurring = sum(term.words > 1 and len(term.mentions) > 1 for term in terms)
    # Beside many names a phrase has to come back more often to be worth an entity.
    dense = 100 * names / words > _DENSE
    technical = 100 * names / words < _SPARSE or recurring >= _TECHNICAL
    personal = share_of(words_of(doc), I_YOU | HE_SHE) > _PERSONAL_SHARE
    chosen = [t for t in terms if _is_terminological(doc, t, technical) and (t.words > 1 or not personal)]
    chosen = [t for t in chosen if not dense or len(t.mentions) > 2]
    frequent = [t.name for t in chosen if len(t.mentions) > 1]
    # "Heat pump transfer" beside "heat pump": a verb that the tagger took for a noun.
    chosen = [
        t for t in chosen if not any(t.name.startswith(f"{name} ") for name in frequent if name != t.name)
    ]
    limit = _MAX_TERMS_TECHNICAL if technical else _MAX_TERMS
    return [Node(term.name, term.mentions[0].label, term.mentions) for term in chosen[:limit]]


def _is_terminological(doc: Doc, term: Term, technical: bool) -> bool:
    count = len(term.mentions)
    first = term.mentions[0]
    if term.words == 1:
        return technical and count > 2 and term.name not in KINDS
    compound = any(t.dep_ == "compound" and t.pos_ == "NOUN" for t in doc[first.start : first.end - 1])
    return count > 2 or (compound and (technical or count > 1))


def themes(terms: Sequence[Term], headings: Sequence[str], narrative: bool) -> tuple[str, ...]:
    """Return what a chunk is about: its headings, then its weightiest noun phrases."""
    titles = [t for t in headings if 2 < len(t) <= 60 and 2 * sum(c.isupper() for c in t) < len(t)]
    phrases = [t.name for t in terms if t.words > 1 and (len(t.mentions) > 1 or not narrative)]
    single = [t.name for t in terms if t.words == 1 and len(t.mentions) > 1]
    return tuple(dict.fromkeys([*titles[:3], *phrases[:5], *single[:4], *phrases[5:]]))[:_MAX_THEMES]
