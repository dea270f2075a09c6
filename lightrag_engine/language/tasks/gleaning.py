"""When a second reading pays, and what it should look for.

A second reading costs the first one's prompt and reply again, so it is made only when the first plainly
missed much. The measure is free: the names that a passage writes with capitals inside its sentences. When
more than half of them are missing from what was read, the model is told which and asked again; not when an
entity for every `DENSE` tokens was read already: then the text is crowded with names, and a second reply
would be long and bring the less important ones. Where capitals tell nothing (Chinese, Arabic, or German with
its capital nouns), a passage must yield an entity for every `SPARSE` tokens.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from lightrag_engine.language.parsing import ParsedReply
from lightrag_engine.records import Chunk

COVERED = 0.5
DENSE = 100  # tokens an entity
SPARSE = 200
# Below these a passage is too short, or has too few names, for a second reading to bring much.
LEAST_TOKENS = 100
LEAST_NAMES = 4
# In languages that write only names with capitals, prose has fewer capitals than this inside sentences.
_MANY_CAPITALS = 0.28

_WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
# A word inside a sentence: a word or a comma before it, not the end of a sentence, a quote or a list mark.
_INSIDE = re.compile(r"[\w,;:)]\s?$")


def capital_names(text: str) -> list[str]:
    """Return the names of a text that matter: of several words, or met more than once inside sentences.

    A word that the text also writes without a capital is none. Empty where capitals tell nothing.
    """
    words = list(_WORD.finditer(text))
    lower = {match[0] for match in words if match[0][0].islower()}
    inside = capitals = 0
    runs: list[list[str]] = [[]]
    last_end = -1
    for match in words:
        word = match[0]
        is_inside = _INSIDE.search(text, max(0, match.start() - 2), match.start()) is not None
        is_capital = word[0].isupper()
        inside += is_inside
        capitals += is_inside and is_capital
        if text[last_end : match.start()] != " " or not is_capital:
            runs.append([])
        if is_capital and len(word) > 1 and word.lower() not in lower and (is_inside or runs[-1]):
            runs[-1].append(word)
        last_end = match.end()
    if capitals >= inside * _MANY_CAPITALS:
        return []
    counts = Counter(" ".join(run) for run in runs if run)
    return [name for name, times in counts.items() if times > 1 or " " in name]


def missed_names(text: str, parsed: ParsedReply) -> tuple[list[str], int]:
    """Return the names of a passage of which no word was read, and how many names it has."""
    read = _words(
        [
            *(entity.entity_name for entity in parsed.entities),
            *(end for relation in parsed.relations for end in (relation.src_id, relation.tgt_id)),
        ]
    )
    names = capital_names(text)
    return [name for name in names if not _words([name]) & read], len(names)


def pays(chunk: Chunk, parsed: ParsedReply) -> bool:
    """Whether much of a chunk was missed, so that reading it again is worth a call."""
    if chunk.tokens < LEAST_TOKENS:
        return False
    missed, names = missed_names(chunk.content, parsed)
    if names:
        is_dense = len(parsed.entities) * DENSE >= chunk.tokens
        return names >= LEAST_NAMES and len(missed) > (1 - COVERED) * names and not is_dense
    return len(parsed.entities) < chunk.tokens // SPARSE


def _words(names: Iterable[str]) -> set[str]:
    return {word.casefold() for name in names for word in _WORD.findall(name) if len(word) > 2}
