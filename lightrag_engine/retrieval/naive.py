"""Naive retrieval: the chunks nearest to the question, the flat baseline."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lightrag_engine.records import Reason
from lightrag_engine.retrieval.found import Found, unique


def naive(hits: Sequence[str], known: Collection[str]) -> Found:
    """Return those of the hit chunks (nearest first) whose text is known."""
    chunks = unique(chunk for chunk in hits if chunk in known)
    why = {chunk: (Reason("meaning", place),) for place, chunk in enumerate(chunks, start=1)}
    return Found(chunks=chunks, dangling=len(set(hits)) - len(chunks), why=why)
