"""Related pairs that one sentence shows: the rules A, B, C, H, I, S and L (see `rules`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from spacy.tokens import Token

from lightrag_engine.language.builtin.english import lexicon
from lightrag_engine.language.builtin.english.paths import (
    Path,
    carrying_words,
    clauses_between,
    path,
    relation_class,
)
from lightrag_engine.language.builtin.english.scene import (
    DATES,
    EVENTS,
    NUMBERS,
    ORGS,
    PERSONS,
    PLACES,
    TERMS,
    WORKS,
    Place,
    Scene,
    Sentence,
    gap,
)

# Names farther apart than this share a sentence, not a statement.
_MAX_DISTANCE = 25
_MAX_CLAUSES = 2
_BRACKET = 25


@dataclass(frozen=True, slots=True)
class Link:
    """Two nodes (indices) that a rule relates; `sentence` is the token where the evidence starts."""

    a: int
    b: int
    rule: str
    sentence: int
    words: tuple[str, ...]


def sentence_links(scene: Scene) -> Iterator[Link]:
    """Yield the links within sentences: for every two places the first rule that fits."""
    for sentence in scene.sentences:
        yield from _life_dates(scene, sentence)
        places = sentence.places
        for i, a in enumerate(places):
            for b in places[i + 1 :]:
                found = _relate(scene, a, b) if a.node != b.node else None
                if found is not None:
                    yield Link(a.node, b.node, found[0], sentence.start, found[1])


def nearest_names(scene: Scene, links: Iterable[Link]) -> Iterator[Link]:
    """N: a name that no link reaches and the nearest name of its sentence; in stories, the nearest person."""
    linked = {end for link in links for end in (link.a, link.b)}
    for sentence in scene.sentences:
        names = [p for p in sentence.places if not p.referring and _is_anchor(scene, p)]
        for place in sentence.places:
            label = scene.nodes[place.node].label
            others = [
                p
                for p in names
                if p.node != place.node
                and abs(p.start - place.start) <= _MAX_DISTANCE
                and (label not in DATES or p.root.dep_ in {"nsubj", "nsubjpass"})
            ]
            if (
                place.node in linked
                or label in NUMBERS | TERMS
                or (label in DATES and scene.narrative)
                or not others
                or _is_emphasis(scene, place)
            ):
                continue
            nearest = min(others, key=lambda p: (abs(p.start - place.start), p.start))
            near: Place | None = nearest
            pronoun = _person_pronoun(place.root)
            # What "he" did to somebody is no tie between this one and whoever is named next to it.
            if pronoun is not None and label in PERSONS and scene.nodes[nearest.node].label in PERSONS:
                near = _antecedent(scene, sentence, pronoun)
            if near is None or near.node == place.node:
                continue
            found = path(place.root, near.root)
            yield Link(place.node, near.node, "N", sentence.start, carrying_words(found) if found else ())


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


def _is_anchor(scene: Scene, place: Place) -> bool:
    label = scene.nodes[place.node].label
    return label in PERSONS if scene.narrative else label not in DATES | NUMBERS | TERMS


def _life_dates(scene: Scene, sentence: Sentence) -> Iterator[Link]:
    """A: the two dates in the bracket after a person's name."""
    doc = scene.doc
    for place in sentence.places:
        if scene.nodes[place.node].label not in PERSONS or place.referring:
            continue
        if place.end >= sentence.end or doc[place.end].text != "(":
            continue
        close = next(
            (t.i for t in doc[place.end : min(place.end + _BRACKET, sentence.end)] if t.text == ")"),
            place.end,
        )
        dates = [
            p for p in sentence.places if place.end < p.start < close and scene.nodes[p.node].label in DATES
        ]
        words = {t.lower_ for t in doc[place.end : close]}
        for i, date in enumerate(dates[:2]):
            dead = i == 1 or bool(words & {"died", "d.", "†"} and len(dates) == 1)
            yield Link(place.node, date.node, "A", sentence.start, ("die",) if dead else ("bear",))


def _relate(scene: Scene, a: Place, b: Place) -> tuple[str, tuple[str, ...]] | None:
    labels = (scene.nodes[a.node].label, scene.nodes[b.node].label)
    if any(label in NUMBERS for label in labels) or (labels[0] in DATES and labels[1] in DATES):
        return None
    found = path(a.root, b.root)
    if found is None:
        return None
    if labels[0] in DATES or labels[1] in DATES:
        return _dated(scene, *((b, a) if labels[0] in DATES else (a, b)), found)
    if a.referring or b.referring:
        return None
    between = gap(scene.doc, a, b)
    name = relation_class(found)
    words = carrying_words(found)
    if any(label in TERMS for label in labels):
        return ("K", words) if _terms_related(labels, name) and words else None
    rule = _precise(labels, name, between, _enumerated(scene, b)) or _looser(labels, name, between)
    told = scene.narrative or (clauses_between(found) == 0 and _of_main_verb(found))
    if rule is None and told and not (_is_emphasis(scene, a) or _is_emphasis(scene, b)):
        rule = _meeting(labels, name, found, b.start - a.end)
    return (rule, words) if rule else None


