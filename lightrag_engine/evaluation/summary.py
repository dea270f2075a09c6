"""What a run shows: a row a variant, win rates, and what became better or worse since an earlier run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from lightrag_engine.evaluation.runs import Run, SetAnswer
from lightrag_engine.evaluation.statistics import Duel, Share, WinRate, wilson, win_rates
from lightrag_engine.language.base import CANNOT_ANSWER

HOLDS = "expected answer"
FINDS = "expected passages"
# Differences of a share below this are none: a third of three passages written in binary.
_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class VariantSummary:
    """A variant (code) over all questions of a run.

    Means leave out what failed, and are None where nothing can be measured. `held` is the share of questions
    whose answer holds everything expected, of those that expect something.
    """

    variant: str
    answered: int
    failed: int
    unanswerable: int
    held: Share | None
    recall: float | None
    coverage: float | None
    support: float | None
    retrieval_seconds: float | None
    seconds: float | None
    prompt_tokens: float | None
    answer_tokens: float | None


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The rows and win rates of a run; `disagreements` of `rulings` came out otherwise in the other order."""

    variants: tuple[VariantSummary, ...]
    win_rates: tuple[WinRate, ...]
    rulings: int
    disagreements: int
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one answer since an earlier run: `better` or worse, and by which measure."""

    question: str
    variant: str
    measure: str
    before: float
    after: float

    @property
    def better(self) -> bool:
        """Whether it is more than before."""
        return self.after > self.before


@dataclass(frozen=True, slots=True)
class RunChange:
    """Two runs of a set beside each other, over the questions and variants that both have.

    `same` counts the answers with measures of which none changed, `reworded` those whose text did.
    """

    better: tuple[Change, ...]
    worse: tuple[Change, ...]
    same: int
    reworded: int
    compared: int


def summarise_run(run: Run) -> RunSummary:
    """Return the table and the win rates of a run, as far as it has come."""
    judged = [duel for _, verdict in run.verdicts for duel in verdict.duels]
    criteria = [verdict for _, pair in run.verdicts for verdict in pair.criteria]
    problems = dict.fromkeys(pair.problem for _, pair in run.verdicts if pair.problem)
    return RunSummary(
        tuple(_row(variant, [a for a in run.answers if a.variant == variant]) for variant in run.variants),
        win_rates([*judged, *_measured_duels(run)]),
        len(criteria),
        sum(not verdict.agreed for verdict in criteria),
        tuple(problems),
    )


def compare_runs(earlier: Run, later: Run) -> RunChange:
    """Return what became better and worse from one run of a set to another."""
    before = _by_question(earlier)
    changes: list[Change] = []
    same = reworded = compared = 0
    for key, now in _by_question(later).items():
        then = before.get(key)
        if then is None:
            continue
        compared += 1
        reworded += then.text != now.text
        found = [Change(*key, measure, a, b) for measure, a, b in _changed(then, now)]
        changes += found
        same += not found
    return RunChange(
        tuple(change for change in changes if change.better),
        tuple(change for change in changes if not change.better),
        same,
        reworded,
        compared,
    )


def _row(variant: str, answers: Sequence[SetAnswer]) -> VariantSummary:
    good = [answer for answer in answers if not answer.error]
    expecting = [answer.held for answer in good if answer.held is not None]
    return VariantSummary(
        variant=variant,
        answered=len(good),
        failed=len(answers) - len(good),
        unanswerable=sum(answer.text.strip() == CANNOT_ANSWER for answer in good),
        held=wilson(sum(value >= 1 for value in expecting), len(expecting)),
        recall=_mean(answer.recall for answer in good),
        coverage=_mean(answer.coverage for answer in good),
        support=_mean(answer.support for answer in good),
        retrieval_seconds=_mean(answer.retrieval_seconds for answer in good),
        seconds=_mean(answer.seconds for answer in good),
        prompt_tokens=_mean(answer.prompt_tokens for answer in good),
        answer_tokens=_mean(answer.answer_tokens for answer in good),
    )


def _measured_duels(run: Run) -> Iterator[Duel]:
    """Yield who holds more of the expected answer, and who found more of the expected passages."""
    for position in range(len(run.questions)):
        answers = [a for v in run.variants if (a := run.answer(position, v)) and not a.error]
        for first, second in combinations(answers, 2):
            shares = ((HOLDS, first.held, second.held), (FINDS, first.recall, second.recall))
            for criterion, one, other in shares:
                if one is not None and other is not None:
                    tie = abs(one - other) < _EQUAL
                    winner = "" if tie else first.variant if one > other else second.variant
                    yield Duel(criterion, first.variant, second.variant, winner)


def _changed(then: SetAnswer, now: SetAnswer) -> Iterator[tuple[str, float, float]]:
    pairs = ((HOLDS, then.held, now.held), (FINDS, then.recall, now.recall))
    for measure, before, after in pairs:
        if before is not None and after is not None and abs(before - after) >= _EQUAL:
            yield measure, before, after


def _by_question(run: Run) -> dict[tuple[str, str], SetAnswer]:
    return {(run.questions[a.question].text, a.variant): a for a in run.answers if not a.error}


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
