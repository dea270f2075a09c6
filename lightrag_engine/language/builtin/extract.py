"""Reading a chunk in whatever language it is written, also in two at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from lightrag_engine import names
from lightrag_engine.language.builtin import chinese, english, other
from lightrag_engine.language.builtin.detect import HAN, KANA, Language, has_han, language
from lightrag_engine.language.builtin.mentions import (
    Mention,
    clean_name,
    is_alias,
    to_extraction,
    without_overlaps,
)
from lightrag_engine.records import UNKNOWN_TYPE, Chunk, Extraction
from lightrag_engine.settings import Settings

_PLACES_A_NAME = 20
_IN_BRACKETS = re.compile(f"(?<=[{HAN}])[（(]([A-Z][\\w.'’&–-]*(?: [\\w.'’&–-]+){{0,5}})[)）]")
_HAS_KANA = re.compile(f"[{KANA}]")


def extract(chunk: Chunk, title: str, settings: Settings) -> Extraction:
    """Read a chunk into records.

    Parameters
    ----------
    chunk
        Any text, in any language.
    title
        The title of its document.
    settings
        Its `entity_types`, `country_rules` and `extraction_rules` are obeyed.

    Returns
    -------
    Extraction
        The ends of every relation are among the entities, and differ. Depends on the arguments only.
    """
    text = chunk.content
    spoken = language(text)
    if spoken is Language.ENGLISH:
        read = english.read(chunk, title, settings)
        return _with_chinese(chunk, read, settings) if has_han(text) else read
    if spoken is Language.CHINESE:
        found = chinese.mentions(text, settings)
        foreign = [mention for mention in other.names(text, settings) if not has_han(mention.name)]
        foreign += _in_brackets(text)
        return to_extraction(
            chunk,
            _typed([*found, *foreign], text),
            chinese.REACH,
            chinese.content_words,
            chinese.themes(found),
            chinese.nested(found),
        )
    found = other.mentions(text, settings)
    if has_han(text) and not _HAS_KANA.search(text):
        found += chinese.mentions(text, settings)
    return to_extraction(chunk, found, other.REACH, other.content_words, other.themes(found))


def _in_brackets(text: str) -> Iterator[Mention]:
    """Yield the names in Latin letters that stand alone in brackets after a Chinese one."""
    for match in _IN_BRACKETS.finditer(text):
        yield Mention(match[1], UNKNOWN_TYPE, *match.span(1), "capitals")


def _typed(mentions: list[Mention], text: str) -> list[Mention]:
    """Give the names in brackets the type of the Chinese ones that they stand after."""
    kept = without_overlaps(mentions)
    same = {b.name: a.type for a, b in pairwise(kept) if a.is_name and is_alias(text, a, b)}
    return [
        replace(m, type=same[m.name]) if m.type == UNKNOWN_TYPE and m.name in same else m for m in mentions
    ]


def _with_chinese(chunk: Chunk, read: Extraction, settings: Settings) -> Extraction:
    """Add the Chinese names of an English chunk, related with the English ones beside them."""
    added = [mention for mention in chinese.mentions(chunk.content, settings) if has_han(mention.name)]
    spelled = {names.fold_name(entity.entity_name): entity.entity_name for entity in read.entities}
    both = to_extraction(chunk, [*added, *_places(chunk.content, read)], other.REACH, other.content_words)
    fresh = tuple(e for e in both.entities if names.fold_name(e.entity_name) not in spelled)
    new = {entity.entity_name for entity in fresh}
    relations = tuple(r for r in both.relations if r.src_id in new or r.tgt_id in new)
    return Extraction(
        read.chunk_id,
        read.entities + fresh,
        read.relations + relations,
        read.content_keywords,
        read.problems,
    )


def _places(text: str, read: Extraction) -> Iterator[Mention]:
    """Yield where the entities that were read stand in the text, as far as they stand there literally."""
    for entity in read.entities:
        if clean_name(entity.entity_name) != entity.entity_name:
            continue
        at = text.find(entity.entity_name)
        for _ in range(_PLACES_A_NAME):
            if at < 0:
                break
            end = at + len(entity.entity_name)
            yield Mention(entity.entity_name, entity.entity_type, at, end, entity.rule)
            at = text.find(entity.entity_name, end)
