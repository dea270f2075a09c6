"""Filling templates: whole placeholders are replaced, nothing is formatted."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """Replace each ``{name}`` of the template that has a value; inserted text is not looked at again.

    Braces in a document or a question are data and stay as they are.

    Examples
    --------
    >>> fill("Say {word} {twice}", {"word": "{word}"})
    'Say {word} {twice}'
    """
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), template)


def placeholders(template: str) -> set[str]:
    """Return the names that stand in braces in a template."""
    return set(_PLACEHOLDER.findall(template))
