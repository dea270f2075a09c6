"""What goes wrong with a server, and what becomes of it."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from typing import Any

import httpx
import pytest
from asking import PATIENCE, ask, chatting
from ollama_double import EmbedDouble, OllamaDouble, Reply, in_turn

from lightrag_engine import ModelError, Settings, SettingsError
from lightrag_engine.errors import MissingModelError, ServerAwayError
from lightrag_engine.language.chat import ChatMessage, ChatOptions, reply
from lightrag_engine.language.ollama import OllamaChat, OllamaModel
from lightrag_engine.language.ollama.failures import explain
from lightrag_engine.language.patience import Patience, error_text

IMPATIENT = dataclasses.replace(PATIENCE, first_token=0.15, silence=0.15)


@pytest.mark.parametrize(
    "fault",
    [
        Reply(status=503, error="server busy, please try again.  maximum pending requests exceeded"),
        Reply(status=500, error="llama runner process has terminated"),
        Reply("One two", drop_after=0),
        Reply("One two", error="unexpected EOF", error_after=0),
    ],
    ids=["busy", "crash", "reset", "error line"],
)
def test_what_may_pass_is_tried_again(fault: Reply) -> None:
    with chatting(in_turn(fault, fault, "Hi")) as (double, chat):
        assert ask(chat).text == "Hi"
        assert len(double.bodies("/api/chat")) == 3


def test_a_slow_first_token_is_tried_again() -> None:
    with chatting(in_turn(Reply("late", first_delay=0.4), "Hi"), IMPATIENT) as (_, chat):
        assert ask(chat).text == "Hi"


def test_trying_again_ends() -> None:
    with chatting(in_turn(Reply(status=503, error="server busy"))) as (double, chat):
        with pytest.raises(ModelError, match="busy"):
            ask(chat)
        assert len(double.bodies("/api/chat")) == PATIENCE.attempts


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Reply("One two three", drop_after=2), "broke off"),
        (
            Reply("One two three", error="CUDA error: out of memory", error_after=2),
            "does not fit into memory",
        ),
        (Reply("One two three", error="unexpected EOF", error_after=2), "unexpected EOF"),
        (
            Reply(raw_line='{"message": {"role": "assistant", "content": "One "}, "done": false}'),
            "before it was complete",
        ),
        (Reply("One two three", gap=0.4), "a silence of more than 0.15 s"),
    ],
    ids=["reset", "memory", "error line", "no end", "silence"],
)
def test_a_reply_that_breaks_off_is_an_error_and_not_begun_anew(fault: Reply, message: str) -> None:
    got: list[str] = []

    async def listen(chat: OllamaChat) -> None:
        async for piece in chat.stream([ChatMessage("user", "Hello")], ChatOptions(max_tokens=50)):
            got.append(piece.text)

    with chatting(in_turn(fault), IMPATIENT) as (double, chat):
        with pytest.raises(ModelError, match=message):
            asyncio.run(listen(chat))
        assert got[0] == "One "
        assert len(double.bodies("/api/chat")) == 1


@pytest.mark.parametrize(
    ("status", "error", "message", "hint"),
    [
        (404, "model 'model' not found", 'model "model:latest" is not on', "ollama pull model"),
        (400, "the input length exceeds the context length", "too long", "context"),
        (500, "the input length exceeds the context length", "too long", "context"),
        (400, '"model" does not support chat', "cannot chat", "chat model"),
        (500, "model requires more system memory (9 GiB) than is available (2 GiB)", "memory", "smaller"),
        (401, "unauthorized", "unauthorized", "ollama signin"),
        (400, "invalid format", "invalid format", "log"),
    ],
)
def test_what_will_not_pass_is_told_at_once(status: int, error: str, message: str, hint: str) -> None:
    with chatting(in_turn(Reply(status=status, error=error)), context_length=4096) as (double, chat):
        with pytest.raises(ModelError, match=message) as caught:
            ask(chat)
        assert hint in caught.value.hint
        assert len(double.bodies("/api/chat")) == 1


@pytest.mark.parametrize("error", ["x" * 5000, {"message": "odd", "code": 1}, None, 7, ""])
def test_whatever_the_server_says_becomes_a_short_message(error: Any) -> None:
    refused = in_turn(Reply(status=400, error=error))
    with chatting(refused) as (_, chat), pytest.raises(ModelError) as caught:
        ask(chat)
    assert len(str(caught.value)) < 500


PAGE = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>" + "<p>x</p>" * 500


@pytest.mark.parametrize("status", [502, 503, 504, 429])
def test_a_server_that_is_not_ready_may_be_so_later(status: int) -> None:
    """Documents wait for a server that is busy, or away behind its proxy, instead of failing."""
    with chatting(in_turn(Reply(status=status, page=PAGE))) as (double, chat):
        with pytest.raises(ServerAwayError, match="busy or not ready: a web page: 502 Bad Gateway"):
            ask(chat)
        assert len(double.bodies("/api/chat")) == PATIENCE.attempts


@pytest.mark.parametrize("status", [200, 400, 403, 404])
def test_a_web_page_in_place_of_a_reply_is_said_to_be_one(status: int) -> None:
    said = "not JSON" if status == 200 else "a web page"
    with (
        chatting(in_turn(Reply(status=status, page=PAGE))) as (_, chat),
        pytest.raises(ModelError, match=said) as caught,
    ):
        ask(chat)
    assert not isinstance(caught.value, ServerAwayError)
    assert "<" not in str(caught.value)


def test_what_comes_after_the_last_line_is_none_of_the_reply() -> None:
    line = '{{"model": "m", "message": {{"role": "assistant", "content": "{}"}}, "done": {}}}'
    lines = "\n".join([line.format("One", "false"), line.format("", "true"), line.format(" more", "true")])
    for tail in ("", "\n%%%", "\n" + line.format("x", "false")):
        with chatting(in_turn(Reply(raw_line=lines + tail))) as (_, chat):
            assert ask(chat).text == "One"


def test_one_very_long_line_is_read() -> None:
    with chatting(in_turn(Reply("a" * 1_000_000))) as (_, chat):
        assert len(ask(chat).text) == 1_000_000


def test_a_model_that_was_removed_can_be_pulled() -> None:
    with OllamaDouble() as double:
        chat = OllamaChat(OllamaModel("gone"), Settings(ollama_host=double.address), PATIENCE)
        with pytest.raises(MissingModelError, match='"gone" is not on') as caught:
            ask(chat)
        assert caught.value.model == "gone"
        assert double.address.removeprefix("http://") in str(caught.value)
    assert "ollama pull gone" in caught.value.hint


def test_an_embedding_model_that_is_asked_to_chat() -> None:
    with OllamaDouble([EmbedDouble("embedder")]) as double:
        chat = OllamaChat(OllamaModel("embedder"), Settings(ollama_host=double.address), PATIENCE)
        with pytest.raises(ModelError, match="cannot chat"):
            ask(chat)


@pytest.mark.parametrize("host", ["http://127.0.0.1:9", "127.0.0.1:9/"])
def test_a_server_that_is_not_there(host: str) -> None:
    chat = OllamaChat(OllamaModel("model"), Settings(ollama_host=host), PATIENCE)
    started = time.monotonic()
    with pytest.raises(ModelError, match=r"127\.0\.0\.1:9 does not answer") as caught:
        ask(chat)
    assert time.monotonic() - started < 30
    assert "ollama serve" in caught.value.hint


def test_something_that_is_no_ollama_server() -> None:
    for line in ("<html>", "[1, 2]", '{"done": true}', "3"):
        with (
            chatting(in_turn(Reply(raw_line=line))) as (_, chat),
            pytest.raises(ModelError, match="does not speak Ollama"),
        ):
            ask(chat)


def test_only_a_running_request_counts_against_the_limit() -> None:
    async def many(chat: OllamaChat) -> list[str]:
        question = [ChatMessage("user", "Hello")]
        replies = [reply(chat, question, ChatOptions(max_tokens=10)) for _ in range(8)]
        return [answer.text for answer in await asyncio.gather(*replies)]

    # Eight replies of 0.1 s, one after another, take longer than the limit of 0.75 s for each.
    patience = dataclasses.replace(PATIENCE, first_token=0.75, attempts=1)
    slow = Reply("Hi", first_delay=0.1)
    with chatting(in_turn(slow), patience, {"server_parallel": 1}, {"slots": 1}) as (double, chat):
        started = time.monotonic()
        assert asyncio.run(many(chat)) == ["Hi"] * 8
        assert time.monotonic() - started > 0.7
        assert double.most_at_once == 1


@pytest.mark.parametrize("parallel", [1, 3])
def test_requests_at_once_are_bounded(parallel: int) -> None:
    async def many(chat: OllamaChat) -> None:
        question = [ChatMessage("user", "Hello")]
        await asyncio.gather(*(reply(chat, question, ChatOptions(max_tokens=10)) for _ in range(6)))

    settings = {"server_parallel": parallel}
    with chatting(in_turn(Reply("Hi", first_delay=0.05)), settings=settings, server={"slots": 9}) as (
        double,
        chat,
    ):
        asyncio.run(many(chat))
        assert double.most_at_once == parallel


def test_a_full_queue_passes() -> None:
    async def many(chat: OllamaChat) -> None:
        question = [ChatMessage("user", "Hello")]
        await asyncio.gather(*(reply(chat, question, ChatOptions(max_tokens=10)) for _ in range(3)))

    patience = dataclasses.replace(PATIENCE, attempts=30)
    server = {"slots": 1, "queue": 0}
    with chatting(in_turn(Reply("Hi", first_delay=0.02)), patience, {"server_parallel": 3}, server) as (
        double,
        chat,
    ):
        asyncio.run(many(chat))
        assert len(double.bodies("/api/chat")) > 3


@pytest.mark.parametrize("error", [httpx.ReadTimeout(""), TimeoutError(), ValueError("  ")])
def test_an_error_without_a_text_is_shown_by_its_class(error: Exception) -> None:
    assert error_text(error) == type(error).__name__


def test_an_empty_time_out_is_explained_by_its_class() -> None:
    assert "ReadTimeout" in str(explain(httpx.ReadTimeout(""), "http://127.0.0.1:11434", "model"))


TIMES = ["server_connect_timeout", "server_first_token_timeout", "server_silence_timeout"]


@pytest.mark.parametrize("name", TIMES)
@pytest.mark.parametrize("value", ["abc", "-5", "nan", "inf"])
def test_a_time_that_is_none_is_refused_by_name(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"LIGHTRAG_{name.upper()}", value)
    with pytest.raises(SettingsError, match=name):
        Settings()


@pytest.mark.parametrize("name", TIMES)
def test_nought_is_no_limit_and_empty_the_default(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = name.removeprefix("server_").removesuffix("_timeout")
    monkeypatch.setenv(f"LIGHTRAG_{name.upper()}", "0")
    assert getattr(Patience.of(Settings()), limit) is None
    monkeypatch.setenv(f"LIGHTRAG_{name.upper()}", "")
    assert getattr(Patience.of(Settings()), limit) == getattr(Patience(), limit)


def test_no_limit_at_all_works() -> None:
    nothing: dict[str, Any] = dict.fromkeys(("connect", "first_token", "silence"))
    with chatting(in_turn("Hi"), dataclasses.replace(PATIENCE, **nothing)) as (_, chat):
        assert ask(chat).text == "Hi"
