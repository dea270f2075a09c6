"""From a question to an answer: keywords, retrieval, prompt, text, citations; each step timed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace

from lightrag_engine.answering import Answer, AnswerKind, find_citations
from lightrag_engine.documents.clean import clean
from lightrag_engine.errors import QueryError
from lightrag_engine.language.base import CANNOT_ANSWER, LanguageModel
from lightrag_engine.records import Keywords, Message, QueryParam
from lightrag_engine.retrieval.context import Context
from lightrag_engine.retrieval.retriever import HIGH_LEVEL_MODES, LOW_LEVEL_MODES, Retriever
from lightrag_engine.retrieval.tables import cited_pages
from lightrag_engine.tokens import count, count_table

# Letters and digits that an East Asian keyboard types wide are read as the plain ones.
_TO_NARROW = {wide: wide - 0xFEE0 for wide in range(0xFF10, 0xFF5B) if chr(wide).isalnum()}
# Room that must be left for tables besides rules, question and history.
_LEAST_CONTEXT_TOKENS = 500


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question with all that retrieval found for it, before any text is written.

    `cannot_answer` is set when the fixed reply is the answer, without a call of the language.
    """

    question: str
    param: QueryParam
    keywords: Keywords
    context: Context
    prompt: str
    prompt_tokens: int
    timings: dict[str, float]
    notes: tuple[str, ...] = ()
    cannot_answer: bool = False
    revision: str = ""

    @property
    def kind(self) -> AnswerKind:
        """What the text is going to be."""
        if self.param.wants_answer:
            return "answer"
        return "context" if self.param.only_need_context else "prompt"


@dataclass(frozen=True, slots=True)
class Querying:
    """Answers questions about one workspace."""

    retriever: Retriever
    language: LanguageModel

    async def prepare(
        self, question: str, param: QueryParam, on_keywords: Callable[[Keywords], None] | None = None
    ) -> Prepared:
        """Find keywords and context of a question; `on_keywords` is called between the two.

        Raises
        ------
        QueryError
            When the question is empty, or leaves no room for tables in the prompt.
        """
        self.retriever.workspace.check_open()
        question = clean(question).translate(_TO_NARROW).strip()
        if not question:
            raise QueryError("The question is empty.", hint="Type a question.")
        param = await asyncio.to_thread(self.retriever.checked, param)
        # A model with a short context shrinks all budgets.
        room = min(param.max_token_for_prompt, self.language.max_prompt_tokens)
        param = replace(param, max_token_for_prompt=room)
        param = _with_fitting_history(param)
        frame = self.language.answer_prompt(question, "", param.conversation_history, param.response_type)
        available = room - count(frame)
        if available < _LEAST_CONTEXT_TOKENS:
            raise QueryError(
                f"The question has {count(question):,} tokens: that leaves no room for the documents "
                f"in a prompt of {room:,} tokens.",
                hint="Shorten the question, raise max_token_for_prompt, or use a model of longer context.",
            )
        started = time.perf_counter()
        keywords = await self._keywords(question, param)
        found_keywords = time.perf_counter()
        if on_keywords is not None:
            on_keywords(keywords)
        context = await self.retriever.retrieve(keywords.question or question, keywords, param, available)
        retrieved = time.perf_counter()
        revision = await asyncio.to_thread(self.retriever.revision)
        prompt = self.language.answer_prompt(
            question, context.to_csv(), param.conversation_history, param.response_type
        )
        notes = (keywords.note, *_missing_keywords(param, keywords), *context.notes)
        return Prepared(
            question=question,
            param=param,
            keywords=keywords,
            context=context,
            prompt=prompt,
            prompt_tokens=count_table(prompt),
            timings={"keywords": found_keywords - started, "retrieval": retrieved - found_keywords},
            notes=tuple(note for note in notes if note),
            cannot_answer=context.is_empty,
            revision=revision,
        )

    async def _keywords(self, question: str, param: QueryParam) -> Keywords:
        if param.keywords is not None:
            return param.keywords
        if param.mode in LOW_LEVEL_MODES | HIGH_LEVEL_MODES:
            return await self.language.keywords(question, param.conversation_history)
        if not param.conversation_history:
            return Keywords()
        # A follow-up has to be made a question of its own before anything is near to it.
        found = await self.language.keywords(question, param.conversation_history)
        return Keywords(question=found.question)

    async def text(self, prepared: Prepared) -> AsyncIterator[str]:
        """Yield the text of the answer as it comes."""
        param = prepared.param
        if prepared.kind == "context":
            yield prepared.context.to_csv()
        elif prepared.kind == "prompt":
            yield prepared.prompt
        elif prepared.cannot_answer:
            yield CANNOT_ANSWER
        else:
            async for piece in self.language.answer(
                prepared.question, prepared.context, param.conversation_history, param.response_type
            ):
                yield piece

    def finish(
        self, prepared: Prepared, text: str, first_text: float, total: float, thinking: str = ""
    ) -> Answer:
        """Return the answer: the text with its citations checked. Times are seconds since retrieval ended."""
        is_answer = prepared.param.wants_answer
        sources = prepared.context.source_rows if is_answer else ()
        citations, unknown = find_citations(text, sources)
        workspace = self.retriever.workspace
        citations = tuple(replace(cited, page=cited_pages(workspace, cited)) for cited in citations)
        notes = prepared.notes
        if unknown and is_answer:
            listed = ", ".join(f"[{number}]" for number in unknown)
            notes = (*notes, f"The answer cites {listed}, which is not among its sources.")
        if prepared.context.is_empty or text.strip() == CANNOT_ANSWER:
            restricted = self.retriever.scope_line(prepared.param)
            notes = (*notes, f"{restricted} Without that there may be an answer.") if restricted else notes
        return Answer(
            text=text,
            question=prepared.question,
            mode=prepared.param.mode,
            language=self.language.name,
            keywords=prepared.keywords,
            context=prepared.context,
            citations=citations,
            timings={**prepared.timings, "first_text": first_text, "answer": total},
            prompt_tokens=prepared.prompt_tokens,
            answer_tokens=count_table(text),
            notes=notes,
            thinking=thinking,
            kind=prepared.kind,
            revision=prepared.revision,
        )


def _with_fitting_history(param: QueryParam) -> QueryParam:
    """Keep the last turns of a conversation: as many as are wanted, in at most a quarter of the prompt."""
    room = param.max_token_for_prompt // 4
    kept = list(_last_turns(param.conversation_history, param.history_turns))
    while kept and sum(count(message.content) for message in kept) > room:
        kept.pop(0)
    return replace(param, conversation_history=tuple(kept))


def _last_turns(history: Sequence[Message], turns: int) -> Sequence[Message]:
    asked = [place for place, message in enumerate(history) if message.role == "user"]
    return history if len(asked) <= turns else history[asked[-turns] :] if turns else ()


def _missing_keywords(param: QueryParam, keywords: Keywords) -> list[str]:
    notes = []
    if param.mode in LOW_LEVEL_MODES and not keywords.low_level:
        notes.append("The question names no particular thing, so nothing was looked up by entities.")
    if param.mode in HIGH_LEVEL_MODES and not keywords.high_level:
        notes.append("The question names no theme, so nothing was looked up by relations.")
    return notes
