"""Mix: the passages of all ways to find them, in one order.

Three lists are fused by rank, for each finds what the others miss:

- *walk*: PageRank from the entities that the question names, and from nothing else: what is two steps away is
  found though it shares no word with the question;
- *flat*: nearest vectors and BM25: what the question says itself;
- *local*: the passages of the entities whose descriptions are nearest to the whole question.

What each contributes, and what was tried besides, stands in docs/retrieval.md and docs/benchmarks.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from lightrag_engine.records import Reason
from lightrag_engine.retrieval.found import Found, reasons_of
from lightrag_engine.retrieval.fusion import fuse
from lightrag_engine.retrieval.passage_graph import PassageGraph, Scores

DEPTH = 50  # places of a list that count
NEAREST = 20  # entities that are looked up by the whole question: further ones bring in noise
# A small constant: what leads one list stays near the top, whatever the others say.
_CONSTANT = 2.0
# Weights of walk, flat and local; without a name to start from, nearness to the question counts most.
_NAMED = (1.5, 1.0, 0.5)
_UNNAMED = (0.5, 1.0, 0.25)
_FLAT_CONSTANT = 5.0
_NEAR, _WORDS = 2.0, 1.0
_COMMON_WORD = 0.05  # of a name's share in the start: decides only where nothing else is named
_EXPLAINED = 30  # how far down the walk its ways are followed back


def mix(passages: PassageGraph, question: str, near: Found, words: Found, local: Found) -> Found:
    """Return the chunks in the order of mix, with all reasons, and the entities that the question names.

    Parameters
    ----------
    passages
        The passages with their entities.
    question
        Names in it are where the walk starts.
    near, words, local
        What the vectors of chunks, the words, and the vectors of entities found for the whole question.
    """
    walk = walked(passages, question)
    flat = fuse([(_NEAR, near.chunks), (_WORDS, words.chunks)], _FLAT_CONSTANT)
    names = any(link.is_name for link in passages.names.links(question))
    lists = (walk.chunks, flat[:DEPTH], local.chunks[:DEPTH])
    chunks = tuple(fuse(list(zip(_NAMED if names else _UNNAMED, lists, strict=True)), _CONSTANT))
    parts = (walk, local, words, near)
    return Found(walk.entities, chunks=chunks, why={chunk: reasons_of(chunk, parts) for chunk in chunks})


def walked(passages: PassageGraph, question: str) -> Found:
    """Return the entities that a question names, and the passages to which a walk from them leads."""
    seeds = _seeds(passages, question)
    scores = passages.walk(seeds)
    chunks = passages.ranked(scores, DEPTH)
    why = {
        chunk: (reason,)
        for place, chunk in enumerate(chunks[:_EXPLAINED], start=1)
        if (reason := _reason(passages, chunk, place, scores, seeds))
    }
    return Found(entities=passages.entities(seeds), chunks=tuple(chunks), why=why)


def by_words(chunks: Sequence[str]) -> Found:
    """Return chunks that were found by their words, best first."""
    return Found(chunks=tuple(chunks), why={c: (Reason("words", n),) for n, c in enumerate(chunks, start=1)})


def _seeds(passages: PassageGraph, question: str) -> dict[int, float]:
    """Return the nodes that a question names: names share alike, hubs less, namesakes share one name."""
    seeds: dict[int, float] = {}
    for link in passages.names.links(question):
        for node in link.nodes:
            share = 1 / len(link.nodes) / math.log(2 + passages.degree(node))
            share *= 1.0 if link.is_name else _COMMON_WORD
            seeds[node] = seeds.get(node, 0.0) + share
    return seeds


def _reason(
    passages: PassageGraph, chunk: str, place: int, scores: Scores, seeds: Mapping[int, float]
) -> Reason | None:
    names = passages.way(chunk, scores, seeds)
    return Reason("named" if len(names) == 1 else "path", place, names) if names else None
