"""Chunk → entity and relation records, by asking a chat model.

One call reads a chunk; a reply that is empty, unreadable or cut off is asked for once more; a second reading
adds what the first plainly missed (see `gleaning`). What still went wrong is said in `Extraction.problems`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property

from lightrag_engine.errors import ModelError
from lightrag_engine.language.chat import ChatMessage, ChatOptions
from lightrag_engine.language.parsing import Delimiters, ParsedReply, Repair, parse_reply, sentence
from lightrag_engine.language.prompts import Prompts, fill
from lightrag_engine.language.prompts.examples import as_json, as_records, fitting
from lightrag_engine.language.tasks.asking import Asked, Asking, Cost
from lightrag_engine.language.tasks.entity_types import fit_type
from lightrag_engine.language.tasks.gleaning import missed_names, pays
from lightrag_engine.language.tasks.grounding import Passage, ground
from lightrag_engine.language.tasks.schemas import extraction_schema
from lightrag_engine.records import Chunk, Extraction, ExtractionHealth
from lightrag_engine.settings import Settings

# Room for a reply: dense text yields more tokens of records than it has itself.
_REPLY_SHARE = 1.5
_LEAST_REPLY = 800
_SHOWN_NAMES = 12  # how many missed names a second reading is told
_CHECK_TOKENS = 16
# A model that goes round in circles goes on so however much room it has; chance gets it out.
_REPEATED_SHARE = 0.5
_OUT_OF_CIRCLES = 0.5


@dataclass(frozen=True)
class _Reading:
    """What has been read of a chunk so far."""

    parsed: ParsedReply
    cost: Cost
    reply: str = ""
    problems: tuple[str, ...] = ()
    failed: bool = False
    truncated: bool = False
    gleanings: int = 0


@dataclass(frozen=True)
class Extractor:
    """Reads chunks with a chat model."""

    asking: Asking
    settings: Settings
    prompts: Prompts = field(default_factory=Prompts)

    async def extract(self, chunk: Chunk, title: str) -> Extraction:
        """Read a chunk of the document with this title.

        Raises
        ------
        ModelError
            When the model cannot be reached, refuses the request, or has no room for the chunk.
        """
        if not chunk.content.strip():
            return Extraction(chunk.id)
        messages = self.messages(chunk, title)
        reading = await self._first_reading(messages, chunk)
        if not (reading.failed or reading.truncated):
            reading = await self._glean(messages, chunk, reading)
        return self._finish(reading, chunk, title)

    def messages(self, chunk: Chunk, title: str) -> list[ChatMessage]:
        """Return the request for one chunk: what is the same for all of them first, its text last."""
        passage = fill(self.prompts.passage, {"title": title, "text": chunk.content})
        return [ChatMessage("system", self._instructions), ChatMessage("user", passage)]

    @cached_property
    def _instructions(self) -> str:
        settings = self.settings
        delimiters = self._delimiters
        as_answer = as_json if self._as_json else lambda example: as_records(example, delimiters)
        examples = (fitting(example, settings.entity_types) for example in settings.extraction_examples)
        return fill(
            self.prompts.extract_json if self._as_json else self.prompts.extract_records,
            {
                "entity_types": ", ".join(settings.entity_types),
                "language": settings.output_language or "the language of the passage",
                "field": delimiters.field,
                "record": delimiters.record,
                "completion": delimiters.completion,
                "examples": "\n".join(
                    fill(self.prompts.example, {"text": example.text, "answer": as_answer(example)})
                    for example in examples
                    if example.entities
                ),
            },
        )

    @property
    def _as_json(self) -> bool:
        return self.settings.extraction_format == "json"

    @property
    def _delimiters(self) -> Delimiters:
        settings = self.settings
        return Delimiters(settings.tuple_delimiter, settings.record_delimiter, settings.completion_delimiter)

    def _options(self, max_tokens: int, temperature: float = 0.0) -> ChatOptions:
        schema = extraction_schema(self.settings.entity_types) if self._as_json else None
        return ChatOptions(max_tokens=max_tokens, schema=schema, think=False, temperature=temperature)

    def _parse(self, text: str, chunk: Chunk) -> ParsedReply:
        return parse_reply(text, chunk.id, self.settings.extraction_format, self._delimiters)

    async def _ask(
        self, messages: list[ChatMessage], chunk: Chunk, options: ChatOptions
    ) -> tuple[Asked, ParsedReply]:
        asked = await self.asking.ask(messages, options, lambda text: _is_answer(self._parse(text, chunk)))
        return asked, self._parse(asked.text, chunk)

    async def _first_reading(self, messages: list[ChatMessage], chunk: Chunk) -> _Reading:
        wanted = max(_LEAST_REPLY, int(chunk.tokens * _REPLY_SHARE))
        limit = self.asking.reply_tokens(messages, wanted)
        asked, parsed = await self._ask(messages, chunk, self._options(limit))
        reading = _reading(asked, parsed, Cost().plus(asked))
        if not (reading.failed or reading.truncated):
            return reading
        more = min(2 * wanted, self.asking.room(messages))
        again, options = messages, self._options(max(limit, more))
        if reading.truncated:
            if parsed.repairs[Repair.DUPLICATE] >= _REPEATED_SHARE * max(1, parsed.records):
                options = self._options(limit, _OUT_OF_CIRCLES)
            elif more <= limit:
                return reading
        elif asked.text:
            again = [
                *messages,
                ChatMessage("assistant", asked.text),
                ChatMessage("user", self.prompts.repeat),
            ]
            options = self._options(self.asking.reply_tokens(again, wanted))
        try:
            second, parsed_again = await self._ask(again, chunk, options)
        except ModelError:
            if reading.failed:
                raise
            return reading
        retried = _reading(second, parsed_again, reading.cost.plus(second))
        is_whole = not (retried.failed or retried.truncated)
        better = retried if is_whole or parsed_again.records >= parsed.records else reading
        return replace(better, cost=retried.cost)

    async def _glean(self, messages: list[ChatMessage], chunk: Chunk, reading: _Reading) -> _Reading:
        for number in range(self.settings.entity_extract_max_gleaning):
            if not pays(chunk, reading.parsed):
                break
            talk = [*messages, ChatMessage("assistant", reading.reply)]
            try:
                if number:
                    reading, more = await self._is_more(talk, reading)
                    if not more:
                        break
                request = [*talk, ChatMessage("user", self._glean_prompt(chunk, reading.parsed))]
                limit = min(self.asking.room(request), max(_LEAST_REPLY, chunk.tokens))
                if limit < _LEAST_REPLY:
                    break
                asked, parsed = await self._ask(request, chunk, self._options(limit))
            except ModelError as error:
                problem = f"A second reading failed, so the first one stands: {error}"
                return replace(reading, problems=(*reading.problems, problem))
            found = _joined(reading.parsed, parsed)
            is_new = found.records > reading.parsed.records
            reading = replace(
                reading,
                parsed=found,
                cost=reading.cost.plus(asked),
                gleanings=reading.gleanings + 1,
                reply=f"{reading.reply}\n{asked.text}",
            )
            if not is_new:
                break
        return reading

    async def _is_more(self, talk: list[ChatMessage], reading: _Reading) -> tuple[_Reading, bool]:
        request = [*talk, ChatMessage("user", self.prompts.glean_check)]
        options = ChatOptions(max_tokens=_CHECK_TOKENS, think=False)
        asked = await self.asking.ask(request, options, bool)
        says_yes = asked.text.strip("\"'*. ").casefold().startswith("y")
        return replace(reading, cost=reading.cost.plus(asked)), says_yes

    def _glean_prompt(self, chunk: Chunk, parsed: ParsedReply) -> str:
        missed, _ = missed_names(chunk.content, parsed)
        names = f", among them {', '.join(missed[:_SHOWN_NAMES])}" if missed else ""
        return fill(self.prompts.glean, {"names": names})

    def _finish(self, reading: _Reading, chunk: Chunk, title: str) -> Extraction:
        examples = [name for example in self.settings.extraction_examples for name in example.names]
        parsed, ungrounded = ground(reading.parsed, Passage(title, chunk.content), examples)
        types = self.settings.entity_types
        entities = tuple(replace(e, entity_type=fit_type(e.entity_type, types)) for e in parsed.entities)
        cost = reading.cost
        return Extraction(
            chunk_id=chunk.id,
            entities=entities,
            relations=parsed.relations,
            content_keywords=parsed.content_keywords,
            problems=_problems(reading, parsed, ungrounded),
            health=ExtractionHealth(
                entities=len(entities),
                relations=len(parsed.relations),
                failed=reading.failed,
                truncated=reading.truncated,
                repaired=parsed.repaired,
                dropped=parsed.dropped,
                ungrounded=len(ungrounded),
                gleanings=reading.gleanings,
                calls=cost.calls,
                cached_calls=cost.cached_calls,
                prompt_tokens=cost.prompt_tokens,
                reply_tokens=cost.reply_tokens,
                seconds=cost.seconds,
                repairs=tuple(sorted((str(kind), n) for kind, n in parsed.repairs.items())),
            ),
        )


def _is_answer(parsed: ParsedReply) -> bool:
    """Whether a reply holds an answer, be it that there is nothing."""
    return parsed.records > 0 or parsed.complete


def _reading(asked: Asked, parsed: ParsedReply, cost: Cost) -> _Reading:
    failed = not _is_answer(parsed)
    problems: tuple[str, ...] = ()
    if failed and not asked.text:
        problems = ("The model gave no answer: it spent all its tokens on reasoning.",)
        if not asked.usage.cut_off:
            problems = ("The model gave no answer.",)
    elif failed:
        problems = ("The model's answer held nothing that could be read.",)
    truncated = not failed and (asked.usage.cut_off or parsed.truncated)
    if truncated:
        problems = (f"The model's answer was cut off after {parsed.records} records.",)
    return _Reading(parsed, cost, asked.text, problems, failed, truncated)


def _joined(first: ParsedReply, second: ParsedReply) -> ParsedReply:
    """Return the records of both replies, each once."""
    return replace(
        first,
        entities=tuple(dict.fromkeys((*first.entities, *second.entities))),
        relations=tuple(dict.fromkeys((*first.relations, *second.relations))),
        content_keywords=tuple(dict.fromkeys((*first.content_keywords, *second.content_keywords))),
        repairs=first.repairs + second.repairs,
    )


def _problems(reading: _Reading, parsed: ParsedReply, ungrounded: list[str]) -> tuple[str, ...]:
    problems = list(reading.problems)
    repairs = Counter[Repair]({kind: n for kind, n in parsed.repairs.items() if kind != Repair.HALF})
    if repairs:
        problems.append(f"{sentence(repairs)}.")
    if ungrounded:
        shown = ", ".join(ungrounded[:3]) + (" …" if len(ungrounded) > 3 else "")
        some = "1 entity does" if len(ungrounded) == 1 else f"{len(ungrounded)} entities do"
        problems.append(f"{some} not occur in the text by name: {shown}.")
    return tuple(problems)
