"""Runs of question sets: what is kept of each answer, so that an interrupted run goes on where it was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from lightrag_engine.documents.clean import clean, one_line
from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.evaluation.comparing import VariantResult
from lightrag_engine.evaluation.judging import CriterionVerdict, PairVerdict
from lightrag_engine.evaluation.measures import measure_answer
from lightrag_engine.evaluation.questions import Question, held, recall
from lightrag_engine.names import content_id
from lightrag_engine.storage.base import KeyValueStore


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A named list of questions, kept in the workspace. `changed_at` is seconds since the epoch."""

    id: str
    name: str
    questions: tuple[Question, ...]
    changed_at: float


@dataclass(frozen=True, slots=True)
class SetAnswer:
    """What is kept of one answer of a run.

    `recall` is the share of the expected passages among the sources, `held` that of the expected texts in the
    answer, both None where nothing is expected; `coverage` and `support` as in `AnswerMeasures`. An answer
    with an `error` is tried again when the run goes on.
    """

    question: int
    variant: str
    text: str
    sources: tuple[str, ...] = ()
    recall: float | None = None
    held: float | None = None
    coverage: float | None = None
    support: float | None = None
    retrieval_seconds: float = 0.0
    first_word_seconds: float = 0.0
    seconds: float = 0.0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A question set asked in some variants (codes): the questions as they were, and what has come so far.

    `verdicts` holds, by the position of the question, the pairs that were judged. `finished_at` is 0 until
    everything has come. Times are seconds since the epoch.
    """

    id: str
    set_id: str
    set_name: str
    questions: tuple[Question, ...]
    variants: tuple[str, ...]
    judge: bool
    judge_name: str = ""
    language: str = ""
    embedding: str = ""
    revision: int = 0
    started_at: float = 0.0
    finished_at: float = 0.0
    settings: Mapping[str, str] = field(default_factory=dict)
    answers: tuple[SetAnswer, ...] = ()
    verdicts: tuple[tuple[int, PairVerdict], ...] = ()

    @property
    def total(self) -> int:
        """How many answers it takes."""
        return len(self.questions) * len(self.variants)

    @property
    def done(self) -> int:
        """How many answers have come, without those that failed."""
        return sum(not answer.error for answer in self.answers)

    def answer(self, question: int, variant: str) -> SetAnswer | None:
        """Return the answer of a variant to a question, by its position."""
        return next((a for a in self.answers if a.question == question and a.variant == variant), None)

    def lacking(self, question: int) -> tuple[str, ...]:
        """Return the variants that have not answered a question yet."""
        answered = {a.variant for a in self.answers if a.question == question and not a.error}
        return tuple(variant for variant in self.variants if variant not in answered)


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is: answers `done` of `total`, and the question that is being asked or judged."""

    run_id: str
    done: int
    total: int
    question: str = ""
    doing: str = "answering"


async def set_answer(
    question: int, asked: Question, result: VariantResult, embedding: EmbeddingModel
) -> SetAnswer:
    """Return what is kept of a variant's result; raises `ModelError` as `measure_answer` does."""
    context = result.context
    error = f"{result.error} {result.hint}".strip() if result.error else ""
    if context is None or result.answer is None or error:
        return SetAnswer(question, str(result.variant), result.text, error=error or "There was no answer.")
    measures = await measure_answer(result.answer, embedding)
    return SetAnswer(
        question=question,
        variant=str(result.variant),
        text=result.text,
        sources=tuple(row.chunk_id for row in context.source_rows),
        recall=recall(context.source_rows, asked.passages),
        held=held(result.text, asked.expected),
        coverage=measures.coverage,
        support=measures.support,
        retrieval_seconds=result.retrieval_seconds,
        first_word_seconds=result.first_word_seconds,
        seconds=result.seconds,
        prompt_tokens=result.prompt_tokens,
        answer_tokens=result.answer_tokens,
    )


