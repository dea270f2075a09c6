"""Related pairs that the grammar of one sentence shows, and those of stories (see `rules`)."""

from __future__ import annotations

from collections.abc import Iterator
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
    PEOPLES,
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
MAX_DISTANCE = 25
_MAX_CLAUSES = 2
_BRACKET = 25
# Classes of paths that relate names of any type.
_GRAMMAR = {
    "possessive": "possessive",
    "subject-object": "subject_object",
    "agent": "passive_agent",
}


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


def _life_dates(scene: Scene, sentence: Sentence) -> Iterator[Link]:
    """The two dates in the bracket after a person's name."""
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
            yield Link(place.node, date.node, "life_dates", sentence.start, ("die",) if dead else ("bear",))


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
        return ("terms", words) if _terms_related(labels, name) and words else None
    rule = _precise(labels, name, between, _enumerated(scene, b)) or _looser(labels, name, between)
    told = scene.narrative or (clauses_between(found) == 0 and _of_main_verb(found))
    if rule is None and told and not (is_emphasis(scene, a) or is_emphasis(scene, b)):
        rule = _meeting(labels, name, found, b.start - a.end)
    return (rule, words) if rule else None


def _enumerated(scene: Scene, b: Place) -> bool:
    """Whether "and" follows: the last commas were a list's."""
    after = [t.lower_ for t in scene.doc[b.end : b.end + 2]]
    return bool(after) and (after[0] in {"and", "or"} or (after[0] == "," and after[1:] in (["and"], ["or"])))


def _terms_related(labels: tuple[str, str], name: str) -> bool:
    """Between terms a preposition says something too; between a term and a name only a verb does."""
    if all(label in TERMS for label in labels):
        return name in {"subject-object", "agent", "copula", "subject-prep", "noun-prep-noun"}
    return name in {"subject-object", "agent", "copula"}


def _precise(labels: tuple[str, str], name: str, between: str, enumerated: bool) -> str | None:
    first, second = labels
    if between == "," and first in PLACES and second in PLACES and name != "list" and not enumerated:
        return "place_chain"
    if name == "apposition" and {first, second} <= PLACES | ORGS | PEOPLES and not enumerated:
        return "apposition"
    if between == "(" and first in PERSONS and second in PLACES:
        return "place_in_brackets"
    if name == "noun-prep-noun":
        return "noun_of_noun"
    if name == "copula":
        return "copula"
    if name == "agent" and {"PERSON"} & set(labels) and set(labels) & (WORKS | {"MISC"}):
        return "made_by"
    return None


def _looser(labels: tuple[str, str], name: str, between: str) -> str | None:
    pair = set(labels)
    if name == "compound":
        return "compound" if pair & PERSONS and pair & (ORGS | PEOPLES) else None
    if name in _GRAMMAR:
        return _GRAMMAR[name]
    if not between and name != "list" and (pair & ORGS and pair & (PLACES | PERSONS)):
        return "adjacent"
    return None


def _of_main_verb(found: Path) -> bool:
    """Whether one end is the subject of the sentence's main verb and the other hangs below it."""
    subject = {("nsubj",), ("nsubjpass",)}
    return found.top.dep_ == "ROOT" and bool({found.up, found.down} & subject)


def is_emphasis(scene: Scene, place: Place) -> bool:
    """Whether a node is one word of no known kind, written once: in stories a capital for emphasis."""
    node = scene.nodes[place.node]
    return node.label == "MISC" and len(node.mentions) == 1 and " " not in node.name


def _meeting(labels: tuple[str, str], name: str, found: Path, distance: int) -> str | None:
    """In prose, persons meet persons, places and occasions without more grammar than a clause."""
    if distance > MAX_DISTANCE:
        return None
    if name == "list":
        return "side_by_side" if labels == ("PERSON", "PERSON") and clauses_between(found) == 1 else None
    if "PERSON" in labels and set(labels) <= PERSONS | PLACES | ORGS | EVENTS | WORKS | {"MISC"}:
        return "clause_meeting" if clauses_between(found) <= _MAX_CLAUSES else None
    return None


def _dated(scene: Scene, thing: Place, date: Place, found: Path) -> tuple[str, tuple[str, ...]] | None:
    """A date whose verb has the thing as subject, or a work with its date in brackets."""
    label = scene.nodes[thing.node].label
    doc = scene.doc
    after, closing = doc[thing.end : date.start].text, doc[date.end : date.end + 1].text
    if label in WORKS and not thing.referring and after == "(" and closing in {")", ","}:
        return "dated_verb", ("release",)
    verb = _verb_of(date.root)
    if verb is None or verb.lemma_.lower() not in _verbs_for(label) or not _has_subject(verb, thing.root):
        return None
    return "dated_verb", (verb.lemma_.lower(),)


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
