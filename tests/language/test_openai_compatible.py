"""An OpenAI-compatible server with the real client against a double."""

from __future__ import annotations

import asyncio
import sys

import pytest
from asking import PATIENCE, ask
from openai_double import OpenAIDouble

from lightrag_engine import ModelError, Settings, SettingsError
from lightrag_engine.errors import ServerAwayError
from lightrag_engine.language.openai_compatible import OpenAICompatibleChat
from lightrag_engine.language.openai_server import OpenAIModel, base_url, list_models

SCHEMA = {"type": "object", "properties": {"entities": {"type": "array"}}}


def opened(double: OpenAIDouble, name: str = "model", **settings: object) -> OpenAICompatibleChat:
    chosen = Settings(openai_base_url=double.address, **settings)
    return OpenAICompatibleChat(OpenAIModel(name), chosen, PATIENCE)


def test_the_servers_models_with_their_context() -> None:
    with OpenAIDouble() as double:
        models = asyncio.run(list_models(Settings(openai_base_url=double.address)))
    assert models == (OpenAIModel("model", 4096),)


def test_a_reply_and_what_it_was_asked_with() -> None:
    with OpenAIDouble("One two three.") as double:
        reply = ask(opened(double), schema=SCHEMA, temperature=0.2, think=False)
        (body,) = double.bodies
    assert reply.text == "One two three."
    assert (reply.usage.prompt_tokens, reply.usage.reply_tokens, reply.usage.cut_off) == (7, 3, False)
    assert (body["max_tokens"], body["temperature"]) == (100, 0.2)
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert body["chat_template_kwargs"] == {"enable_thinking": False}


def test_a_server_that_knows_no_template_settings_is_asked_without() -> None:
    with OpenAIDouble(templates=False) as double:
        assert ask(opened(double), think=False).text == "Hi"


@pytest.mark.parametrize(
    "double",
    [OpenAIDouble("Yes", reasoning="Hm. "), OpenAIDouble("<think>Hm. </think>\n\nYes")],
    ids=["apart", "in the text"],
)
def test_reasoning_is_no_text(double: OpenAIDouble) -> None:
    with double:
        reply = ask(opened(double))
    assert (reply.text, reply.thinking) == ("Yes", "Hm. ")


def test_a_reply_that_ends_at_the_limit_says_so() -> None:
    with OpenAIDouble("word " * 50) as double:
        reply = ask(opened(double), max_tokens=3)
    assert reply.usage.cut_off
    assert reply.text.split() == ["word"] * 3


def test_prompt_and_reply_stay_inside_the_context() -> None:
    with OpenAIDouble() as double:
        chat = opened(double, server_context_tokens=2048)
        ask(chat, "word " * 1000, max_tokens=4000)
        assert double.bodies[0]["max_tokens"] < 2048 - 1000
        with pytest.raises(ModelError, match="takes 2048"):
            ask(chat, "word " * 3000)


def test_what_may_pass_is_tried_again() -> None:
    with OpenAIDouble(refusals=[(503, "busy"), (500, "crashed")]) as double:
        assert ask(opened(double)).text == "Hi"


@pytest.mark.parametrize(
    ("refusal", "message"),
    [
        ((400, "This model's maximum context length is 512 tokens."), "too long"),
        ((401, "no"), "wants a key"),
        ((400, "odd"), "odd"),
    ],
)
def test_what_will_not_pass_is_told_at_once(refusal: tuple[int, str], message: str) -> None:
    with OpenAIDouble(refusals=[refusal]) as double:
        with pytest.raises(ModelError, match=message):
            ask(opened(double))
        assert len(double.bodies) == 1


def test_documents_can_wait_for_a_server_that_stays_busy() -> None:
    with (
        OpenAIDouble(refusals=[(503, "loading")] * 3) as double,
        pytest.raises(ServerAwayError, match="busy or not ready"),
    ):
        ask(opened(double))


def test_a_reply_that_breaks_off_is_an_error() -> None:
    with OpenAIDouble("One two", finish="") as double:
        with pytest.raises(ServerAwayError, match="before it was complete"):
            ask(opened(double))
        assert len(double.bodies) == 1


def test_a_missing_model_and_a_missing_server() -> None:
    with OpenAIDouble() as double:
        chat = opened(double, "gone")
        with pytest.raises(ModelError, match='"gone" is not on the model server'):
            ask(chat)
    with pytest.raises(ServerAwayError, match="does not answer"):
        ask(chat)


def test_a_key_of_the_environment_goes_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-another-server")
    with OpenAIDouble() as double:
        ask(opened(double))
        ask(opened(double, openai_api_key="mine"))
        assert double.keys == ["Bearer none", "Bearer mine"]
    assert "mine" not in repr(Settings(openai_api_key="mine"))


@pytest.mark.parametrize(
    ("setting", "url"),
    [
        ("127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
        ("http://box:8000/", "http://box:8000/v1"),
        ("https://box/llm/v1", "https://box/llm/v1"),
    ],
)
def test_the_address_may_be_short(setting: str, url: str) -> None:
    assert base_url(Settings(openai_base_url=setting)) == url


@pytest.mark.parametrize("setting", ["", "ftp://box", "box:abc", "two words"])
def test_what_is_no_address_is_refused_by_name(setting: str) -> None:
    with pytest.raises(SettingsError, match="openai_base_url"):
        base_url(Settings(openai_base_url=setting))


def test_a_missing_library_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ModelError, match="package openai") as caught:
        OpenAICompatibleChat(OpenAIModel("model"), Settings(openai_base_url="127.0.0.1:8080"))
    assert "pip install" in caught.value.hint
