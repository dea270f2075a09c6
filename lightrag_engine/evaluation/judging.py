"""A model as judge: every pair of answers in both orders, so that the place of an answer decides nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from lightrag_engine.errors import LightRAGError
from lightrag_engine.evaluation.statistics import Duel
from lightrag_engine.language.base import Judge, LanguageModel
from lightrag_engine.language.by_task import LanguageByTask
from lightrag_engine.records import CRITERIA, Ruling

NO_JUDGE = (
    "No chat model is in use, and the built-in language cannot judge: choose one in the settings, or name "
    "one as the judge, to have answers weighed. The measures here need none."
)


@dataclass(frozen=True, slots=True)
class CriterionVerdict:
    """What a judge says of a pair by one criterion, asked twice.

    `winner` is a variant's code, "" for a tie. `agreed` is False when the two orders did not name the same
    winner: that counts as a tie. `said` is what was said in each order (a code, "" for a tie), `reasons` why.
    """

    criterion: str
    winner: str
    agreed: bool
    said: tuple[str, str]
    reasons: tuple[str, str]


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """A pair of variants (codes) judged in both orders; `problem` says why there is nothing."""

    first: str
    second: str
    criteria: tuple[CriterionVerdict, ...] = ()
    problem: str = ""

    @property
    def duels(self) -> tuple[Duel, ...]:
        """The pair as cases for win rates."""
        return tuple(Duel(c.criterion, self.first, self.second, c.winner) for c in self.criteria)


@dataclass(frozen=True, slots=True)
class Judgement:
    """All pairs of a comparison, by the model `judge`; `missing` says why nobody judged."""

    judge: str
    pairs: tuple[PairVerdict, ...] = ()
    missing: str = ""

    @property
    def disagreements(self) -> int:
        """How many rulings came out another way in the other order."""
        return sum(not verdict.agreed for pair in self.pairs for verdict in pair.criteria)

    @property
    def rulings(self) -> int:
        """How many rulings there are."""
        return sum(len(pair.criteria) for pair in self.pairs)


def judge_of(language: LanguageModel) -> Judge | None:
    """Return who judges where this language answers; None when it is no chat model."""
    answering = language.answering if isinstance(language, LanguageByTask) else language
    return answering if isinstance(answering, Judge) else None


async def judge_pairs(
    judge: Judge,
    question: str,
    answers: Sequence[tuple[str, str]],
    on_pair: Callable[[PairVerdict], None] | None = None,
) -> tuple[PairVerdict, ...]:
    """Judge every two of the answers, given as (variant's code, text), all at the same time.

    `on_pair` hears of each pair as it is done. What a pair fails with stands in its `problem`.
    """

    async def one(first: tuple[str, str], second: tuple[str, str]) -> PairVerdict:
        verdict = await judge_pair(judge, question, first, second)
        if on_pair is not None:
            on_pair(verdict)
        return verdict

    return tuple(await asyncio.gather(*(one(a, b) for a, b in combinations(answers, 2))))


async def judge_pair(
    judge: Judge, question: str, first: tuple[str, str], second: tuple[str, str]
) -> PairVerdict:
    """Judge two answers in both orders."""
    names = (first[0], second[0])
    try:
        forth, back = await asyncio.gather(
            judge.judge(question, first[1], second[1]), judge.judge(question, second[1], first[1])
        )
    except LightRAGError as error:
        return PairVerdict(*names, problem=f"{error} {error.hint}".strip())
    criteria = combined(names, forth, back)
    lacking = [c for c in CRITERIA if c not in {verdict.criterion for verdict in criteria}]
    problem = f"The judge did not rule on {', '.join(lacking)} in both orders." if lacking else ""
    return PairVerdict(*names, criteria, problem)


def combined(
    names: tuple[str, str], forth: Sequence[Ruling], back: Sequence[Ruling]
) -> tuple[CriterionVerdict, ...]:
    """Return the verdicts by what was said in both orders, `back` having seen the second answer first."""
    there = {ruling.criterion: ruling for ruling in forth}
    here = {ruling.criterion: ruling for ruling in back}
    verdicts = []
    for criterion in CRITERIA:
        if criterion in there and criterion in here:
            one, other = there[criterion], here[criterion]
            said = (("", *names)[one.winner], ("", names[1], names[0])[other.winner])
            agreed = said[0] == said[1]
            verdicts.append(
                CriterionVerdict(
                    criterion, said[0] if agreed else "", agreed, said, (one.reason, other.reason)
                )
            )
    return tuple(verdicts)


def judged_line(judgement: Judgement) -> str:
    """Return who judged, and how far the two orders agree, in a line."""
    return (
        f"Judged by {judgement.judge}. Of {judgement.rulings} rulings {judgement.disagreements} came out "
        "another way when the answers changed places; those count as ties."
    )
