"""Summaries by choice: the most telling distinct sentences of the descriptions, in their own words."""

from __future__ import annotations

from collections.abc import Sequence

from lightrag_engine import tokens
from lightrag_engine.language.builtin.matching import match_terms, overlap, rarities
from lightrag_engine.language.builtin.mentions import clean
from lightrag_engine.sentences import sentence_texts

_SAME = 0.9
_NAMED = 1.5
_MOST = 2_000  # sentences that are compared


def summarise(name: str, descriptions: Sequence[str], max_tokens: int) -> str:
    """Choose the sentences that say most about `name`, within a budget.

    A sentence scores by the terms it shares with the others (sum of count times inverse document frequency,
    by the root of its length) and by naming `name`; near repeats are left out. The result depends on the
    set of descriptions, not on their order or number.

    Parameters
    ----------
    name
        An entity, or two joined by " – ".
    descriptions
        Texts of any length.
    max_tokens
        The budget, in tokens of `lightrag_engine.tokens`.

    Returns
    -------
    str
        Whole sentences, those that name it first; empty when not one fits into the budget.
    """
    sentences = sorted({clean(s) for text in set(descriptions) for s in sentence_texts(text)} - {""})
    sentences = sentences[:_MOST]
    terms = {sentence: match_terms(sentence) for sentence in sentences}
    rarity = rarities(terms.values())
    frequency: dict[str, int] = {}
    for found in terms.values():
        for term in set(found):
            frequency[term] = frequency.get(term, 0) + 1
    parts = [part.casefold() for part in name.split(" – ") if part]

    def score(sentence: str) -> float:
        central = (
            sum(frequency[t] * rarity[t] for t in set(terms[sentence])) / (len(terms[sentence]) + 3) ** 0.5
        )
        naming = sum(part in sentence.casefold() for part in parts) / max(1, len(parts))
        return float(central * (1 + _NAMED * naming))

    ranked = sorted(sentences, key=lambda s: (-score(s), s))
    chosen: list[str] = []
    for sentence in ranked:
        distinct = all(overlap(set(terms[sentence]), set(terms[other])) < _SAME for other in chosen)
        if distinct and tokens.count(" ".join([*chosen, sentence])) <= max_tokens:
            chosen.append(sentence)
    return " ".join(chosen)