class RunStore:
    """Question sets and runs in a workspace; answers and verdicts are rows of their own, kept one by one."""

    def __init__(self, sets: KeyValueStore, runs: KeyValueStore, parts: KeyValueStore) -> None:
        self._sets, self._runs, self._parts = sets, runs, parts

    def save_set(self, name: str, questions: Iterable[Question], now: float) -> QuestionSet:
        """Keep a question set; one of the same name is replaced."""
        name = one_line(name) or "Questions"
        kept = QuestionSet(content_id("set", name), name, tuple(map(_clean, questions)), now)
        self._sets.put_many({kept.id: asdict(kept)})
        return kept

    def sets(self) -> tuple[QuestionSet, ...]:
        """Return the question sets, by name."""
        kept = self._sets.get_many(list(self._sets.keys())).values()
        loaded = (QuestionSet(**{**v, "questions": _questions(v["questions"])}) for v in kept)
        return tuple(sorted(loaded, key=lambda one: one.name.casefold()))

    def delete_set(self, set_id: str) -> None:
        """Drop a question set and its runs."""
        for run in self.runs(set_id):
            self.delete_run(run.id)
        self._sets.delete_many([set_id])

    def begin(self, run: Run) -> None:
        """Keep a run's description."""
        value = asdict(replace(run, answers=(), verdicts=()))
        self._runs.put_many({run.id: value})

    def put_answer(self, run_id: str, answer: SetAnswer) -> None:
        """Keep an answer; one to the same question by the same variant is replaced."""
        key = f"{run_id} answer {answer.question:06d} {answer.variant}"
        self._parts.put_many({key: asdict(answer)})

    def put_verdict(self, run_id: str, question: int, verdict: PairVerdict) -> None:
        """Keep a verdict."""
        key = f"{run_id} verdict {question:06d} {verdict.first} {verdict.second}"
        self._parts.put_many({key: {"question": question, "verdict": asdict(verdict)}})

    def finish(self, run_id: str, now: float) -> None:
        """Note that everything has come."""
        value = self._runs.get(run_id)
        if value is not None:
            self._runs.put_many({run_id: {**value, "finished_at": now}})

    def run(self, run_id: str) -> Run | None:
        """Return a run with all that has come; None when there is none."""
        value = self._runs.get(run_id)
        if value is None:
            return None
        parts = self._parts.get_many(self._part_keys(run_id))
        answers = [v for key, v in sorted(parts.items()) if key.startswith(f"{run_id} answer ")]
        verdicts = [v for key, v in sorted(parts.items()) if key.startswith(f"{run_id} verdict ")]
        return replace(
            _described(value),
            answers=tuple(SetAnswer(**{**v, "sources": tuple(v["sources"])}) for v in answers),
            verdicts=tuple((v["question"], _verdict(v["verdict"])) for v in verdicts),
        )

    def runs(self, set_id: str) -> tuple[Run, ...]:
        """Return the runs of a set without their answers, newest first."""
        kept = self._runs.get_many(list(self._runs.keys())).values()
        found = [_described(value) for value in kept if value["set_id"] == set_id]
        return tuple(sorted(found, key=lambda run: (-run.started_at, run.id)))

    def delete_run(self, run_id: str) -> None:
        """Drop a run."""
        self._parts.delete_many(self._part_keys(run_id))
        self._runs.delete_many([run_id])

    def _part_keys(self, run_id: str) -> list[str]:
        return list(filter(lambda key: key.startswith(f"{run_id} "), self._parts.keys()))


def answers_to(run: Run, question: int) -> tuple[tuple[str, str], ...]:
    """Return the answers to a question as (variant's code, text), for a judge."""
    found = (run.answer(question, variant) for variant in run.variants)
    return tuple((answer.variant, answer.text) for answer in found if answer and not answer.error)


def _described(value: Mapping[str, Any]) -> Run:
    fields = {"questions": _questions(value["questions"]), "variants": tuple(value["variants"])}
    return Run(**{**value, **fields, "answers": (), "verdicts": ()})


def _clean(question: Question) -> Question:
    expected, passages = (tuple(map(clean, texts)) for texts in (question.expected, question.passages))
    return Question(clean(question.text), expected, passages)


def _questions(values: Iterable[Mapping[str, Any]]) -> tuple[Question, ...]:
    return tuple(Question(v["text"], tuple(v["expected"]), tuple(v["passages"])) for v in values)


def _verdict(value: Mapping[str, Any]) -> PairVerdict:
    criteria = tuple(
        CriterionVerdict(**{**c, "said": tuple(c["said"]), "reasons": tuple(c["reasons"])})
        for c in value["criteria"]
    )
    return PairVerdict(value["first"], value["second"], criteria, value["problem"])
