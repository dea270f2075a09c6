"""Comparing variants and running question sets in a workspace; the algorithms are in `evaluation`."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable, Sequence
from contextlib import aclosing

from lightrag_engine.document_life import DocumentLife
from lightrag_engine.documents.clean import clean
from lightrag_engine.errors import QueryError
from lightrag_engine.evaluation import votes
from lightrag_engine.evaluation.comparing import Column, Comparing, Comparison, blank, sharing
from lightrag_engine.evaluation.judging import NO_JUDGE, Judgement, PairVerdict, judge_of, judge_pairs
from lightrag_engine.evaluation.measures import Measures, measure
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
from lightrag_engine.evaluation.votes import Vote
from lightrag_engine.language.base import LanguageModel
from lightrag_engine.models import language_called
from lightrag_engine.streaming import AnswerStream

_NOTED = ("top_k", "max_token_for_prompt", "chunk_token_size", "chunk_overlap_token_size")


class Evaluating(DocumentLife):
    """What a workspace offers for weighing answers; see `lightrag_engine.LightRAG`."""

    # One question, side by side

    async def acomparing(
        self,
        question: str,
        variants: Iterable[Variant | str],
    ) -> Comparing:
        """Return a comparison whose columns can be read as they come, each with its own stream.

        Raises
        ------
        QueryError
            When the question is empty, or there are fewer than two or more than five variants.
        ModelError
            When a variant's model is not there.
        """
        return await self._loop.await_(self._comparing(question, variants))

    def comparing(
        self,
        question: str,
        variants: Iterable[Variant | str],
    ) -> Comparing:
        """See `acomparing`."""
        return self._loop.run(self._comparing(question, variants))

    async def acompare(
        self, question: str, variants: Iterable[Variant | str], *, answers: bool = True
    ) -> Comparison:
        """Ask one question in two to five variants at the same time; raises what `acomparing` does.

        Parameters
        ----------
        question, variants
            Modes by name, or `Variant` with a model or `top_k` of its own.
        answers
            False: only retrieve. `difference` needs no more.
        """
        return await self._loop.await_(self._compare(question, variants, answers))

    def compare(
        self, question: str, variants: Iterable[Variant | str], *, answers: bool = True
    ) -> Comparison:
        """See `acompare`."""
        return self._loop.run(self._compare(question, variants, answers))

    async def ameasure(self, comparison: Comparison) -> Measures:
        """Measure the answers of a comparison without a chat model; see `Measures`."""
        return await self._loop.await_(measure(comparison, self._querying.retriever.embedding))

    def measure(self, comparison: Comparison) -> Measures:
        """See `ameasure`."""
        return self._loop.run(measure(comparison, self._querying.retriever.embedding))

    async def ajudge(
        self,
        comparison: Comparison,
        model: str = "",
        on_pair: Callable[[PairVerdict], None] | None = None,
    ) -> Judgement:
        """Have a model weigh the answers of a comparison, every pair in both orders.

        Without a chat model the judgement has no pairs, and `missing` says what is needed. `model` names
        another judge than the model that answers.
        """
        return await self._loop.await_(self._judge(comparison, model, on_pair))

    def judge(
        self,
        comparison: Comparison,
        model: str = "",
        on_pair: Callable[[PairVerdict], None] | None = None,
    ) -> Judgement:
        """See `ajudge`."""
        return self._loop.run(self._judge(comparison, model, on_pair))

    # Votes

    def vote(
        self, comparison: Comparison, best: Iterable[Variant | str], *, blind: bool, vote_id: str = ""
    ) -> Vote:
        """Keep a person's vote for the best answers; several are a tie. The same `vote_id` replaces it."""
        chosen = variants_of(best)
        votes.checked(comparison.variants, chosen)
        vote = Vote(
            vote_id or f"vote-{uuid.uuid4().hex}",
            comparison.question,
            tuple(map(str, comparison.variants)),
            tuple(map(str, chosen)),
            blind,
            self._querying.language.name,
            time.time(),
        )
        votes.save(self._workspace.votes, vote)
        return vote

    def votes(self) -> tuple[Vote, ...]:
        """Return all votes of this workspace, oldest first."""
        return votes.load(self._workspace.votes)

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

    def _blank(self, question: str) -> Comparison:
        return blank(
            question,
            self.name,
            self._models.choice.embedding,
            self._workspace.graph.revision,
            {"language": self._querying.language.name}
            | {name: str(getattr(self.settings, name)) for name in _NOTED},
        )

    async def _comparing(
        self,
        question: str,
        variants: Iterable[Variant | str],
        least: int = 2,
    ) -> Comparing:
        question = clean(question).strip()
        if not question:
            raise QueryError("The question is empty.", hint="Type a question.")
        chosen = variants_of(variants)
        if len(chosen) != least:
            check_number(chosen)
        languages = {
            variant.model: await self._language_called(variant.model) for variant in chosen if variant.model
        }
        by_model = sharing(self._querying, languages)
        columns = []
        for variant in chosen:
            own = {"top_k": variant.top_k} if variant.top_k else {}
            param = self.query_param(mode=variant.mode, **own)
            stream = AnswerStream(self._loop, by_model[variant.model], question, param, self._query_done)
            columns.append(Column(variant, stream))
        return Comparing(self._loop, self._blank(question), columns)

    async def _compare(self, question: str, variants: Iterable[Variant | str], answers: bool) -> Comparison:
        comparing = await self._comparing(question, variants)
        await (comparing.write() if answers else comparing.retrieve())
        return comparing.comparison

    async def _language_called(self, name: str) -> LanguageModel:
        return await language_called(name, self.settings, self._workspace, self._models.embedding)

    async def _judging_language(self, model: str) -> LanguageModel:
        return await self._language_called(model) if model else self._querying.language

    async def _judge(
        self, comparison: Comparison, model: str, on_pair: Callable[[PairVerdict], None] | None
    ) -> Judgement:
        language = await self._judging_language(model)
        judge = judge_of(language)
        if judge is None:
            return Judgement(language.name, missing=NO_JUDGE)
        answers = [(str(result.variant), result.text) for result in comparison.answered]
        return Judgement(language.name, await judge_pairs(judge, comparison.question, answers, on_pair))

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
                    yield set_answer(position, question, tasks[task].result)
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
