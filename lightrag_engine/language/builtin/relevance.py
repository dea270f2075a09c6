"""Whether a context holds an answer at all, judged against questions that it surely does not answer."""

from __future__ import annotations

from lightrag_engine.embedding.base import Vectors

# Set on 120 questions of HotpotQA and MuSiQue, asked of their own passages and of those of three others.
_STANDS_OUT = 3.2
_HALF_SURE = 1.5
_COVERED = 0.6
_KNOWN = 0.52
_TOUCHED = 0.2


def nearness(question: Vectors, controls: Vectors, sentences: Vectors) -> Vectors:
    """Return how near each sentence is to the question, beyond what it is to any question; shape ``(n,)``.

    Some sentences, short ones above all, are near to everything: from each similarity the mean similarity of
    the control questions to that sentence is taken away.
    """
    near: Vectors = (question @ sentences.T)[0] - (controls @ sentences.T).mean(axis=0)
    return near


def standing_out(question: Vectors, controls: Vectors, sentences: Vectors) -> float:
    """Return by how many deviations the question is nearer to some sentence than chance has it.

    The best `nearness` of the question is compared with that of every control question, measured against the
    other control questions.

    Parameters
    ----------
    question
        Shape ``(1, d)``, unit length.
    controls
        Shape ``(c, d)``, c at least 2.
    sentences
        Shape ``(n, d)``, n at least 1.

    Returns
    -------
    float
        (the question's figure - mean of the controls') / standard deviation of the controls', the last at
        least 0.01.
    """
    chance = controls @ sentences.T
    others = (chance.sum(axis=0) - chance) / (len(chance) - 1)
    usual = (chance - others).max(axis=1)
    own = nearness(question, controls, sentences).max()
    return float((own - usual.mean()) / max(float(usual.std()), 0.01))


def is_relevant(covered: float, known: float, stands_out: float | None) -> bool:
    """Decide whether an answer may be given.

    Parameters
    ----------
    covered
        Share of the question's terms, by rarity, in the best sentence.
    known
        The same share in the whole context.
    stands_out
        See `standing_out`; None without an embedding.
    """
    if stands_out is None:
        return covered >= _COVERED or (covered >= _TOUCHED and known >= _KNOWN)
    if stands_out >= _STANDS_OUT:
        return True
    return stands_out >= _HALF_SURE and (covered >= _TOUCHED or known >= _KNOWN)
