"""Answers by choice: the sentences of the context that fit a question best, each with its citation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lightrag_engine.embedding.base import EmbeddingModel, Vectors
from lightrag_engine.language.base import CANNOT_ANSWER
from lightrag_engine.language.builtin.asked_names import absent_names, asked_names, is_namesake
from lightrag_engine.language.builtin.evidence import (
    Candidate,
    asked_for,
    asks_post,
    candidates,
    fits,
    is_overview,
    is_whole,
)
from lightrag_engine.language.builtin.layout import lay_out, layout
from lightrag_engine.language.builtin.matching import coverage, match_terms, rarities
from lightrag_engine.language.builtin.relating import asked_ends, connecting
from lightrag_engine.language.builtin.relevance import is_relevant, nearness, standing_out
from lightrag_engine.records import Keywords
from lightrag_engine.retrieval.context import Context

_EMBEDDED = 60  # candidates whose vectors are made
_EMBEDDED_BLINDLY = 150  # the same, when no word of the question is in the context
# Weight of a word that is nowhere in the context, against the rarest that is: what a question names must be
# there, while what it says of it may be worded differently.
_UNSEEN_NAME = 2.0
_UNSEEN = 0.7
_GOOD = 0.5  # share of the best score that a sentence needs
_GOOD_BLINDLY = 0.7  # the same, when only similarity speaks for it
_REPEATED = 0.75  # share of a sentence's terms that the chosen ones already have
_SIMILAR = 0.8  # weight of similarity against words


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates that are worth a closer look, best first by words alone; both lists in the same order.

    `is_settled`: chosen by what the question asks for, so that similarity has no say.
    """

    candidates: tuple[Candidate, ...]
    scores: tuple[float, ...]
    covered: float
    known: float
    is_settled: bool = False

    def texts(self) -> list[str]:
        """Return the sentences for comparing, each after the one it refers back to.

        Where no word of the question leads to a sentence, it has to speak for itself.
        """
        if not self.covered:
            return [candidate.text for candidate in self.candidates]
        return [f"{c.before} {c.text}".strip() for c in self.candidates]


_NOTHING = Ranking((), (), 0.0, 0.0)


def rank(question: str, keywords: Keywords, context: Context) -> Ranking:
    """Rank the sentences of a context by the words they share with a question.

    Parameters
    ----------
    question
        As asked.
    keywords
        Its keywords; what low-level keywords name counts even when the question only says "it".
    context
        The retrieved tables.
    """
    found = candidates(context)
    if is_overview(question):
        return _by_centrality(found)
    absent = absent_names(question, _texts(context, found))
    if absent and len(absent) == len(asked_names(question)):
        return _NOTHING
    found = [c for c in found if not any(is_namesake(name, f"{c.before} {c.text}") for name in absent)]
    ends = asked_ends(question)
    chain = connecting(ends, found, context) if ends and not absent else []
    if chain:
        scores = tuple(max(1.0 - 0.02 * place, _GOOD) for place in range(len(chain)))
        return Ranking(tuple(chain), scores, 1.0, 1.0, is_settled=True)
    rarity = rarities(candidate.terms for candidate in found)
    rarest = max(rarity.values(), default=1.0)
    asked = dict.fromkeys([*match_terms(question), *(t for k in keywords.low_level for t in match_terms(k))])
    names = {term for keyword in keywords.low_level for term in match_terms(keyword)}
    wanted: Mapping[str, float] = {
        term: rarity.get(term, rarest * (_UNSEEN_NAME if term in names else _UNSEEN)) for term in asked
    }
    phrases = [keyword.casefold() for keyword in keywords.low_level]
    kind = asked_for(question)
    post = asks_post(question)
    scored = [(fits(c, wanted, phrases, kind, context.entity_rows, post), c) for c in found]
    scored.sort(key=lambda pair: (-pair[0], pair[1].order))
    covered = max((coverage(wanted, set(c.terms | c.inherited)) for c in found), default=0.0)
    keep = _EMBEDDED if covered else _EMBEDDED_BLINDLY
    return Ranking(
        tuple(candidate for _, candidate in scored[:keep]),
        tuple(score for score, _ in scored[:keep]),
        covered,
        coverage(wanted, set(rarity).union(*(c.inherited for c in found))),
    )


