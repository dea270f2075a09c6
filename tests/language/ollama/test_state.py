from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncGenerator, Sequence
from typing import cast

import pytest
from ollama_double import ChatDouble, EmbedDouble, OllamaDouble, in_turn

from lightrag_engine import ModelError, Settings, SettingsError
from lightrag_engine.language.ollama import OllamaState, PullProgress, discover, pull

HI = in_turn("Hi")


def look(double: OllamaDouble) -> OllamaState:
    return asyncio.run(discover(Settings(ollama_host=double.address)))


def test_the_models_and_what_they_can_do() -> None:
    thinker = ChatDouble("qwen3:4b", HI, 40960, ("completion", "tools", "thinking"), "qwen3", "4.0B")
    with OllamaDouble([thinker, EmbedDouble("nomic-embed-text", 768, 2048, "nomic-bert")]) as double:
        state = look(double)
    assert state.reachable
    assert state.version == "0.13.5"
    chat, embedding = state.models
    assert (chat.name, chat.family, chat.parameter_size, chat.quantization) == (
        "qwen3:4b",
        "qwen3",
        "4.0B",
        "Q4_K_M",
    )
    assert chat.size > 10**9
    assert chat.digest.startswith("a80c")
    assert (chat.context_tokens, chat.thinks, chat.embeds, chat.remote) == (40960, True, False, False)
    assert (embedding.context_tokens, embedding.dimensions, embedding.chats) == (2048, 768, False)
    assert state.chat_models == (chat,)
    assert state.embedding_models == (embedding,)
    assert state.find("nomic-embed-text") == state.find("nomic-embed-text:latest") == embedding
    assert state.find("qwen3") is None


def test_a_model_of_another_machine_is_marked() -> None:
    models = [
        ChatDouble("a:cloud", HI),
        ChatDouble("b", HI, remote_host="https://ollama.com"),
        ChatDouble("c", HI),
    ]
    with OllamaDouble(models) as double:
        state = look(double)
    assert {m.name for m in state.models if m.remote} == {"a:cloud", "b:latest"}
    assert state.chat_models[0].name == "c:latest"


def test_an_older_server_does_not_tell_what_a_model_can_do() -> None:
    models = [ChatDouble("llama3", HI), EmbedDouble("all-minilm"), EmbedDouble("odd", family="bert")]
    with OllamaDouble(models, old=True) as double:
        state = look(double)
    assert [m.name for m in state.chat_models] == ["llama3:latest"]
    assert [m.name for m in state.embedding_models] == ["all-minilm:latest", "odd:latest"]


def test_a_server_without_models_is_still_there() -> None:
    with OllamaDouble() as double:
        state = look(double)
    assert state.reachable
    assert state.models == ()


@pytest.mark.parametrize("host", ["http://127.0.0.1:9", "127.0.0.1:9/"])
def test_no_server_is_found_out_at_once(host: str) -> None:
    started = time.monotonic()
    state = asyncio.run(discover(Settings(ollama_host=host)))
    assert time.monotonic() - started < 30
    assert not state.reachable
    assert "127.0.0.1:9" in state.reason
    assert "ollama serve" in state.hint


def test_a_server_of_another_kind_is_told_apart() -> None:
    with OllamaDouble() as double:
        state = asyncio.run(discover(Settings(ollama_host=f"{double.address}/elsewhere")))
    assert not state.reachable
    assert "404 page not found" in state.reason


def test_a_server_that_says_nothing_does_not_hold_us(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lightrag_engine.language.ollama.state._READ_LIMIT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        state = asyncio.run(discover(Settings(ollama_host=f"127.0.0.1:{silent.getsockname()[1]}")))
    assert not state.reachable
    assert "ReadTimeout" in state.reason


def test_a_proxy_of_the_environment_is_not_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with OllamaDouble() as double:
        assert look(double).reachable


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match="ollama_host"):
        asyncio.run(discover(Settings(ollama_host="two words")))


def get(double: OllamaDouble) -> list[PullProgress]:
    async def steps() -> list[PullProgress]:
        return [step async for step in pull(Settings(ollama_host=double.address), "qwen3:4b")]

    return asyncio.run(steps())


def test_pulling_tells_how_far_it_is() -> None:
    with OllamaDouble() as double:
        steps = get(double)
        assert double.bodies("/api/pull")[0]["model"] == "qwen3:4b"
    assert steps[0] == PullProgress("pulling manifest")
    assert steps[1].completed == 0
    assert steps[1].total == steps[11].completed == steps[11].total > 0
    assert steps[-1].status == "success"


def test_a_pull_ends_at_once_when_it_is_closed() -> None:
    async def begin_and_stop() -> None:
        steps = cast(AsyncGenerator[PullProgress, None], pull(settings, "qwen3:4b"))
        assert (await anext(steps)).status == "pulling manifest"
        waiting = asyncio.create_task(anext(steps))  # type: ignore[arg-type]
        await asyncio.sleep(0.05)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await steps.aclose()

    with OllamaDouble(pull_gap=60) as double:
        settings = Settings(ollama_host=double.address)
        began = time.monotonic()
        asyncio.run(begin_and_stop())
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    "name", ["hf.co/bartowski/Llama-3.2-3B-GGUF:Q4_K_M", "box:5000/team/model", "модель/小模型:7b", "a.b_c-d"]
)
def test_names_of_all_kinds_are_found_as_they_are(name: str) -> None:
    with OllamaDouble([ChatDouble(name, HI)]) as double:
        state = look(double)
    found = state.find(name)
    assert found is not None
    assert found.name.removesuffix(":latest") == name
    assert state.find(name.upper()) == found


def test_an_ipv6_address_is_reached() -> None:
    class Double6(OllamaDouble):
        host, family = "::1", socket.AF_INET6

    try:
        double = Double6([ChatDouble("model", HI)])
    except OSError:
        pytest.skip("this machine has no IPv6")
    with double:
        port = double.address.rpartition(":")[2]
        for host in (f"[::1]:{port}", f"http://[::1]:{port}/"):
            state = asyncio.run(discover(Settings(ollama_host=host)))
            assert [m.name for m in state.models] == ["model:latest"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            [{"status": "pulling manifest"}, {"error": "pull model manifest: file does not exist"}],
            "file does not",
        ),
        ([{"status": "pulling manifest"}], "broke off"),
    ],
)
def test_a_pull_that_fails_says_why(lines: Sequence[dict[str, str]], message: str) -> None:
    with OllamaDouble(pull=lines) as double, pytest.raises(ModelError, match=message):
        get(double)
