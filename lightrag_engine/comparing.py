"""Comparing variants in a workspace, judging and voting; the algorithms are in `evaluation`."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable

from lightrag_engine.document_life import DocumentLife
from lightrag_engine.documents.clean import clean
from lightrag_engine.errors import QueryError
from lightrag_engine.evaluation import votes
from lightrag_engine.evaluation.comparing import Column, Comparing, Comparison, blank, sharing
from lightrag_engine.evaluation.judging import NO_JUDGE, Judgement, PairVerdict, judge_of, judge_pairs
from lightrag_engine.evaluation.measures import Measures, measure
from lightrag_engine.evaluation.variants import Variant, check_number, variants_of
from lightrag_engine.evaluation.votes import Vote
from lightrag_engine.language.base import LanguageModel
from lightrag_engine.models import language_called
from lightrag_engine.streaming import AnswerStream

_NOTED = ("top_k", "max_token_for_prompt", "chunk_token_size", "chunk_overlap_token_size")


class Comparable(DocumentLife):
    """What a workspace offers for weighing the answers to one question; see `lightrag_engine.LightRAG`."""

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
        return await self._loop.await_(measure(comparison, self._embedded_once))

    def measure(self, comparison: Comparison) -> Measures:
        """See `ameasure`."""
        return self._loop.run(measure(comparison, self._embedded_once))

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

    # How it is done, in the engine's loop

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