def _texts(context: Context, found: Sequence[Candidate]) -> Iterator[str]:
    """Yield everything that the context writes."""
    for candidate in found:
        yield candidate.text
    for entity in context.entity_rows:
        yield f"{entity.entity} {entity.description}"
    for relation in context.relation_rows:
        yield f"{relation.source} {relation.target} {relation.description}"
    for source in context.source_rows:
        yield source.document


def _by_centrality(found: Sequence[Candidate]) -> Ranking:
    """Rank sentences by how much they share with all others: for questions about the whole."""
    counts = Counter(term for candidate in found for term in candidate.terms)
    whole = [c for c in found if len(c.terms) > 3 and is_whole(c.text)] or found
    central = {c: sum(counts[t] - 1 for t in c.terms) / (len(c.terms) + 5) for c in whole}
    best = sorted(central, key=lambda c: (-central[c], c.order))[:_EMBEDDED]
    return Ranking(tuple(best), tuple(central[c] for c in best), 1.0, 1.0, is_settled=True)


async def similarities(
    question: str, texts: Sequence[str], embedding: EmbeddingModel
) -> tuple[Vectors, Vectors]:
    """Return the vectors of the question, shape ``(1, d)``, and of the sentences, shape ``(n, d)``."""
    return await embedding.embed([question], "query"), await embedding.embed(texts, "passage")


def compose(
    ranking: Ranking,
    response_type: str,
    vectors: tuple[Vectors, Vectors] | None = None,
    controls: Vectors | None = None,
) -> list[str]:
    """Write the answer.

    Parameters
    ----------
    ranking
        From `rank`.
    response_type
        "Multiple Paragraphs", "Single Paragraph", "Bullet Points", or any other wish.
    vectors
        Of the question and of the ranked sentences, from `similarities`.
    controls
        Of questions that the context does not answer.

    Returns
    -------
    list of str
        The pieces of the text, in order; exactly `CANNOT_ANSWER` when nothing in the context fits.
    """
    scores = np.array(ranking.scores, dtype=np.float64)
    outstanding = None
    if vectors is not None and controls is not None and len(scores) and not ranking.is_settled:
        question, sentences = vectors
        outstanding = standing_out(question, controls, sentences)
        # Half way between the two: plain similarity favours sentences that are near to everything.
        near = (nearness(question, controls, sentences) + (question @ sentences.T)[0]) / 2
        scores += _SIMILAR * _relative(near)
    if not len(scores) or not is_relevant(ranking.covered, ranking.known, outstanding):
        return [CANNOT_ANSWER]
    wanted = layout(response_type)
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], ranking.candidates[i].order))
    least = scores[order[0]] * (_GOOD if ranking.covered else _GOOD_BLINDLY)
    chosen: list[int] = []
    said: set[str] = set()
    for i in order:
        terms = set(ranking.candidates[i].terms)
        if scores[i] < least or len(chosen) == wanted.sentences:
            break
        if len(terms & said) < _REPEATED * len(terms):
            chosen.append(i)
            said |= terms
    return list(lay_out([ranking.candidates[i] for i in chosen], [float(scores[i]) for i in chosen], wanted))


def _relative(similar: Vectors) -> npt.NDArray[np.float64]:
    """Return similarities between 0 (the middle of this context, or below) and 1 (its best)."""
    middle = float(np.median(similar))
    spread = max(float(similar.max()) - middle, 0.02)
    return np.clip((similar.astype(np.float64) - middle) / spread, 0.0, 1.0)
