"""Asking with keywords of one's own, and for the context or the prompt alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from conftest import MakeRag
from doubles import ScriptedLanguage

from lightrag_engine import MODES, Keywords, Message, QueryParam

TEXT = "Mara Quill founded the Ferry. Tobias Renn met Ilse Vogt."
HISTORY = (Message("user", "Who is Mara Quill?"), Message("assistant", "A founder."))


class Counting(ScriptedLanguage):
    asked = 0

    async def keywords(self, question: str, history: Sequence[Message] = ()) -> Keywords:
        self.asked += 1
        return replace(
            await super().keywords(question, history), question="Who is Mara Quill?", note="Guessed."
        )


@pytest.mark.parametrize("mode", MODES)
def test_given_keywords_are_taken_as_they_are_and_none_are_asked_for(make_rag: MakeRag, mode: str) -> None:
    language = Counting()
    rag = make_rag(language=language)
    rag.insert(TEXT)
    found = rag.query("And she there?", QueryParam(mode=mode, conversation_history=HISTORY)).keywords
    calls = language.asked
    edited = replace(found, low_level=("Ilse Vogt",), high_level=("meeting",), note="")
    param = QueryParam(mode=mode, conversation_history=HISTORY, keywords=edited, top_k=1)
    answer = rag.query("And she there?", param)
    assert language.asked == calls
    assert answer.keywords == edited
    assert "Guessed." not in answer.notes
    if mode in ("local", "hybrid", "mix"):
        assert "Ilse Vogt" in list(answer.context.entities["entity"])


def test_the_context_or_the_prompt_alone_say_what_they_are(make_rag: MakeRag) -> None:
    language = ScriptedLanguage()
    rag = make_rag(language=language)
    rag.insert(TEXT)
    context = rag.query("Mara Quill?", QueryParam(only_need_context=True))
    prompt = rag.query("Mara Quill?", QueryParam(only_need_prompt=True))
    both = rag.query("Mara Quill?", QueryParam(only_need_context=True, only_need_prompt=True))
    assert (context.kind, prompt.kind, both.kind) == ("context", "prompt", "context")
    assert context.text == context.context.to_csv() == both.text
    assert context.context.source_rows == prompt.context.source_rows
    assert prompt.context.to_csv() in prompt.text
    assert "Mara Quill?" in prompt.text
    assert language.answered == []
    assert context.citations == prompt.citations == ()
    assert rag.query("Mara Quill?").kind == "answer"
