"""Related pairs that the whole text shows: names inside names, the title, the main country."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from lightrag_engine.language.builtin.english.countries import country_of
from lightrag_engine.language.builtin.english.pairs import Link
from lightrag_engine.language.builtin.english.paths import carrying_words, path
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

_NEAR = 20
_LEAD_BONUS = 0.5
_DOMINANT_SHARE = 1 / 2
# What a sentence about the title is likely to relate it to.
_TITLE_PARTNERS = {
    "PERSON": ORGS | WORKS | PERSONS | PLACES | EVENTS,
    "ORG": PERSONS | PLACES | ORGS | WORKS,
    "WORK_OF_ART": PERSONS | ORGS | WORKS,
    "PRODUCT": PERSONS | ORGS,
    "EVENT": PLACES | ORGS | EVENTS,
    "GPE": PLACES,
    "LOC": PLACES,
    "FAC": PLACES | ORGS | PERSONS,
}
# The same where only "it" or "the company" stands for the title: what is right often enough.
_REFERRING_PARTNERS = {"PERSON": PLACES | WORKS | EVENTS, "ORG": WORKS, "WORK_OF_ART": PERSONS | ORGS}


def document_links(scene: Scene) -> Iterator[Link]:
    """Yield the links that need more than one sentence's grammar."""
    yield from _inside(scene)
    if scene.title is not None:
        yield from _title(scene, scene.title)
    # A country that a story mentions in passing is not what the story is about.
    if not scene.narrative:
        yield from _country(scene)
        if scene.title is not None:
            yield from _region(scene, scene.title)
            yield from _elsewhere(scene, scene.title)


def _inside(scene: Scene) -> Iterator[Link]:
    """The name of a place, people or organization inside another name."""
    words = [tuple(node.name.casefold().split()) for node in scene.nodes]
    for i, node in enumerate(scene.nodes):
        if node.label not in PLACES | ORGS or len(words[i]) < 2:
            continue
        parts = {words[i][s:e] for s in range(len(words[i])) for e in range(s + 1, len(words[i]) + 1)}
        for j, other in enumerate(scene.nodes):
            telling = other.label in PLACES | PEOPLES or (other.label in ORGS and len(words[j]) > 1)
            if i != j and telling and len(words[j]) < len(words[i]) and words[j] in parts:
                sentence = scene.doc[node.mentions[0].start].sent.start
                yield Link(i, j, "name_in_name", sentence, ())


def _title(scene: Scene, title: int) -> Iterator[Link]:
    label = scene.nodes[title].label
    partners = _TITLE_PARTNERS.get(label, frozenset())
    for number, sentence in enumerate(scene.sentences):
        subject = next((p for p in sentence.places if p.node == title and _is_subject(p)), None)
        for place in sentence.places:
            if place.node == title:
                continue
            other = scene.nodes[place.node].label
            if other in DATES and number == 0 and scene.opening and label in ORGS | WORKS | EVENTS:
                yield Link(title, place.node, "title_date", sentence.start, _words(subject, place))
            elif other in partners and subject is not None:
                near = abs(place.start - subject.start) <= _NEAR
                if not subject.referring:
                    yield Link(title, place.node, "title_subject", sentence.start, _words(subject, place))
                elif near and other in _REFERRING_PARTNERS.get(label, frozenset()):
                    rule = "title_noun" if subject.root.pos_ == "NOUN" else "title_pronoun"
                    yield Link(title, place.node, rule, sentence.start, _words(subject, place))


def _region(scene: Scene, title: int) -> Iterator[Link]:
    """The districts, regions and states of a place's lead, with the places and organizations of the text."""
    if not scene.opening or scene.nodes[title].label not in PLACES:
        return
    named = [i for i, node in enumerate(scene.nodes) if country_of(node.name) is None and i != title]
    lead = {p.node for p in scene.sentences[0].places}
    regions = [i for i in named if i in lead and scene.nodes[i].label in STATES]
    for sentence in scene.sentences:
        for place in sentence.places:
            if place.node in named and scene.nodes[place.node].label in PLACES | ORGS:
                for region in regions:
                    if region != place.node:
                        yield Link(place.node, region, "region", sentence.start, ())


def _elsewhere(scene: Scene, title: int) -> Iterator[Link]:
    """A work, with the persons and organizations of the sentences that name no other work."""
    if scene.nodes[title].label not in WORKS:
        return
    for sentence in scene.sentences:
        others = [(p.node, scene.nodes[p.node].label) for p in sentence.places if p.node != title]
        if not {label for _, label in others} & WORKS:
            for node, label in others:
                if label in PERSONS | ORGS:
                    yield Link(title, node, "title_elsewhere", sentence.start, ())


def _is_subject(place: Place) -> bool:
    return place.root.dep_ in {"nsubj", "nsubjpass"} and place.root.head.dep_ in {"ROOT", "conj"}


def _words(subject: Place | None, place: Place) -> tuple[str, ...]:
    found = path(subject.root, place.root) if subject is not None else None
    return carrying_words(found) if found is not None else ()


def _country(scene: Scene) -> Iterator[Link]:
    """The dominant country with what its sentences name, and with places and organizations elsewhere."""
    countries = [country_of(node.name) for node in scene.nodes]
    votes: defaultdict[str, float] = defaultdict(float)
    for sentence in scene.sentences:
        for place in sentence.places:
            country = countries[place.node]
            if country is not None:
                lead = _LEAD_BONUS if scene.opening and sentence.start == 0 else 0.0
                votes[country] += 1.0 + lead
    dominant = max(votes, key=lambda name: votes[name], default="")
    if votes[dominant] <= 1.0:  # named once, and not where the document begins
        return
    share = votes[dominant] / sum(votes.values())
    # Of the country's own names the land stands for it rather than the people.
    own = [i for i, name in enumerate(countries) if name == dominant]
    land = min(own, key=lambda i: (scene.nodes[i].label in PEOPLES, i))
    for sentence in scene.sentences:
        yield from _of_country(scene, sentence, countries, dominant, land, share)


def _of_country(
    scene: Scene, sentence: Sentence, countries: list[str | None], dominant: str, land: int, share: float
) -> Iterator[Link]:
    named = {countries[p.node] for p in sentence.places} - {None}
    here = dominant in named
    if not here and named:
        return
    # A text that names a people only ("American") is less about the land.
    elsewhere = share >= _DOMINANT_SHARE and scene.nodes[land].label in PLACES
    for place in sentence.places:
        label = scene.nodes[place.node].label
        if countries[place.node] is not None or place.referring:
            continue
        if here and (label in PLACES | ORGS | PERSONS or place.node == scene.title):
            yield Link(place.node, land, "country_here", sentence.start, ())
        elif not here and label in PLACES:
            yield Link(place.node, land, "country_places", sentence.start, ())
        elif not here and label in ORGS and elsewhere:
            yield Link(place.node, land, "country_organizations", sentence.start, ())
        elif not here and label in PERSONS and elsewhere:
            yield Link(place.node, land, "country_persons", sentence.start, ())
