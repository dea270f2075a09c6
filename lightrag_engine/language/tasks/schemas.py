"""The JSON schemas that replies must follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}


def extraction_schema(types: Sequence[str]) -> Mapping[str, Any]:
    """Return the schema of an extraction; a model bound to it can only use these types."""
    return _object(
        entities=_list(_object(name=_TEXT, type={"type": "string", "enum": list(types)}, description=_TEXT)),
        relations=_list(
            _object(
                source=_TEXT,
                target=_TEXT,
                description=_TEXT,
                keywords=_TEXTS,
                strength={"type": "integer", "minimum": 1, "maximum": 10},
            )
        ),
        content_keywords=_TEXTS,
    )


def keywords_schema(with_question: bool) -> Mapping[str, Any]:
    """Return the schema of the keywords of a question, with the question itself when it must be rewritten."""
    lists = {"high_level_keywords": _TEXTS, "low_level_keywords": _TEXTS}
    return _object(**({"question": _TEXT, **lists} if with_question else lists))


def judgement_schema(criteria: Sequence[str]) -> Mapping[str, Any]:
    """Return the schema of a comparison of two answers by some criteria."""
    ruling = _object(reason=_TEXT, winner={"type": "string", "enum": ["1", "2", "tie"]})
    return _object(**dict.fromkeys(criteria, ruling))


def _object(**properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(item: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}
