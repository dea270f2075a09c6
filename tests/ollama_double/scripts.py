"""What the double's chat models say."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from random import Random
from typing import Any

from .faults import RECORD, Marks, as_notes, careless, damaged_json, damaged_records, record
from .protocol import ChatCall, ChatScript, Reply
from .reader import (
    Entity,
    Reading,
    Relation,
    best_sentence,
    delimiters,
    document_text,
    question,
    question_words,
    read,
    task,
)

# Of the faults of records, those with any delimiters, of which `sloppy` takes one after another.
_MILD = 6


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


def faulty(
    rate: float, reading: Callable[[str], Reading] = read, keeps_schema: bool = True, seed: int = 0
) -> ChatScript:
    """Return a script that commits the faults of small models with this probability, record by record.

    `reading` is what it finds in a text. `keeps_schema`: a reply is held to a JSON schema that comes with the
    request, as the server does; its content is as careless then as in any format.
    """

    def script(call: ChatCall) -> Reply:
        if task(call) not in ("extract", "glean"):
            return well_behaved(call)
        text = document_text(call)
        chance = Random(f"{seed} {rate} {len(call.messages)} {text}")
        found = _object(reading(text if task(call) == "extract" else ""), call.format)
        entities, relations = careless(found["entities"], found["relations"], rate, chance)
        found |= {"entities": entities, "relations": relations}
        if keeps_schema and call.format:
            return Reply(_json(found))
        if chance.random() < rate / 4:
            return Reply(as_notes(entities, relations))
        if _wants_json(call):
            return Reply(damaged_json(found, rate, chance))
        rows = _rows(_reading(found))
        return Reply(damaged_records(rows, delimiters(call.prompt), rate, chance))

    return script


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
            return as_json(_object(reading, call.format)) if _wants_json(call) else records(reading, marks)
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


def _wants_json(call: ChatCall) -> bool:
    return bool(call.format) or f'"entity"{delimiters(call.prompt)[0]}' not in call.prompt


def _notes(prompt: str) -> str:
    notes = re.findall(r"^[-*] +(.+)", prompt, re.MULTILINE) or prompt.splitlines()[-1:]
    return " ".join(dict.fromkeys(notes))


def _object(reading: Reading, schema: Any) -> dict[str, Any]:
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


def _reading(found: dict[str, Any]) -> Reading:
    """Return the reading that `_object` made an object of."""
    return Reading(
        tuple(Entity(e["name"], e["type"], e["description"]) for e in found["entities"]),
        tuple(
            Relation(r["source"], r["target"], r["description"], ", ".join(r["keywords"]), r["strength"])
            for r in found["relations"]
        ),
        tuple(found["content_keywords"]),
    )


def _json(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _rows(reading: Reading) -> list[list[str]]:
    rows = [["entity", e.name, e.type, e.description] for e in reading.entities]
    rows += [
        ["relationship", r.source, r.target, r.description, r.keywords, str(r.weight)]
        for r in reading.relations
    ]
    return [*rows, ["content_keywords", ", ".join(reading.themes)]] if rows else []


def _records(reading: Reading, marks: Marks) -> str:
    field, separator, completion = marks
    return f"{separator}\n".join(record(row, field) for row in _rows(reading)) + completion


def _sloppy_records(reading: Reading, marks: Marks) -> str:
    field, separator, _ = marks
    lines = []
    for number, row in enumerate(_rows(reading)):
        fault = RECORD[number % _MILD]
        lines.append(fault(record(row, field), row, field) + (separator if number % 2 else ""))
    body = "\n".join(lines)
    return f"Sure! Here is what I found in the text:\n\n```\n{body}\n```\nLet me know if you need more!"


def _sloppy_json(value: dict[str, object]) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return f"Here is the JSON:\n```json\n{text[:-2]},\n}}\n```\nI hope this helps!"
