"""The last resort for names that nothing else relates: whom "he" stands for, who is named next to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spacy.tokens import Token

from lightrag_engine.language.builtin.english.pairs import MAX_DISTANCE, Link, is_emphasis
from lightrag_engine.language.builtin.english.paths import carrying_words, path
from lightrag_engine.language.builtin.english.scene import (
    DATES,
    NUMBERS,
    PERSONS,
    TERMS,
    Place,
    Scene,
    Sentence,
)


def nearest_names(scene: Scene, links: Iterable[Link]) -> Iterator[Link]:
    """Yield the rules "person_pronoun" and, in stories, "nearest" for the names that no link reaches.

    The nearest person of the sentence says nothing in factual texts: there it is right once in eight times.
    """
    linked = {end for link in links for end in (link.a, link.b)}
    for sentence in scene.sentences:
        persons = [p for p in sentence.places if not p.referring and scene.nodes[p.node].label in PERSONS]
        for place in sentence.places:
            if (
                place.node in linked
                or scene.nodes[place.node].label in NUMBERS | TERMS | DATES
                or is_emphasis(scene, place)
            ):
                continue
            rule, near = _partner(scene, sentence, place, persons)
            if near is None or near.node == place.node:
                continue
            found = path(place.root, near.root)
            yield Link(place.node, near.node, rule, sentence.start, carrying_words(found) if found else ())


def _partner(
    scene: Scene, sentence: Sentence, place: Place, persons: Iterable[Place]
) -> tuple[str, Place | None]:
    others = [p for p in persons if p.node != place.node and abs(p.start - place.start) <= MAX_DISTANCE]
    pronoun = _person_pronoun(place.root) if scene.nodes[place.node].label in PERSONS else None
    # What "he" did to somebody is no tie between this one and whoever is named next to it.
    if pronoun is not None and others:
        return "person_pronoun", _antecedent(scene, sentence, pronoun)
    if not others or not scene.narrative:
        return "nearest", None
    return "nearest", min(others, key=lambda p: (abs(p.start - place.start), p.start))


def _person_pronoun(token: Token) -> Token | None:
    """Return the "he" or "she" that is subject of the clause with a name, or None."""
    while token.head.i != token.i:
        token = token.head
        subject = next((t for t in token.children if t.dep_ in {"nsubj", "nsubjpass"}), None)
        if subject is not None:
            return subject if subject.lower_ in {"he", "she"} else None
    return None


def _antecedent(scene: Scene, sentence: Sentence, pronoun: Token) -> Place | None:
    """Return whom a pronoun stands for: the title where it does, else the person who is subject before it.

    Only this sentence and the one before are looked at; None when no person is subject there.
    """
    at = scene.sentences.index(sentence)
    near = [p for s in scene.sentences[max(0, at - 1) : at + 1] for p in s.places if p.start <= pronoun.i]
    if any(p.referring and p.start == pronoun.i for p in near):
        return next(p for p in near if p.referring and p.start == pronoun.i)
    subjects = [
        p
        for p in near
        if scene.nodes[p.node].label in PERSONS and p.root.dep_ in {"nsubj", "nsubjpass"} and not p.referring
    ]
    return subjects[-1] if subjects else None
