"""The summaries that a commit needs, by the language model or, where that fails, without one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence

from lightrag_engine.errors import LightRAGError, ServerAwayError
from lightrag_engine.indexing.merging import SEPARATOR
from lightrag_engine.language.base import LanguageModel
from lightrag_engine.language.builtin.summarise import summarise
from lightrag_engine.tokens import encode, encoding

logger = logging.getLogger(__name__)


class Summaries:
    """Summaries by (name, joined description), of at most `max_tokens` tokens.

    What the model refuses is shortened without it, by choosing sentences; `stand_ins` names these. Without
    `wait_for_server` that goes for a server that is away, too.
    """

    def __init__(self, language: LanguageModel, max_tokens: int, wait_for_server: bool) -> None:
        self.max_tokens = max_tokens
        self.texts: dict[tuple[str, str], str] = {}
        self.stand_ins: set[str] = set()
        self._language = language
        self._wait_for_server = wait_for_server
        self._is_away = False

    async def write(self, missing: Iterable[tuple[str, str]]) -> None:
        """Write these.

        Raises
        ------
        ServerAwayError
            When the model's server is away and is to be waited for.
        """
        for name, description in missing:
            notes = description.split(SEPARATOR)
            text = await self._by_model(name, notes)
            if not text:
                text = await asyncio.to_thread(_chosen, name, notes, self.max_tokens)
            self.texts[name, description] = text

    async def _by_model(self, name: str, notes: Sequence[str]) -> str:
        if not self._is_away:
            try:
                return await self._language.summarise(name, notes, self.max_tokens)
            except ServerAwayError:
                if self._wait_for_server:
                    raise
                self._is_away = True  # one wait for it is enough
            except LightRAGError as error:
                logger.warning("the model wrote no summary of %s: %s", name, error)
        self.stand_ins.add(name)
        return ""


def _chosen(name: str, notes: Sequence[str], max_tokens: int) -> str:
    """Return the most telling sentences, or the beginning when not one fits."""
    text = summarise(name, notes, max_tokens)
    return text or encoding().decode(encode(" ".join(notes))[: max_tokens - 1], errors="ignore").rstrip()
