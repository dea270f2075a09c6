"""One question in several variants at the same time."""

from __future__ import annotations

import asyncio
import threading

import pytest
from conftest import MakeRag
from doubles import HashEmbedding
from evaluation.conftest import FERRY, CountingLanguage

from lightrag_engine import LightRAG, ModelError, QueryError, SettingsError, Variant
from lightrag_engine.evaluation.once import Once

QUESTION = "What was founded by Mara Quill?"
MODES = ["naive", "local", "global", "mix"]


def test_all_columns_are_answered_at_the_same_time_with_one_call_for_keywords(make_rag: MakeRag) -> None:
    language = CountingLanguage()
    rag = make_rag(language=language)
    rag.insert(FERRY, ["ferry.txt"])
    language.together = len(MODES)  # an answer alone would never end
    comparison = rag.compare(QUESTION, MODES)
    assert [str(variant) for variant in comparison.variants] == MODES
    assert all(result.answered and "Mara Quill" in result.text for result in comparison.results)
    assert language.keyword_calls == 1
    for result in comparison.results:
        assert 0 < result.retrieval_seconds <= result.first_word_seconds <= result.seconds
        assert result.prompt_tokens > result.answer_tokens > 0


def test_a_text_is_embedded_once_for_all_columns(make_rag: MakeRag) -> None:
    embedding = HashEmbedding()
    rag = make_rag(language=CountingLanguage(), embedding=embedding)
    rag.insert(FERRY, ["ferry.txt"])
    embedding.embedded.clear()
    rag.compare(QUESTION, ["naive", "local", "hybrid", "mix"])
    assert len(embedding.embedded) == len(set(embedding.embedded))


def test_retrieval_and_answer_are_separate_steps_and_neither_is_repeated(ferry: LightRAG) -> None:
    language = ferry._querying.language
    retrieved = ferry.compare(QUESTION, MODES, answers=False)
    assert all(result.context is not None for result in retrieved.results)
    assert language.answered == []
    assert all(result.text == "" for result in retrieved.results)

    comparing = ferry.comparing(QUESTION, MODES)
    contexts = [column.stream.prepare() for column in comparing.columns]
    calls = language.keyword_calls
    for column in comparing.columns:
        assert "".join(column.stream) == column.stream.answer.text
    assert language.keyword_calls == calls
    assert [column.stream.prepare() for column in comparing.columns] == contexts
    assert len(language.answered) == len(MODES)
    assert [r.context for r in comparing.comparison.results] == [p.context for p in contexts]


def test_columns_may_be_read_from_threads_of_their_own(ferry: LightRAG) -> None:
    comparing = ferry.comparing(QUESTION, MODES)
    texts: dict[str, str] = {}

    def read(position: int) -> None:
        column = comparing.columns[position]
        texts[str(column.variant)] = "".join(column.stream)

    threads = [threading.Thread(target=read, args=(position,)) for position in range(len(MODES))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert set(texts) == set(MODES)
    assert all("Mara Quill" in text for text in texts.values())


def test_a_variant_has_its_own_top_k_and_model(ferry: LightRAG) -> None:
    few, many, builtin = ferry.compare(
        QUESTION, ["local:top_k=1", Variant("local"), Variant("local", model="builtin")]
    ).results
    assert few.context is not None
    assert many.context is not None
    assert len(few.context.entity_rows) == 1 < len(many.context.entity_rows)
    assert builtin.answer is not None
    assert many.answer is not None
    assert (builtin.answer.language, many.answer.language) == ("builtin", "scripted")


def test_one_column_fails_alone(ferry: LightRAG, monkeypatch: pytest.MonkeyPatch) -> None:
    comparing = ferry.comparing(QUESTION, ["naive", "local"])

    async def away() -> None:
        raise ModelError("The model is away.", hint="Start it.")

    monkeypatch.setattr(comparing.columns[0].stream, "retrieve", away)
    ferry._loop.run(comparing.write())
    failed, fine = comparing.comparison.results
    assert (failed.error, failed.hint, failed.text, failed.answered) == (
        "The model is away.",
        "Start it.",
        "",
        False,
    )
    assert fine.answered
    assert comparing.comparison.answered == (fine,)


@pytest.mark.parametrize(
    ("question", "variants", "error"),
    [
        (" ", ["naive", "mix"], QueryError),
        ("Who?", ["naive"], QueryError),
        ("Who?", ["naive", "best"], QueryError),
        ("Who?", ["naive", "mix:model=nonsense"], SettingsError),
    ],
)
def test_what_cannot_be_compared_is_said(
    ferry: LightRAG, question: str, variants: list[str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        ferry.compare(question, variants)


def test_the_answer_after_a_new_document_is_a_new_one(ferry: LightRAG) -> None:
    """Asking again after the documents changed gave the earlier answer."""
    question = "Who is Ada Pell?"
    before = ferry.compare(question, ["naive", "local"])
    ferry.insert("Ada Pell is the harbour master.", ["pell.txt"])
    after = ferry.compare(question, ["naive", "local"])
    assert after.revision > before.revision
    assert all("harbour master" in result.text for result in after.results)


@pytest.mark.anyio
async def test_once_makes_a_result_once_also_when_one_who_waits_leaves() -> None:
    once: Once[int] = Once()
    made = 0
    go_on = asyncio.Event()

    async def make() -> int:
        nonlocal made
        made += 1
        await go_on.wait()
        return made

    waiting = [asyncio.create_task(once.get("key", make)) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.gather(waiting[0], return_exceptions=True)
    go_on.set()
    assert await asyncio.gather(*waiting[1:]) == [1, 1]
    assert made == 1


@pytest.mark.anyio
async def test_once_tries_again_after_a_failure() -> None:
    once: Once[int] = Once()

    async def fail() -> int:
        raise ModelError("away")

    async def fine() -> int:
        return 7

    with pytest.raises(ModelError):
        await once.get("key", fail)
    assert await once.get("key", fine) == 7
