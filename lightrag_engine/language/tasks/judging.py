"""Two answers → which is better by which criterion, by asking a chat model."""

from __future__ import annotations

from dataclasses import dataclass, field

from lightrag_engine.errors import ModelError
from lightrag_engine.language.chat import ChatMessage, ChatOptions
from lightrag_engine.language.parsing.judgement import parse_judgement
from lightrag_engine.language.prompts import Prompts, fill
from lightrag_engine.language.tasks.asking import Asking
from lightrag_engine.language.tasks.schemas import judgement_schema
from lightrag_engine.records import CRITERIA, Ruling
from lightrag_engine.tokens import count

_REPLY_TOKENS = 600
# A model's tokens may be smaller than ours.
_MARGIN = 1.2


@dataclass(frozen=True)
class AnswerJudge:
    """Compares answers with a chat model. It is not told which variant wrote which."""

    asking: Asking
    prompts: Prompts = field(default_factory=Prompts)

    async def judge(self, question: str, first: str, second: str) -> tuple[Ruling, ...]:
        """Return a ruling for each of `CRITERIA`; see `lightrag_engine.language.base.Judge`."""
        frame = self._messages(question, "", "")
        room = int((self.asking.room(frame) - _REPLY_TOKENS) / (2 * _MARGIN))
        messages = self._messages(question, _cut(first, room), _cut(second, room))
        schema = judgement_schema(CRITERIA)
        for attempt in (1, 2):
            limit = self.asking.reply_tokens(messages, attempt * _REPLY_TOKENS)
            options = ChatOptions(max_tokens=limit, schema=schema, think=False)
            asked = await self.asking.ask(messages, options, lambda text: bool(parse_judgement(text)))
            if rulings := parse_judgement(asked.text):
                return rulings
        raise ModelError(
            f"{self.asking.chat.name} gave no usable judgement.",
            hint="Judge again, or choose a larger model as the judge.",
        )

    def _messages(self, question: str, first: str, second: str) -> list[ChatMessage]:
        values = {"question": question, "first": first, "second": second}
        return [ChatMessage("user", fill(self.prompts.judge, values))]


def _cut(answer: str, tokens: int) -> str:
    """Return the beginning of an answer that has at most so many tokens."""
    kept = answer
    while (size := count(kept)) > max(1, tokens):
        kept = kept[: int(len(kept) * max(1, tokens) / size)].rstrip()
    return kept if kept == answer else f"{kept} …"
