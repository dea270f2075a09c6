"""The JSON format: one object with lists of entities, relations and content keywords."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lightrag_engine.language.parsing.json_values import find_values
from lightrag_engine.language.parsing.reasoning import strip_reasoning
from lightrag_engine.language.parsing.reply import Collector, ParsedReply, Repair

# Small models answer with the key names they have seen most.
_NAME = ("name", "entity_name", "entity", "title", "label", "id")
_TYPE = ("type", "entity_type", "category", "kind", "label")
_DESCRIPTION = (
    "description",
    "entity_description",
    "relationship_description",
    "desc",
    "summary",
    "relation",
)
_SOURCE = ("source", "src", "src_id", "source_entity", "from", "subject", "head", "entity1")
_TARGET = ("target", "tgt", "tgt_id", "target_entity", "to", "object", "tail", "entity2")
_KEYWORDS = ("keywords", "relationship_keywords", "keyword", "themes")
_WEIGHT = ("strength", "weight", "relationship_strength", "score")
_THEMES = ("content_keywords", "high_level_keywords", "themes", "keywords")
_RECORD_KEYS = (*_NAME, *_SOURCE)
_BEGUN = re.compile(r"[\"']entities[\"']\s*:\s*\[", re.IGNORECASE)


def parse_json(text: str, source_id: str = "") -> ParsedReply:
    """Read a reply in the JSON format: by schema, in fences or prose, with damage, or cut off.

    Of a reply that is cut off every whole record is kept and the half one dropped.

    Parameters
    ----------
    text
        The reply; a reasoning block in front is taken off.
    source_id
        Id of the chunk, written into every record.
    """
    answer, _ = strip_reasoning(text)
    found = find_values(answer, _RECORD_KEYS)
    collector = Collector(source_id)
    collector.repairs[Repair.BROKEN_JSON] += found.repaired
    collector.repairs[Repair.UNREADABLE] += found.unreadable
    if found.truncated:
        collector.repairs[Repair.HALF] += 1
    complete = False
    for value in found.values:
        complete = _take(collector, value) or complete
    # Without a whole object around the records, one that nothing closes was cut off between two of them.
    unclosed = not complete and bool(_BEGUN.search(answer)) and "}" not in found.tail
    return collector.reply(truncated=found.truncated or unclosed, complete=complete)


def _take(collector: Collector, value: Any) -> bool:
    """Take up every record inside a value, in order; return whether the value is a whole answer."""
    waiting = [value]
    is_answer = False
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += reversed(item)
        elif isinstance(item, Mapping):
            item = {str(key).strip().casefold().replace(" ", "_"): part for key, part in item.items()}
            is_answer = is_answer or isinstance(item.get("entities"), list)
            if not _record(collector, item):
                if isinstance(_first(item, _THEMES), list):
                    collector.keywords(_texts(_first(item, _THEMES)))
                waiting += reversed([part for part in item.values() if isinstance(part, (list, Mapping))])
    return is_answer


def _record(collector: Collector, item: Mapping[str, Any]) -> bool:
    source, target = _first(item, _SOURCE), _first(item, _TARGET)
    if isinstance(source, str | int) and isinstance(target, str | int):
        weight = _first(item, _WEIGHT)
        collector.relation(
            str(source),
            str(target),
            _text(_first(item, _DESCRIPTION)),
            ", ".join(_texts(_first(item, _KEYWORDS))),
            None if weight is None else _text(weight),
        )
        return True
    name = _first(item, _NAME)
    if isinstance(name, str | int) and not isinstance(name, bool):
        collector.entity(str(name), _text(_first(item, _TYPE)), _text(_first(item, _DESCRIPTION)))
        return True
    return False


def _first(item: Mapping[str, Any], keys: Iterable[str]) -> Any:
    return next((item[key] for key in keys if item.get(key) is not None), None)


def _text(value: Any) -> str:
    return " ".join(_texts(value))


def _texts(value: Any) -> Sequence[str]:
    if value is None:
        return ()
    if isinstance(value, list):
        return [str(part) for part in value if isinstance(part, str | int | float)]
    return [str(value)] if isinstance(value, str | int | float) else ()
