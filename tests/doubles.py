"""Scripted doubles of the two seams: fast, deterministic, and honest about what they were asked."""

from __future__ import annotations

import asyncio
import re
import sys
import zlib
from collections.abc import AsyncIterator, Callable, Sequence
from itertools import pairwise

import numpy as np

from lightrag_engine.embedding.base import Role, Vectors
from lightrag_engine.language.base import CANNOT_ANSWER
from lightrag_engine.language.prompts import answer_prompt
from lightrag_engine.records import (
    Chunk,
    EntityRecord,
    Extraction,
    Keywords,
    Message,
    RelationRecord,
)
from lightrag_engine.retrieval.context import Context

_NAME = re.compile(r"\b[A-Z]\w+(?: [A-Z]\w+)*")


class ScriptedLanguage:
    """Reads runs of capitalised words as entities, neighbours in a sentence as relations.

    `extractions` given by chunk text come first. `read` lists the chunks that were read, `before_extract` is
    awaited before each of them.
    """

    def __init__(
        self,
        extractions: dict[str, Callable[[Chunk], Extraction]] | None = None,
        before_extract: Callable[[Chunk], None] | None = None,
    ) -> None:
        self.name = "scripted"
        self.fingerprint = "scripted-1"
        self.read: list[str] = []
        self.summarised: list[str] = []
        self.answered: list[str] = []
        self.gate: asyncio.Event | None = None
        self._extractions = extractions or {}
        self._before_extract = before_extract or (lambda chunk: None)
        self.max_prompt_tokens = sys.maxsize

    def answer_prompt(
        self, question: str, context: str, history: Sequence[Message] = (), response_type: str = ""
    ) -> str:
        return answer_prompt(question, context, history, response_type)

    async def extract(self, chunk: Chunk, title: str) -> Extraction:
        if self.gate is not None:
            await self.gate.wait()
        self._before_extract(chunk)
        self.read.append(chunk.content)
        for part, script in self._extractions.items():
            if part in chunk.content:
                return script(chunk)
        entities, relations = [], []
        for sentence in re.split(r"(?<=[.!?])\s+", chunk.content):
            names = _NAME.findall(sentence)
            entities += [EntityRecord(name, "concept", sentence, chunk.id) for name in names]
            relations += [
                RelationRecord(a, b, sentence, ("with",), 1.0, chunk.id)
                for a, b in pairwise(names)
                if a.casefold() != b.casefold()
            ]
        return Extraction(chunk.id, tuple(entities), tuple(relations), ("theme",))

    async def keywords(self, question: str, history: Sequence[Message] = ()) -> Keywords:
        words = re.findall(r"\w+", question)
        return Keywords(
            high_level=tuple(w for w in words if w[0].islower() and len(w) > 4),
            low_level=tuple(_NAME.findall(question)),
        )

    async def summarise(self, name: str, descriptions: Sequence[str], max_tokens: int) -> str:
        self.summarised.append(name)
        return f"{name}: {min(descriptions)}"

    async def answer(
        self, question: str, context: Context, history: Sequence[Message] = (), response_type: str = ""
    ) -> AsyncIterator[str]:
        self.answered.append(question)
        if not context.source_rows:
            yield CANNOT_ANSWER
            return
        for piece in (context.source_rows[0].content[:200], " ", "[1]"):
            yield piece


class HashEmbedding:
    """A bag of hashed words: texts that share words are near; embeds nothing from an empty text."""

    def __init__(self, name: str = "hash", dimensions: int = 64) -> None:
        self.name = name
        self.dimensions = dimensions
        self.embedded: list[str] = []

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        self.embedded += texts
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.casefold()):
                row[zlib.crc32(word.encode()) % self.dimensions] += 1
            length = np.linalg.norm(row)
            row /= length or 1
        return rows
