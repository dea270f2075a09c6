"""How two mentions of a sentence hang together in its dependency tree."""

from __future__ import annotations

from dataclasses import dataclass

from spacy.tokens import Token

from lightrag_engine.language.builtin.english.lexicon import EMPTY_WORDS, ROLE_WORDS, SPEECH

_MAX_DEPTH = 12
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_INNER = ("compound", "nmod", "amod", "poss")
_CLAUSES = frozenset({"ccomp", "advcl", "relcl", "parataxis", "csubj", "csubjpass", "conj", "acl", "pcomp"})


@dataclass(frozen=True, slots=True)
class Path:
    """The way from one head word up to the lowest common one and down to the other.

    `up` and `down` are the dependency labels from either end to below that common word; one is empty when
    an end is that word itself. `between` are the words on the way without the ends, in the text's order.
    """

    up: tuple[str, ...]
    down: tuple[str, ...]
    between: tuple[Token, ...]
    top: Token


def path(a: Token, b: Token) -> Path | None:
    """Return the dependency path between two words of one sentence, or None when it is too long."""
    chain_a, chain_b = _chain(a), _chain(b)
    place = {token.i: depth for depth, token in enumerate(chain_a)}
    for depth, token in enumerate(chain_b):
        if token.i in place:
            up, down = chain_a[: place[token.i]], chain_b[:depth]
            between = {t.i: t for t in (*up[1:], *down[1:], token) if t.i not in {a.i, b.i}}
            words = tuple(between[i] for i in sorted(between))
            return Path(tuple(t.dep_ for t in up), tuple(t.dep_ for t in down), words, token)
    return None


def _chain(token: Token) -> list[Token]:
    chain = [token]
    while chain[-1].head.i != chain[-1].i and len(chain) < _MAX_DEPTH:
        chain.append(chain[-1].head)
    return chain


def relation_class(found: Path) -> str:
    """Name the grammatical relation of a path: "" when a clause or a list lies between the ends.

    One of: apposition, list, compound, possessive, noun-prep-noun, copula, subject-object, agent,
    subject-prep, object-prep.
    """
    up, down = sorted((found.up, found.down), key=len)
    if not up:
        return _below(down)
    if all(dep in {"conj", "appos"} for dep in up + down):
        return "list"
    subject, other = (up, down) if up[-1] in _SUBJECTS else (down, up)
    if subject[-1] in _SUBJECTS and len(subject) == 1:
        return _of_subject(other)
    if up[-1] in {"dobj", "attr"} and down[-2:] == ("pobj", "prep") and len(up) == 1 and len(down) == 2:
        return "object-prep"
    if down[-1] in {"dobj", "attr"} and up[-2:] == ("pobj", "prep") and len(up) == 2 and len(down) == 1:
        return "object-prep"
    return ""


def _below(down: tuple[str, ...]) -> str:
    if not down:
        return ""
    if down == ("appos",):
        return "apposition"
    if all(dep == "conj" for dep in down):
        return "list"
    tail = down[:-1] if down[-1] == "appos" else down
    if tail in {("compound",), ("nmod",), ("amod",)}:
        return "compound"
    if tail == ("poss",):
        return "possessive"
    if tail in {("pobj", "prep"), ("pobj", "prep", "acl")}:
        return "noun-prep-noun"
    if tail == ("pobj", "agent", "acl"):
        return "agent"
    return ""


def _of_subject(other: tuple[str, ...]) -> str:
    inner = other[1:] if other[0] in _INNER else other
    if inner in {("attr",), ("pobj", "prep", "attr")}:
        return "copula"
    if inner in {("dobj",), ("dative",)}:
        return "subject-object"
    if inner == ("pobj", "agent"):
        return "agent"
    if inner in {("pobj", "prep"), ("pobj", "prep", "dobj"), ("pobj", "dative")}:
        return "subject-prep"
    return ""


def clauses_between(found: Path) -> int:
    """Count the clause and list borders on a path."""
    return sum(dep in _CLAUSES for dep in (*found.up, *found.down))


def carrying_words(found: Path, limit: int = 4) -> tuple[str, ...]:
    """Return the lemmas of the verbs, nouns and telling adjectives on a path, at most `limit`.

    When none is on the way, the verb above it speaks for the relation.
    """
    words = [token for token in found.between if _tells(token)]
    if not words:
        verb = found.top
        while verb.pos_ not in {"VERB", "AUX"} and verb.head.i != verb.i:
            verb = verb.head
        if verb.lemma_ in SPEECH:
            return ("speak",)
        words = [verb] if _tells(verb) else []
    return tuple(dict.fromkeys(_keyword(token) for token in words))[:limit]


def _tells(token: Token) -> bool:
    return (
        (token.pos_ in {"VERB", "NOUN"} or (token.pos_ == "PROPN" and token.lower_ in ROLE_WORDS))
        and token.lemma_.lower() not in EMPTY_WORDS
        and len(token.lemma_) > 2
        and token.lemma_.replace("-", "").isalpha()
    )


def _keyword(token: Token) -> str:
    particle = next((child for child in token.children if child.dep_ == "prt"), None)
    lemma = token.lemma_.lower()
    return f"{lemma} {particle.lower_}" if particle is not None and particle.text.isalpha() else lemma
