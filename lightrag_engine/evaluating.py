"""Question sets of a workspace and their runs; the algorithms are in `evaluation`."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable, Sequence
from contextlib import aclosing

from lightrag_engine.comparing import Comparable
from lightrag_engine.errors import QueryError
from lightrag_engine.evaluation.judging import judge_of, judge_pairs
from lightrag_engine.evaluation.questions import Question
from lightrag_engine.evaluation.runs import (
    QuestionSet,
    Run,
    RunProgress,
    RunStore,
    SetAnswer,
    answers_to,
    set_answer,
)
from lightrag_engine.evaluation.variants import Variant, check_number, variants_of


class Evaluating(Comparable):
    """What a workspace offers for question sets; see `lightrag_engine.LightRAG`."""

    # Question sets

    def save_question_set(self, name: str, questions: Sequence[Question | str]) -> QuestionSet:
        """Keep a question set under a name; one of that name is replaced, its runs stay."""
        asked = tuple(Question(q) if isinstance(q, str) else q for q in questions)
        if not asked:
            raise QueryError("A question set needs a question.", hint="Write one question a line.")
        return self._evaluations.save_set(name, asked, time.time())

    def question_sets(self) -> tuple[QuestionSet, ...]:
        """Return the question sets of this workspace, by name."""
        return self._evaluations.sets()

    def delete_question_set(self, set_id: str) -> None:
        """Drop a question set with its runs."""
        self._evaluations.delete_set(set_id)

    def runs(self, set_id: str) -> tuple[Run, ...]:
        """Return the runs of a question set without their answers, newest first."""
        return self._evaluations.runs(set_id)

    def evaluation_run(self, run_id: str) -> Run | None:
        """Return a run with all that has come of it."""
        return self._evaluations.run(run_id)

    def delete_run(self, run_id: str) -> None:
        """Drop a run."""
        self._evaluations.delete_run(run_id)

    def begin_run(
        self,
        questions: QuestionSet,
        variants: Iterable[Variant | str],
        *,
        judge: bool = False,
        judge_model: str = "",
    ) -> Run:
        """Note a run of a question set; `run_steps` does the work."""
        chosen = variants_of(variants)
        if len(chosen) != 1:
            check_number(chosen)
        about = self._blank("")
        run = Run(
            id=f"run-{uuid.uuid4().hex}",
            set_id=questions.id,
            set_name=questions.name,
            questions=questions.questions,
            variants=tuple(map(str, chosen)),
            judge=judge,
            judge_name=judge_model,
            language=self._querying.language.name,
            embedding=about.embedding,
            revision=about.revision,
            started_at=about.asked_at,
            settings=about.settings,
        )
        self._evaluations.begin(run)
        return run

    def run_steps(
        self, run_id: str, while_waiting: Callable[[], None] | None = None
    ) -> Generator[RunProgress, None, None]:
        """Do what is still to do of a run, step by step; every answer is kept as it comes.

        Closing the iterator stops it, calling this again goes on. Answers that failed are tried again.
        `while_waiting` is called a few times a second between the steps; what it raises stops it, too.

        Raises
        ------
        QueryError
            When there is no such run.
        ModelError
            When a model that a variant names is not there.
        """
        yield from self._loop.iterate(self._run_steps(run_id), while_waiting)

    def evaluate(
        self,
        questions: Sequence[Question | str] | QuestionSet,
        modes: Iterable[Variant | str],
        *,
        name: str = "Questions",
        judge: bool = False,
        judge_model: str = "",
        on_progress: Callable[[RunProgress], None] | None = None,
    ) -> Run:
        """Ask every question in every mode, and return the run; it is kept in the workspace.

        A run of the same questions in the same modes that was interrupted is gone on with.
        """
        kept = questions if isinstance(questions, QuestionSet) else self.save_question_set(name, questions)
        codes = tuple(map(str, variants_of(modes)))
        open_runs = (
            run
            for run in self.runs(kept.id)
            if not run.finished_at
            and (run.variants, run.questions) == (codes, kept.questions)
            and (run.judge, run.judge_name) == (judge, judge_model)
        )
        run = next(open_runs, None) or self.begin_run(kept, codes, judge=judge, judge_model=judge_model)
        for step in self.run_steps(run.id):
            if on_progress is not None:
                on_progress(step)
        finished = self.evaluation_run(run.id)
        return finished if finished is not None else run

    # How it is done, in the engine's loop

    @property
    def _evaluations(self) -> RunStore:
        workspace = self._workspace
        return RunStore(workspace.question_sets, workspace.runs, workspace.run_parts)

    async def _run_steps(self, run_id: str) -> AsyncIterator[RunProgress]:
        store = self._evaluations
        run = await asyncio.to_thread(store.run, run_id)
        if run is None:
            raise QueryError("There is no such run.", hint="Start a new one.")
        done = run.done
        for position, question in enumerate(run.questions):
            lacking = run.lacking(position)
            if not lacking:
                continue
            yield RunProgress(run_id, done, run.total, question.text)
            async with aclosing(self._answers(position, question, lacking)) as answers:
                async for answer in answers:
                    await asyncio.to_thread(store.put_answer, run_id, answer)
                    done += not answer.error
                    yield RunProgress(run_id, done, run.total, question.text)
        if run.judge:
            async with aclosing(self._judge_run(store, run_id, run.judge_name)) as judged:
                async for text in judged:
                    yield RunProgress(run_id, done, run.total, text, "judging")
        if done == run.total:
            await asyncio.to_thread(store.finish, run_id, time.time())
        yield RunProgress(run_id, done, run.total, doing="done")

    async def _answers(
        self, position: int, question: Question, variants: Sequence[str]
    ) -> AsyncGenerator[SetAnswer, None]:
        """Yield the answers to a question as they come; those under way are stopped when this is left."""
        try:
            comparing = await self._comparing(question.text, variants, least=1)
        except QueryError as error:
            for variant in variants:
                yield SetAnswer(position, variant, "", error=f"{error} {error.hint}".strip())
            return
        tasks = {asyncio.create_task(column.write()): column for column in comparing.columns}
        try:
            waiting = set(tasks)
            while waiting:
                ended, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in ended:
                    task.result()
                    yield await set_answer(position, question, tasks[task].result, self._embedded_once)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _judge_run(self, store: RunStore, run_id: str, model: str) -> AsyncGenerator[str, None]:
        run = await asyncio.to_thread(store.run, run_id)
        judge = judge_of(await self._judging_language(model))
        if run is None or judge is None:
            return
        judged = {(position, pair.first, pair.second) for position, pair in run.verdicts if pair.criteria}
        for position, question in enumerate(run.questions):
            answers = answers_to(run, position)
            for index, first in enumerate(answers):
                for second in answers[index + 1 :]:
                    if (position, first[0], second[0]) in judged:
                        continue
                    yield question.text
                    (verdict,) = await judge_pairs(judge, question.text, (first, second))
                    await asyncio.to_thread(store.put_verdict, run_id, position, verdict)
