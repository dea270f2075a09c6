"""Nodes and links -> the records of a chunk, each with its evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from lightrag_engine.language.builtin.english.evidence import Source
from lightrag_engine.language.builtin.english.names import Node
from lightrag_engine.language.builtin.english.pairs import Link
from lightrag_engine.language.builtin.english.rules import RULES, Rule
from lightrag_engine.language.builtin.english.scene import DATES, Scene, Sentence
from lightrag_engine.language.builtin.types import entity_type
from lightrag_engine.records import EntityRecord, RelationRecord
from lightrag_engine.settings import Settings

_MAX_KEYWORDS = 4
_MAX_SENTENCES = 2


def usable(links: Iterable[Link], used: Sequence[Rule]) -> list[Link]:
    """Return the links of the rules in use, the most trusted rule first."""
    order = {rule.name: rank for rank, rule in enumerate(used)}
    return sorted(
        (link for link in links if link.rule in order), key=lambda link: (order[link.rule], link.sentence)
    )


def entity_records(
    scene: Scene, links: Sequence[Link], source: Source, chunk_id: str, settings: Settings
) -> tuple[EntityRecord, ...]:
    """Return one record a node; its description is the sentence that says most of it."""
    sentences = {s.start: s for s in scene.sentences}
    linked = {end for link in links for end in (link.a, link.b)}
    return tuple(
        EntityRecord(
            node.name,
            entity_type(node.label, settings),
            _best_sentence(scene, node, sentences, source),
            chunk_id,
            node.mentions[0].rule,
        )
        for i, node in enumerate(scene.nodes)
        if i in linked or _stands_alone(scene, node)
    )


def _stands_alone(scene: Scene, node: Node) -> bool:
    """Whether an unrelated node is worth keeping: a capital in a story, seen once, mostly is emphasis."""
    if node.mentions[0].rule == "term":
        return len(node.mentions) > 1
    return (
        not scene.narrative
        or node.label in DATES
        or len(node.mentions) > 1
        or (node.label != "MISC" and " " in node.name)
    )


def _best_sentence(scene: Scene, node: Node, sentences: dict[int, Sentence], source: Source) -> str:
    """The sentence in which the node is subject, others are named and the length is that of a statement."""

    def score(position: int) -> tuple[float, int]:
        mention = node.mentions[position]
        sentence = sentences[scene.doc[mention.start].sent.start]
        root = scene.doc[mention.start : mention.end].root
        subject = 2.0 if root.dep_ in {"nsubj", "nsubjpass"} else 0.0
        defined = 2.0 if subject and root.head.lemma_ == "be" else 0.0
        others = min(len({p.node for p in sentence.places}) - 1, 2) * 0.5
        fitting = 1.0 if 6 <= sentence.end - sentence.start <= 40 else 0.0
        return subject + defined + others + fitting, -position

    mention = node.mentions[max(range(len(node.mentions)), key=score)]
    sentence = scene.doc[mention.start].sent
    return source.text(sentence.start, sentence.end, mention.start)


def relation_records(
    scene: Scene, links: Iterable[Link], source: Source, chunk_id: str
) -> tuple[RelationRecord, ...]:
    """Return one record a related pair: the first rule that fits names it, every sentence adds its weight.

    `links` are ordered by `usable`.
    """
    pairs: dict[tuple[int, int], list[Link]] = defaultdict(list)
    for link in links:
        pairs[min(link.a, link.b), max(link.a, link.b)].append(link)
    return tuple(_record(scene, found, source, chunk_id) for _, found in sorted(pairs.items()))


def _record(scene: Scene, links: Sequence[Link], source: Source, chunk_id: str) -> RelationRecord:
    best = links[0]
    weights: dict[int, float] = {}
    for link in links:
        weights.setdefault(link.sentence, RULES[link.rule].weight)
    words = tuple(dict.fromkeys(word for link in links for word in link.words))[:_MAX_KEYWORDS]
    evidence = [_evidence(scene, start, source) for start in list(weights)[:_MAX_SENTENCES]]
    return RelationRecord(
        scene.nodes[best.a].name,
        scene.nodes[best.b].name,
        " ".join(dict.fromkeys(evidence)),
        words or (RULES[best.rule].keyword,),
        round(sum(weights.values()), 2),
        chunk_id,
        best.rule,
    )


def _evidence(scene: Scene, start: int, source: Source) -> str:
    sentence = scene.doc[start].sent
    return source.text(sentence.start, sentence.end)
