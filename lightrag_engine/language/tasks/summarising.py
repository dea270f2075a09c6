"""Many descriptions of one thing → one description, by asking a chat model.

Descriptions are sorted first, so that the result depends on what they are and not on who calls when. Those
that do not fit into one prompt are summarised in steps: each batch by itself, then the summaries.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from lightrag_engine.language.base import LanguageModel
from lightrag_engine.language.chat import ChatMessage, ChatOptions
from lightrag_engine.language.parsing import strip_reasoning
from lightrag_engine.language.prompts import Prompts, fill
from lightrag_engine.language.tasks.asking import Asking, prompt_tokens
from lightrag_engine.names import xml_text
from lightrag_engine.sentences import sentence_texts
from lightrag_engine.tokens import count, encode, encoding

# A word is about 1.4 tokens; asking for a little less keeps most answers within the budget.
_WORDS_PER_TOKEN = 0.65
_LABEL = re.compile(
    r"^\W*(?:summary|description|subject|merged description)\b[^:\n]{0,40}:\W*", re.IGNORECASE
)
# Small models lose facts in the middle of long prompts: batches stay this short however long the context is.
_BATCH_TOKENS = 6_000


@dataclass(frozen=True)
class Summariser:
    """Merges descriptions with a chat model, or with `fallback` when it answers nothing."""

    asking: Asking
    fallback: LanguageModel
    language: str = ""
    prompts: Prompts = field(default_factory=Prompts)

    async def summarise(self, name: str, descriptions: Sequence[str], max_tokens: int) -> str:
        """Return one description of `name` with at most `max_tokens` tokens.

        Raises
        ------
        ModelError
            When the model cannot be reached or refuses the request.
        """
        notes = sorted({text for text in map(str.strip, descriptions) if text})
        if not notes:
            return ""
        room = self._room(name, max_tokens)
        while True:
            batches = _batches(notes, room)
            if len(batches) == 1:
                return await self._summary(name, batches[0], max_tokens)
            # Short enough that two of them fit into the next prompt: every step makes the list shorter.
            limit = min(max_tokens, room // 3)
            notes = [await self._summary(name, batch, limit) for batch in batches]

    def _room(self, name: str, max_tokens: int) -> int:
        """Return how many tokens of notes fit into a prompt."""
        asked = prompt_tokens(self._messages(name, (), max_tokens)) + 2 * max_tokens
        return max(100, min(_BATCH_TOKENS, int((self.asking.chat.context_tokens - asked) / 1.2)))

    async def _summary(self, name: str, notes: Sequence[str], max_tokens: int) -> str:
        messages = self._messages(name, notes, max_tokens)
        text = await self._ask(messages, max_tokens)
        if not text:
            return await self.fallback.summarise(name, notes, max_tokens)
        if count(text) > max_tokens:
            shorten = fill(self.prompts.shorten, {"max_words": _words(int(max_tokens * 0.8))})
            talk = [*messages, ChatMessage("assistant", text), ChatMessage("user", shorten)]
            if self.asking.room(talk) > max_tokens:
                text = await self._ask(talk, max_tokens) or text
        return _cut(text, max_tokens)

    async def _ask(self, messages: Sequence[ChatMessage], max_tokens: int) -> str:
        limit = self.asking.reply_tokens(messages, 2 * max_tokens)
        asked = await self.asking.ask(messages, ChatOptions(max_tokens=limit, think=False), bool)
        text, _ = strip_reasoning(asked.text)
        return " ".join(xml_text(_LABEL.sub("", text)).strip('"“” ').split())

    def _messages(self, name: str, notes: Sequence[str], max_tokens: int) -> list[ChatMessage]:
        system = fill(
            self.prompts.summarise,
            {"language": self.language or "the language of the notes", "max_words": _words(max_tokens)},
        )
        listed = "\n".join(f"- {' '.join(note.split())}" for note in notes)
        request = fill(self.prompts.notes, {"name": name, "descriptions": listed})
        return [ChatMessage("system", system), ChatMessage("user", request)]


def _words(tokens: int) -> str:
    return str(max(10, int(tokens * _WORDS_PER_TOKEN)))


def _batches(notes: Sequence[str], room: int) -> list[list[str]]:
    """Return the notes in batches of at most `room` tokens; longer notes are divided at sentences."""
    batches: list[list[str]] = [[]]
    used = 0
    for note in notes:
        for piece in _pieces(note, room):
            tokens = count(piece) + 3
            if batches[-1] and used + tokens > room:
                batches.append([])
                used = 0
            batches[-1].append(piece)
            used += tokens
    return batches


def _pieces(note: str, room: int) -> list[str]:
    if count(note) <= room - 3:
        return [note]
    pieces: list[str] = []
    for sentence in sentence_texts(note):
        if pieces and count(pieces[-1]) + count(sentence) < room - 3:
            pieces[-1] = f"{pieces[-1]} {sentence}"
        else:
            pieces.append(_first_tokens(sentence, room - 3))
    return pieces


def _cut(text: str, max_tokens: int) -> str:
    """Return as many whole sentences from the front as fit; part of the first when that alone does not."""
    if count(text) <= max_tokens:
        return text
    kept = ""
    for sentence in sentence_texts(text):
        longer = f"{kept} {sentence}".strip()
        if count(longer) > max_tokens:
            break
        kept = longer
    return kept or _first_tokens(text, max_tokens)


def _first_tokens(text: str, limit: int) -> str:
    tokens = encode(text)
    if len(tokens) <= limit:
        return text
    return encoding().decode(tokens[: max(1, limit - 1)], errors="ignore").rstrip()
