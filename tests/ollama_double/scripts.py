"""What the double's chat models say."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from typing import Any

from .protocol import ChatCall, ChatScript, Reply
from .reader import (
    Reading,
    best_sentence,
    delimiters,
    document_text,
    question,
    question_words,
    read,
    task,
)

Marks = tuple[str, str, str]  # between fields, between records, at the end


def well_behaved(call: ChatCall) -> Reply:
    """Do what is asked, in the format that is asked for."""
    return Reply(_answers(call, _records, _json))


def sloppy(call: ChatCall) -> Reply:
    """Say the same as a small model does: fences, bold, lost brackets, damaged delimiters, chatter.

    It takes no notice of a JSON schema.
    """
    text = _answers(call, _sloppy_records, _sloppy_json)
    if task(call) in ("summarise", "shorten"):
        text = f"**Summary:** {text}"
    return Reply(text)


def reasoning(call: ChatCall) -> Reply:
    """Say the same after some thought: in its own channel when asked to think, in the text when not told."""
    thought = f"The user wants me to do this: {task(call)}. Let me see."
    text = well_behaved(call).text
    if call.think is None:
        return Reply(f"<think>\n{thought}\n</think>\n\n{text}")
    return Reply(text, thinking=thought if call.think else "")


def broken(call: ChatCall) -> Reply:
    """Apologise."""
    return Reply("I'm sorry, but I can't help with that request.")


def in_turn(*replies: str | Reply) -> ChatScript:
    """Return a script that gives these replies one after another, the last one for ever."""
    lock = threading.Lock()
    waiting = list(replies)

    def script(call: ChatCall) -> str | Reply:
        with lock:
            return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return script


def _answers(
    call: ChatCall,
    records: Callable[[Reading, Marks], str],
    as_json: Callable[[dict[str, object]], str],
) -> str:
    kind = task(call)
    marks = delimiters(call.prompt)
    match kind:
        case "extract" | "glean":
            reading = read(document_text(call) if kind == "extract" else "")
            wants_json = bool(call.format) or f'"entity"{marks[0]}' not in call.prompt
            return as_json(_object(reading, call.format)) if wants_json else records(reading, marks)
        case "missing":
            return "no"
        case "keywords":
            asked = question(call.prompt)
            high, low = question_words(asked)
            alone = {"question": asked} if '"question"' in json.dumps(call.format) else {}
            return as_json({**alone, "high_level_keywords": high, "low_level_keywords": low})
        case "answer":
            sentence, id_ = best_sentence(call.prompt, question(call.prompt))
            return f"{sentence} [{id_}]" if id_ else "The tables do not hold the answer."
    text = call.messages[-2][1] if kind == "shorten" else _notes(call.messages[-1][1])
    most = re.findall(r"at most (\d+) words", call.prompt)
    return " ".join(text.split()[: int(most[-1]) if most else None])


def _notes(prompt: str) -> str:
    notes = re.findall(r"^[-*] +(.+)", prompt, re.MULTILINE) or prompt.splitlines()[-1:]
    return " ".join(dict.fromkeys(notes))


def _object(reading: Reading, schema: Any) -> dict[str, object]:
    types = re.findall(r'"enum": (\[.*?\])', json.dumps(schema))
    allowed = json.loads(types[0]) if types else [e.type for e in reading.entities]
    return {
        "entities": [
            {
                "name": e.name,
                "type": e.type if e.type in allowed else allowed[0],
                "description": e.description,
            }
            for e in reading.entities
        ],
        "relations": [
            {
                "source": r.source,
                "target": r.target,
                "description": r.description,
                "keywords": r.keywords.split(", "),
                "strength": r.weight,
            }
            for r in reading.relations
        ],
        "content_keywords": list(reading.themes),
    }


def _json(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _rows(reading: Reading) -> list[list[str]]:
    rows = [["entity", e.name, e.type, e.description] for e in reading.entities]
    rows += [
        ["relationship", r.source, r.target, r.description, r.keywords, str(r.weight)]
        for r in reading.relations
    ]
    return [*rows, ["content_keywords", ", ".join(reading.themes)]] if rows else []


def _record(row: list[str], field: str) -> str:
    return "(" + field.join(cell if cell.isdigit() else f'"{cell}"' for cell in row) + ")"


def _records(reading: Reading, marks: Marks) -> str:
    field, separator, completion = marks
    return f"{separator}\n".join(_record(row, field) for row in _rows(reading)) + completion


def _sloppy_records(reading: Reading, marks: Marks) -> str:
    field, separator, _ = marks
    lines = []
    for number, row in enumerate(_rows(reading)):
        record = _record(row, field)
        match number % 6:
            case 1:
                record = record[1:]
            case 2:
                record = record[:-1]
            case 3:
                record = record.replace(f'"{row[1]}"', f"**{row[1]}**", 1)
            case 4:
                record = f"{number + 1}. {record}"
            case 5:
                record = record.replace(field, field[:-1], 1)
        lines.append(record + (separator if number % 2 else ""))
    body = "\n".join(lines)
    return f"Sure! Here is what I found in the text:\n\n```\n{body}\n```\nLet me know if you need more!"


def _sloppy_json(value: dict[str, object]) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return f"Here is the JSON:\n```json\n{text[:-2]},\n}}\n```\nI hope this helps!"
