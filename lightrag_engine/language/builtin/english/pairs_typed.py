"""Related pairs of names whose types belong together, where one sentence of a factual text names both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from lightrag_engine.language.builtin.english.lexicon import DWELLING
from lightrag_engine.language.builtin.english.pairs import Link
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
    ORGS,
    PEOPLES,
    PERSONS,
    PLACES,
    STATES,
    WORKS,
    Place,
    Scene,
    Sentence,
)

_ANY = 40
_BESIDE = 5


@dataclass(frozen=True, slots=True)
class _Fit:
    """A rule: the types of the two ends, in either order, and how near to each other they must stand.

    `clauses` is how many clause and list borders may lie between, `tokens` how many words, `others` how many
    other names.
    """

    rule: str
    one: frozenset[str]
    other: frozenset[str]
    clauses: int = 1
    tokens: int = _ANY
    others: int = _ANY

    def holds(self, labels: tuple[str, str], clauses: int, tokens: int, others: int) -> bool:
        """Whether two names that stand so are related by this rule."""
        first, second = labels
        fitting = (first in self.one and second in self.other) or (second in self.one and first in self.other)
        return fitting and clauses <= self.clauses and tokens <= self.tokens and others <= self.others


_FITS = (
    _Fit("work_maker", WORKS, PERSONS | ORGS),
    _Fit("dated_thing", WORKS | EVENTS, DATES, clauses=0),
    _Fit("event_part", EVENTS, PERSONS | ORGS, clauses=3),
    _Fit("place_in_place", PLACES, PLACES - STATES, clauses=2),
    _Fit("seat", ORGS, PLACES, tokens=12, others=0),
    _Fit("post", ORGS, PERSONS, tokens=12, others=0),
)


def typed_links(scene: Scene) -> Iterator[Link]:
    """Yield the links between names of fitting types; none in stories, where types say less than meetings."""
    if scene.narrative:
        return
    for number, sentence in enumerate(scene.sentences):
        lead = scene.opening and number == 0
        for i, j in combinations(range(len(sentence.places)), 2):
            a, b = sentence.places[i], sentence.places[j]
            found = path(a.root, b.root) if a.node != b.node else None
            if found is not None:
                words = carrying_words(found)
                for rule in _rules(scene, a, b, found, _between(scene, sentence, i, j), lead):
                    yield Link(a.node, b.node, rule, sentence.start, words)


def _between(scene: Scene, sentence: Sentence, i: int, j: int) -> list[str]:
    ends = {sentence.places[i].node, sentence.places[j].node}
    return [scene.nodes[p.node].label for p in sentence.places[i + 1 : j] if p.node not in ends]


def _rules(scene: Scene, a: Place, b: Place, found: Path, between: list[str], lead: bool) -> Iterator[str]:
    labels = (scene.nodes[a.node].label, scene.nodes[b.node].label)
    pair = set(labels)
    if scene.title in {a.node, b.node}:
        title, other = labels if scene.title == a.node else labels[::-1]
        if title in WORKS and other in PERSONS | ORGS:
            yield "title_work"
    clauses, tokens = clauses_between(found), b.start - a.end
    told = lead and _peoples(scene) == 1
    # "the Dutch painter Ann": who is named before a people is somebody else.
    beside = labels[0] in PEOPLES and tokens <= _BESIDE and not between
    if pair & PERSONS and pair & PEOPLES and (told or beside):
        yield "nationality"
    if lead and pair & PERSONS and pair & ORGS:
        yield "post"
    name = relation_class(found)
    if labels[0] in PERSONS and labels[1] in PLACES and name == "subject-prep" and _dwells(found):
        yield "home"
    if name != "list":
        yield from (fit.rule for fit in _FITS if fit.holds(labels, clauses, tokens, len(between)))


def _peoples(scene: Scene) -> int:
    """How many peoples the first sentence names: whose each of several is, it takes grammar to tell."""
    return len({p.node for p in scene.sentences[0].places if scene.nodes[p.node].label in PEOPLES})


def _dwells(found: Path) -> bool:
    return any(token.lemma_.lower() in DWELLING for token in (*found.between, found.top))