def _enumerated(scene: Scene, b: Place) -> bool:
    """Whether "and" follows: the last commas were a list's."""
    after = [t.lower_ for t in scene.doc[b.end : b.end + 2]]
    return bool(after) and (after[0] in {"and", "or"} or (after[0] == "," and after[1:] in (["and"], ["or"])))


def _terms_related(labels: tuple[str, str], name: str) -> bool:
    """K: between terms a preposition says something too; between a term and a name only a verb does."""
    if all(label in TERMS for label in labels):
        return name in {"subject-object", "agent", "copula", "subject-prep", "noun-prep-noun"}
    return name in {"subject-object", "agent", "copula"}


def _precise(labels: tuple[str, str], name: str, between: str, enumerated: bool) -> str | None:
    first, second = labels
    if between == "," and first in PLACES and second in PLACES and name != "list" and not enumerated:
        return "C1"
    if name == "apposition" and {first, second} <= PLACES | ORGS | {"NORP"} and not enumerated:
        return "C1"
    if between == "(" and first in PERSONS and second in PLACES:
        return "C2"
    if name == "noun-prep-noun":
        return "C3"
    if name == "copula":
        return "C4"
    if name == "agent" and {"PERSON"} & set(labels) and set(labels) & (WORKS | {"MISC"}):
        return "C4"
    return None


def _looser(labels: tuple[str, str], name: str, between: str) -> str | None:
    first, second = labels
    pair = set(labels)
    if name in {"possessive", "subject-object", "compound", "agent"}:
        return "H"
    if name == "object-prep" and first in PLACES and second in PLACES:
        return "H"
    if not between and name != "list" and (pair & ORGS and pair & (PLACES | PERSONS)):
        return "H"
    return None


def _of_main_verb(found: Path) -> bool:
    """Whether one end is the subject of the sentence's main verb and the other hangs below it."""
    subject = {("nsubj",), ("nsubjpass",)}
    return found.top.dep_ == "ROOT" and bool({found.up, found.down} & subject)


def _is_emphasis(scene: Scene, place: Place) -> bool:
    """A single word of no known kind, written once with a capital: in stories that mostly is emphasis."""
    node = scene.nodes[place.node]
    return node.label == "MISC" and len(node.mentions) == 1 and " " not in node.name


def _meeting(labels: tuple[str, str], name: str, found: Path, distance: int) -> str | None:
    """S and L: in prose, persons meet persons, places and occasions without more grammar than a clause."""
    if distance > _MAX_DISTANCE:
        return None
    if name == "list":
        return "L" if labels == ("PERSON", "PERSON") and clauses_between(found) == 1 else None
    if "PERSON" in labels and set(labels) <= PERSONS | PLACES | ORGS | EVENTS | WORKS | {"MISC"}:
        return "S" if clauses_between(found) <= _MAX_CLAUSES else None
    return None


def _dated(scene: Scene, thing: Place, date: Place, found: Path) -> tuple[str, tuple[str, ...]] | None:
    """B: a date whose verb has the thing as subject, or a work with its date in brackets."""
    label = scene.nodes[thing.node].label
    doc = scene.doc
    after, closing = doc[thing.end : date.start].text, doc[date.end : date.end + 1].text
    if label in WORKS and not thing.referring and after == "(" and closing in {")", ","}:
        return "B", ("release",)
    verb = _verb_of(date.root)
    if verb is None or verb.lemma_.lower() not in _verbs_for(label) or not _has_subject(verb, thing.root):
        return None
    return "B", (verb.lemma_.lower(),)


def _verbs_for(label: str) -> frozenset[str]:
    if label in PERSONS:
        return lexicon.BIRTH_DEATH
    if label in WORKS:
        return lexicon.RELEASE
    if label in ORGS | PLACES:
        return lexicon.FOUNDING
    return (
        lexicon.RELEASE | lexicon.FOUNDING
        if label == "MISC"
        else lexicon.HOLDING
        if label in EVENTS
        else frozenset()
    )


def _verb_of(token: Token) -> Token | None:
    """The verb that a date modifies, over prepositions and other dates only."""
    for _ in range(5):
        if token.head.i == token.i:
            return None
        if token.dep_ not in {
            "pobj",
            "prep",
            "npadvmod",
            "nmod",
            "appos",
            "conj",
            "nummod",
            "advmod",
            "tmod",
        }:
            return None
        token = token.head
        if token.pos_ == "VERB":
            return token
    return None


def _has_subject(verb: Token, thing: Token) -> bool:
    if any(child.i == thing.i and child.dep_ in {"nsubj", "nsubjpass"} for child in verb.children):
        return True
    if verb.dep_ == "acl" and verb.head.i == thing.i:
        return True
    # "was formed in 1990 and dissolved in 1999": the second verb shares the subject of the first.
    own = any(child.dep_ in {"nsubj", "nsubjpass"} for child in verb.children)
    return verb.dep_ == "conj" and not own and verb.head.i != verb.i and _has_subject(verb.head, thing)
