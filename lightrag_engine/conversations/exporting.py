"""Conversations and answers for elsewhere: Markdown for people, JSON for programs, both with the evidence."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lightrag_engine.answering import Answer
from lightrag_engine.conversations.evidence import evidence_of, evidence_zip
from lightrag_engine.conversations.turn import Conversation, Turn
from lightrag_engine.errors import SettingsError
from lightrag_engine.evaluation import document as report
from lightrag_engine.evaluation.document import Block, Heading, Paragraph, Table, as_markdown
from lightrag_engine.exporting import write_whole
from lightrag_engine.records import SourceText

_BEGINNING = 240  # characters of a passage that is not cited


def export_conversation(conversation: Conversation, path: Path) -> Path:
    """Write a conversation to a file whose ending says how: ``.md`` or ``.json``.

    Raises
    ------
    SettingsError
        When the ending is neither.
    """
    make = {".md": conversation_markdown, ".json": conversation_json}.get(path.suffix.lower())
    if make is None:
        raise SettingsError(
            f"A conversation cannot be written as {path.suffix or 'a file without an ending'}.",
            hint="Choose a name that ends in .md or .json.",
        )
    text = make(conversation)
    return write_whole(path, lambda file: file.write(text))


def conversation_markdown(conversation: Conversation) -> str:
    """Return a conversation as Markdown: each question, its answer, the passages cited, the tables.

    Texts of documents and models are escaped: they show as they are and lead nowhere.
    """
    info = conversation.info
    asked = f"{info.turns} question{'' if info.turns == 1 else 's'}"
    blocks: list[Block] = [
        Heading(conversation.name, 1),
        Paragraph(f"{asked}, {_moment(info.created_at)} to {_moment(info.changed_at)}"),
    ]
    for number, turn in enumerate(conversation.turns, start=1):
        blocks += _turn(turn, Heading(f"{number}. {turn.question}", 2))
    return as_markdown(blocks)


def turn_markdown(turn: Turn) -> str:
    """Return a question with its answer and evidence as Markdown; see `conversation_markdown`."""
    return as_markdown(list(_turn(turn, Heading(turn.question, 1))))


def turn_zip(turn: Turn) -> bytes:
    """Return entities.csv, relations.csv, sources.csv and answer.md of a turn as one ZIP file.

    Raises
    ------
    SettingsError
        When nothing was retrieved for it.
    """
    if turn.answer is None:
        raise SettingsError(
            "There is no evidence: nothing was retrieved for this question.", hint="Ask it again."
        )
    return evidence_zip(turn.answer, turn_markdown(turn))


def conversation_json(conversation: Conversation) -> str:
    """Return a conversation as JSON, everything that is kept of it: see `answer_value`."""
    info = conversation.info
    value = {
        "conversation": conversation.name,
        "created_at": info.created_at,
        "changed_at": info.changed_at,
        "turns": [_turn_value(turn) for turn in conversation.turns],
    }
    return json.dumps(value, ensure_ascii=False, indent=1)


def answer_value(answer: Answer) -> dict[str, Any]:
    """Return an answer with everything it rests on, in plain values for JSON.

    Citations hold file, page, passage and the sentences used; entities, relations and sources are rows of the
    tables; times are seconds.
    """
    context = answer.context
    return {
        "question": answer.question,
        "mode": answer.mode,
        "language": answer.language,
        "kind": answer.kind,
        "answer": answer.text,
        "citations": [asdict(citation) for citation in answer.citations],
        "keywords": asdict(answer.keywords),
        "entities": [asdict(row) for row in context.entity_rows],
        "relations": [asdict(row) for row in context.relation_rows],
        "sources": [asdict(row) for row in context.source_rows],
        "timings": dict(answer.timings),
        "seconds": answer.seconds,
        "prompt_tokens": answer.prompt_tokens,
        "answer_tokens": answer.answer_tokens,
        "tokens_per_second": answer.tokens_per_second,
        "notes": answer.notes,
        "thinking": answer.thinking,
        "revision": answer.revision,
    }


def _turn_value(turn: Turn) -> dict[str, Any]:
    return {
        **(answer_value(turn.answer) if turn.answer else {}),
        "question": turn.question,
        "asked_at": turn.asked_at,
        "stopped": turn.stopped,
        "error": f"{turn.error} {turn.hint}".strip(),
        "parameters": {k: v for k, v in asdict(turn.param).items() if k != "stream"},
    }


def _turn(turn: Turn, heading: Heading) -> Iterator[Block]:
    yield heading
    if turn.text:
        yield report.Answer(turn.text)
    if turn.stopped:
        yield Paragraph("The answer was stopped here.")
    if turn.error:
        yield Paragraph(f"{turn.error} {turn.hint}".strip())
    if turn.answer is not None:
        yield from _answer(turn.answer, heading.level + 1)


def _answer(answer: Answer, level: int) -> Iterator[Block]:
    found = evidence_of(answer)
    yield Paragraph(" · ".join(_about(answer)))
    for note in answer.notes:
        yield Paragraph(note)
    if answer.citations:
        yield Heading("Passages cited", level)
    for citation in sorted(answer.citations, key=lambda c: c.number):
        place = f"{citation.document}, p. {citation.page}" if citation.page else citation.document
        yield Paragraph(f"[{citation.number}] {place}")
        yield report.Answer(citation.content)
        if citation.sentences:
            yield Paragraph(f"Used: {' … '.join(citation.sentences)}")
    if found.entities:
        rows = tuple((row.entity, row.type, row.description) for row in found.entities)
        yield Heading("Entities", level)
        yield Table(("Entity", "Type", "Description"), rows)
    if found.relations:
        yield Heading("Relations", level)
        yield Table(
            ("Source", "Target", "Keywords", "Description"),
            tuple((row.source, row.target, row.keywords, row.description) for row in found.relations),
        )
    if found.sources:
        yield Heading("Sources", level)
        yield Table(
            ("No.", "Document", "Page", "Found by", "Passage"),
            tuple(
                (str(row.id), row.document, row.page or "–", _why(row), _beginning(row))
                for row in found.sources
            ),
        )


def _about(answer: Answer) -> Sequence[str]:
    keywords = ", ".join((*answer.keywords.high_level, *answer.keywords.low_level))
    pace = answer.tokens_per_second
    return [
        answer.mode,
        answer.language,
        f"{answer.seconds:.1f} s",
        f"{answer.prompt_tokens:,} + {answer.answer_tokens:,} tokens",
        *([f"{pace:,.0f} tokens a second"] if pace else ()),
        *([f"keywords: {keywords}"] if keywords else ()),
    ]


def _why(row: SourceText) -> str:
    return "; ".join(map(str, row.why)) or "–"


def _beginning(row: SourceText) -> str:
    return row.content if len(row.content) <= _BEGINNING else f"{row.content[:_BEGINNING].rstrip()} …"


def _moment(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
