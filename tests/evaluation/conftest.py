"""A small workspace whose answers come from a script."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence

import pytest
from conftest import MakeRag
from doubles import ScriptedLanguage

from lightrag_engine import Keywords, LightRAG, Message
from lightrag_engine.records import CRITERIA, Ruling
from lightrag_engine.retrieval.context import Context

FERRY = (
    "Mara Quill founded the Brindle Valley Ferry. Mara Quill hired Tobias Renn. "
    "Tobias Renn built the Heron in Low Harrow."
)
TOWN = "Port Ansel lies by the sea. Ilse Vogt lives in Port Ansel and paints."


class CountingLanguage(ScriptedLanguage):
    """Counts how often keywords are asked for, and how many answers are under way at once.

    Each answer waits until `together` answers have begun, so that only answers at the same time ever end.
    """

    def __init__(self, together: int = 1) -> None:
        super().__init__()
        self.keyword_calls = 0
        self.begun = 0
        self.together = together
        self.fail_on: str = ""

    async def keywords(self, question: str, history: Sequence[Message] = ()) -> Keywords:
        self.keyword_calls += 1
        await asyncio.sleep(0)
        found = await super().keywords(question, history)
        return Keywords(found.high_level or ("founding",), found.low_level)

    async def answer(
        self, question: str, context: Context, history: Sequence[Message] = (), response_type: str = ""
    ) -> AsyncIterator[str]:
        self.begun += 1
        async with asyncio.timeout(30):
            while self.begun < self.together:
                await asyncio.sleep(0.001)
        if self.fail_on and self.fail_on in question:
            raise RuntimeError("the plug was pulled")
        async for piece in super().answer(question, context, history, response_type):
            yield piece


class JudgingLanguage(CountingLanguage):
    """Also judges: the longer answer is the better one, but diversity goes to whichever stands first."""

    def __init__(self) -> None:
        super().__init__()
        self.judged: list[tuple[str, str]] = []

    async def judge(self, question: str, first: str, second: str) -> tuple[Ruling, ...]:
        self.judged.append((first, second))
        longer = 0 if len(first) == len(second) else 1 if len(first) > len(second) else 2
        return tuple(Ruling(c, 1 if c == "diversity" else longer, f"by {c}") for c in CRITERIA)


def judgement_reply(winner: str = "1", **other: str) -> str:
    """Return what a chat model says when it judges as asked."""
    won = dict.fromkeys(CRITERIA, winner) | other
    return json.dumps({name: {"reason": f"because of {name}", "winner": who} for name, who in won.items()})


@pytest.fixture
def ferry(make_rag: MakeRag) -> LightRAG:
    """A workspace with two documents and a language that counts."""
    rag = make_rag(language=CountingLanguage())
    rag.insert([FERRY, TOWN], ["ferry.txt", "town.txt"])
    return rag
