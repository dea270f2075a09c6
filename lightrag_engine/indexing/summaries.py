"""The summaries that commits owe: written beside them, like vectors, and never forgotten.

A commit leaves the beginning of a description that is too long, and notes that the model's summary is owed.
What many documents add to is then summarised once, nobody waits for the model with the graph locked, and
deleting needs no model. An answer is kept from the moment it is there until it is in the graph.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from lightrag_engine.errors import LightRAGError, ServerAwayError
from lightrag_engine.identity.live_records import LiveRecords
from lightrag_engine.indexing.bounded import to_the_end
from lightrag_engine.indexing.merging import SEPARATOR, Long, fold, shorten, summary_hash
from lightrag_engine.indexing.refolding import (
    Written,
    owed_summaries,
    refold,
    refused_summaries,
    shown_names,
    split,
)
from lightrag_engine.language.base import LanguageModel
from lightrag_engine.language.builtin.summarise import summarise
from lightrag_engine.records import Entity, Relation
from lightrag_engine.storage.workspace import Workspace
from lightrag_engine.tokens import beginning

logger = logging.getLogger(__name__)


class SummaryPayer:
    """Writes the summaries that are owed; `lock` is that of the commits, held only for putting them in.

    What the model refuses is shortened without it, by choosing sentences, and asked again with the next
    commit. `began` and `ended` number the rounds.
    """

    def __init__(
        self, workspace: Workspace, language: LanguageModel, max_tokens: int, lock: asyncio.Lock
    ) -> None:
        self.began = self.ended = 0
        self.away: ServerAwayError | None = None
        self._workspace = workspace
        self._language = language
        self._max_tokens = max_tokens
        self._lock = lock

    def __len__(self) -> int:
        return len(owed_summaries(self._workspace, self._workspace.edits.identity))

    @property
    def unanswered(self) -> int:
        """How many summaries are missing because the server is away or the model refused them."""
        refused = refused_summaries(self._workspace, self._workspace.edits.identity)
        return len(refused) + (len(self) if self.away else 0)

    async def pay(
        self,
        on_progress: Callable[[int], None] = lambda paid: None,
        is_held: Callable[[], bool] = lambda: False,
    ) -> list[Entity | Relation]:
        """Write those that are owed at this moment; return what the model refused.

        When its server is away, `away` says so afterwards, and the rest stays owed. `on_progress` is called
        after each call, `is_held` stops it between two.
        """
        self.began += 1
        self.away = None
        if not len(self):
            self.ended = self.began
            return []
        written = Written()
        for long in await asyncio.to_thread(self._missing):
            if is_held():
                break
            try:
                await self._write(long, written)
            except ServerAwayError as error:
                self.away = error
                break
            on_progress(1)
        refused: list[Entity | Relation] = []
        async with self._lock:
            await to_the_end(asyncio.to_thread(lambda: refused.extend(self._put_in(written))))
        self.ended = self.began
        return refused

    def _missing(self) -> list[Long]:
        workspace, identity = self._workspace, self._workspace.edits.identity
        keys, pairs = split(owed_summaries(workspace, identity))
        found = fold(LiveRecords(workspace.extractions, identity), keys, pairs)
        _, missing = shorten(found, shown_names(workspace, found), {}, self._max_tokens)
        return list(dict.fromkeys(missing.values()))

    async def _write(self, long: Long, written: Written) -> None:
        name, description = long
        kept, key = self._workspace.summaries, summary_hash(*long, self._max_tokens)
        answered = kept.get(key)
        if answered is not None:
            written.texts[long] = answered["text"]
            return
        notes, text = description.split(SEPARATOR), ""
        try:
            text = await self._language.summarise(name, notes, self._max_tokens)
        except ServerAwayError:
            raise
        except LightRAGError as error:
            logger.warning("the model wrote no summary of %s: %s", name, error)
            written.stand_ins.add(long)
        if text:
            kept.put_many({key: {"text": text}})
        else:
            text = await asyncio.to_thread(_chosen, name, notes, self._max_tokens)
        written.texts[long] = text

    def _put_in(self, written: Written) -> list[Entity | Relation]:
        workspace, kept = self._workspace, self._workspace.summaries
        with workspace.database.transaction():
            identity = workspace.edits.identity
            keys, pairs = split(owed_summaries(workspace, identity))
            refused = refold(workspace, identity, keys, pairs, self._max_tokens, written)
            kept.delete_many(list(kept.keys()))
        return refused


def _chosen(name: str, notes: Sequence[str], max_tokens: int) -> str:
    """Return the most telling sentences, or the beginning when not one fits."""
    return summarise(name, notes, max_tokens) or beginning(" ".join(notes), max_tokens)
