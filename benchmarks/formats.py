"""What is left of a sloppy model's records after parsing: JSON or delimited records, by rate of faults.

Run: ``python -m benchmarks.formats PATH/dev100.jsonl`` (or set ``REDOCRED_DEV100``); the file is described in
`benchmarks.redocred`. Data: Re-DocRED (MIT), texts from Wikipedia (CC BY-SA 3.0).

No model runs. A scripted one is asked to read each paragraph with the prompts of the app, and answers with a
share of its gold: entities, described by the first words of a sentence that names them, and at most as many
pairs of them that are related. With the given rate a record is damaged, and so the form of the whole reply,
by the faults in ``tests/ollama_double/faults.py``: those of recorded replies and those that users report. It
answers in three ways: JSON that the server holds to the schema (faults of content only), JSON from a server
that takes no schema, and records. Shown are the shares of these entities and pairs that are there after
parsing, repeating and grounding (the gold's spelling, undirected); the share of all that was read that is
none of them; and what it cost. Replies are stopped at the app's limit of tokens: with all gold many are.

These are faults as others have met them, committed at random. How often a real model commits which one, and
whether it finds less when it is held to a schema, this cannot say.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.redocred import Pair, fold, folded_pair
from lightrag_engine.language.builtin import BuiltinLanguage
from lightrag_engine.language.chat import ChatMessage, ChatOptions, ChatPiece, ChatUsage
from lightrag_engine.language.health import summarise_health
from lightrag_engine.language.llm import PromptedLanguage
from lightrag_engine.records import Chunk, Extraction
from lightrag_engine.settings import Settings
from lightrag_engine.tokens import count
from tests.ollama_double import ChatCall, ChatScript, faulty
from tests.ollama_double.reader import Entity, Reading, Relation

RATES = (0.0, 0.05, 0.1, 0.2, 0.5)
# How it answers: the setting, and whether the server holds replies to a schema.
WAYS = {"json": ("json", True), "json, no schema": ("json", False), "records": ("records", True)}
_WORDS = 8  # of a description


def gold(row: dict[str, Any], share: float) -> Reading:
    """Return this share of a paragraph's gold as a model would say it."""
    chance = random.Random(row["title"])
    sentences = re.split(r"(?<=[.!?])\s+", " ".join(row["text"].split()))
    entities = [e for e in row["entities"] if chance.random() < share] or row["entities"][:1]
    names = {e["i"]: e["name"] for e in entities}

    def said(*wanted: str) -> str:
        found = next((s for s in sentences if all(name in s for name in wanted)), sentences[0])
        return " ".join(found.split()[:_WORDS])

    pairs: dict[Pair, Relation] = {}
    for r in row["relations"]:
        a, b = names.get(r["h"], ""), names.get(r["t"], "")
        if a and b and fold(a) != fold(b):
            pairs.setdefault(folded_pair(fold(a), fold(b)), Relation(a, b, said(a, b), "bond", 5))
    found = tuple(Entity(name, "concept", said(name)) for name in names.values())
    kept = chance.sample(list(pairs.values()), min(len(pairs), len(found)))
    return Reading(found, tuple(kept), ("theme",))


def reader(rows: Sequence[dict[str, Any]], share: float) -> Callable[[str], Reading]:
    """Return what finds the gold of the paragraph that stands in a text."""
    known = {row["text"].strip(): gold(row, share) for row in rows}
    return lambda text: known.get(text.strip(), Reading((), (), ()))


class ScriptedChat:
    """Says what a script of the server's double says, stopped at the limit of tokens as a server does."""

    name = fingerprint = "scripted"
    context_tokens = 16_384

    def __init__(self, script: ChatScript) -> None:
        self._script = script

    async def stream(self, messages: Sequence[ChatMessage], options: ChatOptions) -> AsyncIterator[ChatPiece]:
        """Yield the answer in one piece."""
        said = self._script(ChatCall(tuple((m.role, m.content) for m in messages), options.schema))
        text, room = (said if isinstance(said, str) else said.text), options.max_tokens
        size = count(text)
        while count(text) > room:
            text = text[: len(text) * room // count(text)]
        usage = ChatUsage(sum(count(m.content) for m in messages), min(size, room), cut_off=size > room)
        yield ChatPiece(text, usage=usage)


async def read(rows: Sequence[dict[str, Any]], way: str, rate: float, share: float) -> list[Extraction]:
    """Return what is read of each paragraph."""
    form, schema = WAYS[way]
    settings = Settings(extraction_format=form)
    chat = ScriptedChat(faulty(rate, reader(rows, share), schema))
    language = PromptedLanguage(chat, settings, BuiltinLanguage(settings))
    chunks = [Chunk(row["id"], row["text"], count(row["text"]), 0, row["id"]) for row in rows]
    return [await language.extract(c, row["title"]) for c, row in zip(chunks, rows, strict=True)]


def scores(
    rows: Sequence[dict[str, Any]], extractions: Sequence[Extraction], share: float
) -> tuple[float, float, float]:
    """Return the recall of entities and of pairs, and the share of what was read that is not gold."""
    found = wanted = found_pairs = wanted_pairs = read_ = wrong = 0
    for row, extraction in zip(rows, extractions, strict=True):
        said = gold(row, share)
        entities = {fold(e.name) for e in said.entities}
        pairs = {folded_pair(fold(r.source), fold(r.target)) for r in said.relations}
        got = {fold(e.entity_name) for e in extraction.entities}
        got_pairs = {folded_pair(fold(r.src_id), fold(r.tgt_id)) for r in extraction.relations}
        found, wanted = found + len(entities & got), wanted + len(entities)
        found_pairs, wanted_pairs = found_pairs + len(pairs & got_pairs), wanted_pairs + len(pairs)
        read_ += len(got) + len(got_pairs)
        wrong += len(got - entities) + len(got_pairs - pairs)
    return found / wanted, found_pairs / wanted_pairs, wrong / max(1, read_)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("path", nargs="?", default=os.environ.get("REDOCRED_DEV100", ""))
    parser.add_argument("--share", type=float, default=0.5, help="of the gold that it finds")
    given = parser.parse_args(arguments)
    path = Path(given.path)
    if not path.is_file():
        print("Give the path of dev100.jsonl as an argument or in REDOCRED_DEV100.", file=sys.stderr)
        return 2
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    print(f"{len(rows)} paragraphs; a fault in this share of the records")
    print(
        f"{'answer':16}{'faults':>7}{'entities':>10}{'pairs':>8}{'not gold':>10}{'mended':>8}{'dropped':>9}"
        f"{'cut off':>9}{'unread':>8}{'calls':>7}{'prompt':>8}{'reply':>7}   (a paragraph)"
    )
    for rate in RATES:
        for way in WAYS:
            extractions = asyncio.run(read(rows, way, rate, given.share))
            entities, pairs, wrong = scores(rows, extractions, given.share)
            health = summarise_health(e.health for e in extractions if e.health is not None)
            number = len(rows)
            print(
                f"{way:16}{rate:7.0%}{entities:10.3f}{pairs:8.3f}{wrong:10.3f}"
                f"{health.repaired / number:8.1f}{health.dropped / number:9.1f}"
                f"{health.truncated:9d}{health.failed:8d}{health.calls / number:7.2f}"
                f"{health.prompt_tokens / number:8.0f}{health.reply_tokens / number:7.0f}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
