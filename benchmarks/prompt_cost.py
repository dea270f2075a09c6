"""What reading documents with a chat model costs: calls and prompt tokens a chunk, and the answer's prompt.

Run: ``python benchmarks/prompt_cost.py PATH/dev100.jsonl`` (or set ``REDOCRED_DEV100``). Each line of the
file is a JSON object with ``title``, ``text``, ``entities`` (``i``, ``name``, ``type``) and ``relations``
(``h``, ``t`` index entities). Data: Re-DocRED (MIT), texts from Wikipedia (CC BY-SA 3.0).

No model runs. Paragraphs are joined to documents and cut into chunks at default settings; a scripted model
answers each chunk with its gold entities and as many relations, of which the first reading finds a given
share and a second one all. The text is crowded with names: a share of 0.2 is fifteen entities a chunk. Tokens
are counted with tiktoken, as everywhere in the engine. *New* tokens are those behind the longest beginning
that a request has in common with the last one and its reply: what a server has to evaluate that keeps the
last request of a model, as Ollama and llama.cpp do.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from lightrag_engine.indexing.chunking import chunk
from lightrag_engine.language.builtin import BuiltinLanguage
from lightrag_engine.language.chat import ChatMessage, ChatOptions, ChatPiece, ChatUsage
from lightrag_engine.language.health import summarise_health
from lightrag_engine.language.llm import PromptedLanguage
from lightrag_engine.language.prompts import answer_prompt
from lightrag_engine.records import Chunk, Document, QueryParam
from lightrag_engine.settings import Settings
from lightrag_engine.tokens import count

_PARAGRAPHS = 20  # of a document


class GoldChat:
    """Answers with the gold records of the passage it is shown."""

    name = "gold"
    fingerprint = "gold"
    context_tokens = 16_384

    def __init__(self, rows: Sequence[dict[str, Any]], share: float) -> None:
        self._rows = rows
        self._share = share
        self._kept = ""
        self.new_tokens = 0

    async def stream(self, messages: Sequence[ChatMessage], options: ChatOptions) -> AsyncIterator[ChatPiece]:
        """Yield the answer in one piece."""
        text = self._answer(messages[1].content, 1.0 if len(messages) > 2 else self._share)
        prompt = sum(count(message.content) for message in messages)
        asked = "".join(message.content for message in messages)
        self.new_tokens += prompt - count(asked[: _common(asked, self._kept)])
        self._kept = asked + text
        yield ChatPiece(text, usage=ChatUsage(prompt_tokens=prompt, reply_tokens=count(text)))

    def _answer(self, passage: str, share: float) -> str:
        chance = random.Random(passage)
        entities: list[dict[str, str]] = []
        relations: list[dict[str, Any]] = []
        for row in self._rows:
            if row["text"][:60] not in passage:
                continue
            kept = {e["i"]: e["name"] for e in row["entities"] if chance.random() < share}
            entities += [
                {"name": name, "type": "concept", "description": f"{name} is named."}
                for name in kept.values()
            ]
            related = [r for r in row["relations"] if r["h"] in kept and r["t"] in kept]
            relations += [
                {
                    "source": kept[r["h"]],
                    "target": kept[r["t"]],
                    "description": "They belong together.",
                    "keywords": ["link"],
                    "strength": 5,
                }
                for r in related[: len(kept)]
            ]
        return json.dumps({"entities": entities, "relations": relations, "content_keywords": ["theme"]})


def _common(a: str, b: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def documents(rows: Sequence[dict[str, Any]]) -> list[Document]:
    """Return documents of several paragraphs each."""
    texts = [
        "\n\n".join(row["text"] for row in rows[start : start + _PARAGRAPHS])
        for start in range(0, len(rows), _PARAGRAPHS)
    ]
    return [
        Document(f"doc-{n}", f"{n}.txt", f"Sample {n}", "text/plain", len(text), text)
        for n, text in enumerate(texts)
    ]


async def read(
    chunks: Sequence[Chunk], rows: Sequence[dict[str, Any]], share: float, settings: Settings
) -> str:
    """Return one row of the table: what reading all chunks cost."""
    chat = GoldChat(rows, share)
    language = PromptedLanguage(chat, settings, BuiltinLanguage(settings))
    extractions = [await language.extract(part, "Sample") for part in chunks]
    report = summarise_health(e.health for e in extractions if e.health is not None)
    number = report.chunks
    return (
        f"{settings.extraction_format:8s} {share:6.2f} {report.calls / number:8.2f} "
        f"{report.prompt_tokens / number:14.0f} {chat.new_tokens / number:7.0f} "
        f"{report.reply_tokens / number:13.0f} {report.entities / number:9.1f}"
    )


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("path", nargs="?", default=os.environ.get("REDOCRED_DEV100"))
    path = parser.parse_args().path
    if path is None:
        parser.print_usage()
        return 2
    rows = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    settings = Settings()
    chunks = [
        part
        for document in documents(rows)
        for part in chunk(document, settings.chunk_token_size, settings.chunk_overlap_token_size)
    ]
    tokens = sum(part.tokens for part in chunks) / len(chunks)
    print(f"{len(chunks)} chunks of {tokens:.0f} tokens on average")
    print("format    share    calls  prompt tokens     new  reply tokens  entities   (a chunk)")
    for form in ("json", "records"):
        chosen = Settings(extraction_format=form)
        for share in (1.0, 0.8, 0.6, 0.4, 0.2, 0.15, 0.1, 0.05):
            print(asyncio.run(read(chunks, rows, share, chosen)))
    param = QueryParam()
    rules = count(answer_prompt("", "", (), param.response_type))
    most = param.max_token_for_prompt
    print(f"answer prompt: {rules} tokens of rules, at most {most} with tables and question")
    return 0


if __name__ == "__main__":
    sys.exit(main())
