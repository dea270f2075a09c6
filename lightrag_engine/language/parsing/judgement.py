"""The reply to the judging task: rulings by criterion, in JSON or in lines, in whatever they are wrapped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lightrag_engine.language.parsing.json_values import find_values
from lightrag_engine.language.parsing.reasoning import strip_reasoning
from lightrag_engine.records import CRITERIA, Ruling

MAX_REASON = 600  # characters
_WINNER = ("winner", "better", "better_answer", "preferred", "verdict", "choice", "result", "answer")
_REASON = ("reason", "explanation", "reasoning", "because", "justification", "why")
_OVERALL = ("overall_winner", "overall_quality", "total", "final")
_TIE = re.compile(r"\b(tie[ds]?|draw|equal(ly)?|both|neither|none|same|0)\b", re.IGNORECASE)
_FIRST = re.compile(r"(?<![a-z0-9])(1|first|a|one)(?![a-z0-9])", re.IGNORECASE)
_SECOND = re.compile(r"(?<![a-z0-9])(2|second|b|two)(?![a-z0-9])", re.IGNORECASE)
_LINE = r"{}[\"'*_`]*\s*(?:winner)?\s*[:=—–-]+[\"'*_`\s]*([^\n,;.(]{{1,40}})(?:[,;.(—–-]+\s*([^\n]*))?"


def parse_judgement(text: str) -> tuple[Ruling, ...]:
    """Return the rulings in a reply, in the order of `CRITERIA`; nothing when none can be read.

    Of criteria that are missing nothing is made up.

    Examples
    --------
    >>> parse_judgement('Well: {"overall": {"winner": "Answer 2", "reason": "names the year"}}')
    (Ruling(criterion='overall', winner=2, reason='names the year'),)
    """
    answer, _ = strip_reasoning(text)
    found: dict[str, Ruling] = {}
    for value in find_values(answer, (*CRITERIA, *_OVERALL)).values:
        found |= _from_object(value)
    if not found:
        found = _from_lines(answer)
    return tuple(found[criterion] for criterion in CRITERIA if criterion in found)


def _from_object(value: Any) -> dict[str, Ruling]:
    if isinstance(value, list):
        merged: dict[str, Ruling] = {}
        for item in value:
            merged |= _from_row(item)
        return merged
    if not isinstance(value, Mapping):
        return {}
    found = {}
    for key, part in value.items():
        criterion = _criterion(str(key))
        if criterion and (ruling := _ruling(criterion, part)):
            found[criterion] = ruling
    return found or _from_row(value) or _from_inside(value)


def _from_inside(value: Mapping[str, Any]) -> dict[str, Ruling]:
    """Read an object that a model has wrapped around the one that was asked for."""
    inner = [part for part in value.values() if isinstance(part, Mapping | list)]
    return _from_object(inner[0]) if len(inner) == 1 else {}


def _from_row(value: Any) -> dict[str, Ruling]:
    """Read one object a criterion: ``{"criterion": "overall", "winner": "1", …}``."""
    if not isinstance(value, Mapping):
        return {}
    criterion = _criterion(str(value.get("criterion") or value.get("name") or ""))
    ruling = _ruling(criterion, value) if criterion else None
    return {criterion: ruling} if ruling else {}


def _ruling(criterion: str, part: Any) -> Ruling | None:
    if isinstance(part, Mapping):
        item = {str(key).strip().casefold().replace(" ", "_"): value for key, value in part.items()}
        said = next((item[key] for key in _WINNER if item.get(key) is not None), None)
        reason = next((str(item[key]) for key in _REASON if item.get(key)), "")
    else:
        said, reason = part, ""
    winner = _winner(said)
    return None if winner is None else Ruling(criterion, winner, _one_line(reason))


def _winner(said: Any) -> int | None:
    if isinstance(said, bool) or not isinstance(said, str | int | float):
        return None
    text = str(said)
    first, second = bool(_FIRST.search(text)), bool(_SECOND.search(text))
    if _TIE.search(text) or (first and second):
        return 0
    return 1 if first else 2 if second else None


def _criterion(name: str) -> str:
    folded = re.sub(r"[^a-z]+", "_", name.casefold()).strip("_")
    if folded in _OVERALL:
        return "overall"
    return next((c for c in CRITERIA if folded == c or folded.startswith(f"{c}_")), "")


def _from_lines(text: str) -> dict[str, Ruling]:
    """Read lines such as ``**Diversity**: Answer 1 - it names more``."""
    found = {}
    for criterion in CRITERIA:
        for match in re.finditer(_LINE.format(criterion), text, re.IGNORECASE):
            winner = _winner(match[1])
            if winner is not None:
                found[criterion] = Ruling(criterion, winner, _one_line(match[2] or ""))
    return found


def _one_line(text: str) -> str:
    return " ".join(text.split())[:MAX_REASON]
