"""The built-in embedding model, run for real."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightrag_engine.embedding.base import EmbeddingModel, Role, Vectors
from lightrag_engine.embedding.builtin import BuiltinEmbedding
from lightrag_engine.embedding.e5 import weights
from lightrag_engine.errors import ModelError

TEXTS = (
    "Scrooge hated Christmas.",
    "The ghost of Jacob Marley warned his old partner.",
    "Guan Yu, Zhang Fei and Liu Bei swore brotherhood in the peach garden.",
    "曹操在赤壁被孙权和刘备击败。",
    "London",
    "Der Vertrag wurde 1994 in Marrakesch unterzeichnet.",
    " ".join(["A long passage about trade and tariffs."] * 80),
)


def embed(texts: Sequence[str], role: Role = "passage") -> Vectors:
    return asyncio.run(BuiltinEmbedding().embed(texts, role))


def embed_in_new_process(texts: Sequence[str]) -> Vectors:
    return embed(texts)


@pytest.fixture(scope="module")
def together() -> Vectors:
    return embed(TEXTS)


def test_follows_the_protocol() -> None:
    model: EmbeddingModel = BuiltinEmbedding()
    assert model.name == "builtin:multilingual-e5-small-int8"
    assert model.dimensions == 384


def test_rows_are_unit_length_float32(together: Vectors) -> None:
    assert together.shape == (len(TEXTS), 384)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)


def test_no_texts_give_no_rows() -> None:
    assert embed([]).shape == (0, 384)


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "\u200b\ufeff", "\x01\x02", "\x00", "\ud800"])
def test_a_text_without_content_is_a_row_of_zeros(text: str, together: Vectors) -> None:
    vectors = embed([TEXTS[0], text])
    assert not vectors[1].any()
    np.testing.assert_array_equal(vectors[0], together[0])


def test_a_vector_does_not_depend_on_its_batch_or_place(together: Vectors) -> None:
    for text, vector in zip(TEXTS, together, strict=True):
        np.testing.assert_array_equal(embed([text])[0], vector)
    np.testing.assert_array_equal(embed(TEXTS[::-1]), together[::-1])
    np.testing.assert_array_equal(embed([TEXTS[0]] * 150)[149], together[0])


WORDS = st.sampled_from(["the", "ghost", "曹操", "of", "tariffs", "über", "рынок", "42", ",", "。"])


@settings(max_examples=15, deadline=None)
@given(st.lists(st.lists(WORDS, min_size=1, max_size=40).map(" ".join), min_size=2, max_size=6))
def test_adding_one_by_one_equals_adding_together(texts: list[str]) -> None:
    np.testing.assert_array_equal(embed(texts), np.concatenate([embed([text]) for text in texts]))


HOSTILE = st.text(
    st.one_of(st.characters(codec=None), st.sampled_from("\ufdfa\x00\ud800\udc00\u0301\u200d▁</s>🇩🇪")),
    max_size=60,
)


@settings(max_examples=60, deadline=None)
@given(HOSTILE, st.sampled_from(["query", "passage"]))
def test_any_string_gives_a_unit_or_zero_row(text: str, role: Role) -> None:
    vectors = embed([text, TEXTS[0]], role)
    assert np.isfinite(vectors).all()
    length = float(np.linalg.norm(vectors[0]))
    assert length == 0 or abs(length - 1) < 1e-5
    np.testing.assert_array_equal(vectors[1], embed([TEXTS[0]], role)[0])


def test_characters_that_expand_are_safe() -> None:
    vectors = embed(["\ufdfa" * 500, "a\u0301" * 2000])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_text_after_a_nul_counts() -> None:
    first, second = embed(["profit\x00 of the brewery", "profit of the brewery"])
    assert first @ second > 0.999


def test_meaning_in_english_chinese_and_across() -> None:
    answers = [
        "Ebenezer Scrooge was a miser who hated Christmas.",
        "The brewery bought a second warehouse in Leipzig.",
        "曹操在赤壁之战中被孙权和刘备的联军击败。",
        "水在零度结成冰。",
    ]
    questions = {
        "Who disliked the Christmas holidays?": 0,
        "Which company expanded its storage?": 1,
        "谁在赤壁打了败仗?": 2,
        "Which battle did the Chinese general Cao Cao lose?": 2,
        "At what temperature does water freeze?": 3,
        "谁讨厌圣诞节?": 0,
    }
    similarity = embed(list(questions), "query") @ embed(answers).T
    assert similarity.argmax(axis=1).tolist() == list(questions.values())


def test_the_roles_differ() -> None:
    query = embed([TEXTS[0]], "query")[0]
    passage = embed([TEXTS[0]], "passage")[0]
    assert 0.8 < query @ passage < 0.9999


def test_every_part_of_a_long_text_counts() -> None:
    filler = "The tariff schedule lists the duties of every article. " * 60
    story = "Ebenezer Scrooge hated Christmas and was visited by three ghosts. " * 60
    question = embed(["Who was visited by ghosts?"], "query")[0]
    plain, with_end = embed([filler, filler + story])
    assert question @ with_end > question @ plain + 0.01


def test_threads_at_the_same_time_get_the_same(together: Vectors) -> None:
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(embed, [TEXTS] * 4):
            np.testing.assert_array_equal(vectors, together)


def test_a_spawned_process_gets_the_same(together: Vectors) -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        np.testing.assert_array_equal(pool.submit(embed_in_new_process, TEXTS).result(), together)


def test_the_event_loop_stays_free_and_cancelling_works() -> None:
    async def cancel_soon() -> int:
        task = asyncio.create_task(BuiltinEmbedding().embed([TEXTS[-1]] * 500, "passage"))
        ticks = 0
        while not task.done() and ticks < 20:
            await asyncio.sleep(0.01)
            ticks += 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return ticks

    embed(["load the model first"])
    assert asyncio.run(cancel_soon()) == 20


def test_missing_weights_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "PACKAGE", "a_package_that_is_not_installed")
    with pytest.raises(ModelError, match="not installed") as caught:
        BuiltinEmbedding()
    assert "Ollama" in caught.value.hint
    assert "WSL" in caught.value.hint


@pytest.mark.parametrize("content", [b"", b"something else entirely, not weights", b"E5S1\x01\0\0\0"])
def test_a_broken_weights_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.bin"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"broken\.bin"):
        asyncio.run(BuiltinEmbedding(weights=path).embed(["text"], "passage"))


def test_a_cut_off_weights_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cut.bin"
    path.write_bytes(weights.find_weights().read_bytes()[:60_000_000])
    with pytest.raises(ModelError, match=r"cut\.bin"):
        asyncio.run(BuiltinEmbedding(weights=path).embed(["text"], "passage"))
