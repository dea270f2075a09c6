"""What a chat model asks of the server, and what it makes of the answers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asking import ask, chatting, open_chat
from hypothesis import given
from hypothesis import strategies as st
from ollama_double import ChatCall, ChatDouble, OllamaDouble, Reply, in_turn, reasoning

from lightrag_engine import ModelError, Settings
from lightrag_engine.language.chat import ChatMessage, ChatOptions
from lightrag_engine.language.ollama import OllamaChat, OllamaModel
from lightrag_engine.language.ollama.chat import keep_alive

SCHEMA = {"type": "object", "properties": {"entities": {"type": "array"}}, "required": ["entities"]}
THINKING = {"capabilities": ("completion", "thinking")}


def echo_long(call: ChatCall) -> str:
    return "word " * 50


def test_where_everything_stands_in_the_request() -> None:
    with chatting(in_turn("Hi")) as (double, chat):
        ask(chat, schema=SCHEMA, temperature=0.2, max_tokens=77)
        (body,) = double.bodies("/api/chat")
    assert body["options"] == {"num_ctx": 4096, "num_predict": 77, "temperature": 0.2}
    assert body["format"] == SCHEMA
    assert body["keep_alive"] == "10m"
    assert body["truncate"] is False
    assert body["shift"] is False
    assert "num_ctx" not in body
    assert "think" not in body  # a model that cannot think is not told to


def test_a_reply_comes_in_pieces_with_what_it_cost() -> None:
    async def pieces(chat: OllamaChat) -> list[Any]:
        return [p async for p in chat.stream([ChatMessage("user", "Hello")], ChatOptions(max_tokens=50))]

    with chatting(in_turn("One two three.")) as (_, chat):
        got = asyncio.run(pieces(chat))
    assert [p.text for p in got] == ["One ", "two ", "three.", ""]
    assert all(p.usage is None for p in got[:-1])
    usage = got[-1].usage
    assert (usage.prompt_tokens, usage.reply_tokens, usage.cut_off) == (1, 3, False)
    assert (usage.load_seconds, usage.seconds) == (0.5, 2.0)


def test_a_reply_that_ends_at_the_limit_says_so() -> None:
    with chatting(echo_long) as (_, chat):
        reply = ask(chat, max_tokens=5)
    assert reply.text.split() == ["word"] * 5
    assert reply.usage.cut_off


@pytest.mark.parametrize(
    "said", [Reply(thinking="long " * 20), Reply("<think>still thinking " + "long " * 20)]
)
def test_a_budget_spent_on_thinking_leaves_an_empty_text_that_is_cut_off(said: Reply) -> None:
    with chatting(in_turn(said)) as (_, chat):
        reply = ask(chat, max_tokens=10)
    assert reply.text == ""
    assert "long" in reply.thinking
    assert reply.usage.cut_off


def test_reasoning_inside_the_content_is_no_text() -> None:
    with chatting(in_turn("<think>Hm.\nSo.</think>\n\nThe answer.")) as (_, chat):
        reply = ask(chat)
    assert (reply.text, reply.thinking) == ("The answer.", "Hm.\nSo.")


def test_tags_that_an_answer_talks_about_stay() -> None:
    answer = "The guide says replies start with <think>plan</think> and then the answer."
    with chatting(in_turn(answer)) as (_, chat):
        assert ask(chat).text == answer


def test_a_model_that_began_inside_its_reasoning_once_is_known_for_it() -> None:
    with chatting(in_turn("Hm.\n</think>\n\nYes")) as (_, chat):
        ask(chat)
        reply = ask(chat)
    assert (reply.text, reply.thinking) == ("Yes", "Hm.\n")


@pytest.mark.parametrize(
    ("model", "wish", "sent"),
    [
        ({}, True, None),
        ({}, False, None),
        (THINKING, None, None),
        (THINKING, False, False),
        (THINKING, True, True),
        ({**THINKING, "family": "gptoss"}, False, "low"),
        ({**THINKING, "family": "gptoss"}, True, "high"),
    ],
)
def test_thinking_is_asked_for_as_the_model_takes_it(
    model: dict[str, Any], wish: bool | None, sent: Any
) -> None:
    with chatting(in_turn("Hi"), settings={"thinking": "high"}, **model) as (double, chat):
        ask(chat, think=wish)
        assert double.bodies("/api/chat")[0].get("think") == sent


def test_a_thinking_model_has_its_thoughts_apart() -> None:
    with chatting(reasoning, **THINKING) as (_, chat):
        aloud, silent, by_itself = (ask(chat, "Summarise.", think=think) for think in (True, False, None))
    assert aloud.thinking
    assert not silent.thinking
    assert by_itself.thinking
    assert aloud.text == silent.text == by_itself.text


def test_a_model_that_refuses_to_be_told_about_thinking_is_asked_without() -> None:
    with chatting(in_turn("Hi"), think_refused=True, **THINKING) as (double, chat):
        assert ask(chat, think=True).text == "Hi"
        assert ["think" in body for body in double.bodies("/api/chat")] == [True, False]


def test_the_window_is_one_of_few_sizes_and_never_shrinks() -> None:
    with chatting(in_turn("Hi"), context_length=20_000) as (double, chat):
        for words in (10, 5000, 10, 16_000):
            ask(chat, "word " * words)
        windows = [body["options"]["num_ctx"] for body in double.bodies("/api/chat")]
    assert windows == [4096, 8192, 8192, 20_000]


@given(tokens=st.integers(1, 40_000), own=st.integers(2048, 300_000), most=st.integers(1024, 300_000))
def test_a_window_fits_or_is_all_that_there_is(tokens: int, own: int, most: int) -> None:
    model = OllamaModel("model", context_tokens=own)
    chat = OllamaChat(model, Settings(server_context_tokens=most))
    window = chat._fitting(tokens)
    assert window <= chat.context_tokens == min(own, most)
    assert window >= min(tokens, chat.context_tokens)


def test_a_prompt_with_more_tokens_than_we_count_gets_a_larger_window() -> None:
    # The double counts every sign as a token, we count runs of them as few.
    with chatting(in_turn("Hi"), context_length=32_768) as (double, chat):
        assert ask(chat, "=" * 6000).text == "Hi"
        assert [body["options"]["num_ctx"] for body in double.bodies("/api/chat")] == [4096, 8192]


def test_a_prompt_that_cannot_fit_is_refused_and_never_cut() -> None:
    with chatting(in_turn("Hi"), context_length=4096) as (double, chat):
        with pytest.raises(ModelError, match="5001 tokens") as caught:
            ask(chat, "word " * 5000)
        assert "context" in caught.value.hint
        assert not double.bodies("/api/chat")  # known before it is sent
        with pytest.raises(ModelError, match="too long"):
            ask(chat, "=" * 5000)
        assert len(double.bodies("/api/chat")) == 1


def test_closing_the_stream_stops_the_model() -> None:
    async def first_piece(chat: OllamaChat) -> str:
        stream = chat.stream([ChatMessage("user", "Hello")], ChatOptions(max_tokens=500))
        async for piece in stream:
            await stream.aclose()
            return piece.text
        return ""

    with chatting(lambda call: Reply("word " * 400, gap=0.005)) as (double, chat):
        assert asyncio.run(first_piece(chat)) == "word "
        asyncio.run(_until(lambda: double.aborted == 1))
        assert ask(chat, max_tokens=1).text == "word "  # its turn was given back


def test_half_a_surrogate_pair_can_be_sent() -> None:
    with chatting(in_turn("Hi")) as (double, chat):
        assert ask(chat, "a\ud83db").text == "Hi"
        assert double.bodies("/api/chat")[0]["messages"][0]["content"] == "a?b"


def test_a_model_says_who_it_is() -> None:
    with chatting(in_turn("Hi"), name="qwen3:4b", context_length=262_144) as (_, chat):
        assert chat.name == "ollama:qwen3:4b"
        assert chat.fingerprint == "ollama:qwen3:4b@a80c4f17acd5"
        assert chat.context_tokens == 32_768


def test_a_server_that_does_not_tell_the_context_gets_the_least() -> None:
    assert OllamaChat(OllamaModel("model"), Settings()).context_tokens == 4096


def test_an_embedding_model_is_no_chat_model() -> None:
    with pytest.raises(ModelError, match="cannot chat") as caught:
        OllamaChat(OllamaModel("nomic-embed-text", capabilities=frozenset({"embedding"})), Settings())
    assert "chat model" in caught.value.hint


@pytest.mark.parametrize(("setting", "sent"), [("10m", "10m"), ("300", 300.0), ("-1", -1.0), ("", None)])
def test_keep_alive_is_sent_as_the_protocol_has_it(setting: str, sent: object) -> None:
    assert keep_alive(Settings(server_keep_alive=setting).server_keep_alive) == sent


def test_a_model_of_this_machine_is_preferred_to_a_remote_one() -> None:
    remote = ChatDouble("gpt-oss:120b-cloud", in_turn("far"))
    with OllamaDouble([remote, ChatDouble("near", in_turn("near"))]) as double:
        assert ask(open_chat(double)).text == "near"


async def _until(condition: Any) -> None:
    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0.01)
