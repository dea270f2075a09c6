"""What models put around their answers, taken off while they stream."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.language.tasks.cleaning import AnswerCleaner

QUESTION = "What does Mara Quill charge?"
PROMPT = f"You answer questions.\n-----Sources-----\nid,content\n1,x\n\nQuestion: {QUESTION}\n"
TEXT = "She charges **two** crowns [1].\n\n- per head"


def clean(reply: str, size: int = 3) -> str:
    cleaner = AnswerCleaner((PROMPT, QUESTION))
    pieces = [cleaner.feed(reply[at : at + size]) for at in range(0, len(reply), size)]
    return "".join([*pieces, cleaner.finish()])


@pytest.mark.parametrize(
    "front",
    [
        "",
        "\n\n",
        "<think>Hm, {what}?</think>\n\n",
        "<think></think><think>again</think>",
        "Assistant: ",
        "**Answer:** ",
        "Answer:\n",
        "assistant\n\n",
        "<|im_start|>assistant\n",
        f"{QUESTION}\n\n",
        f"Question: {QUESTION}\nAnswer: ",
        f"**{QUESTION}**\n\n",
        PROMPT,
        f"{PROMPT}\nAssistant: ",
        f"<think>x</think>\nQuestion: {QUESTION.upper()}\nAI: ",
        "回答：",
    ],
)
@pytest.mark.parametrize("size", [1, 4, 1000])
@pytest.mark.parametrize("end", ["", "\n", "<|im_end|>", "</s>\n", "<|eot_id|><|eot_id|>"])
def test_what_stands_in_front_and_at_the_end_goes(front: str, size: int, end: str) -> None:
    assert clean(front + TEXT + end, size) == TEXT


@pytest.mark.parametrize(
    "text",
    [
        "The guide says replies start with <think>plan</think> and then the answer.",
        "Answering is hard: <|im_start|>user and <|im_end|> mark turns.",
        "What does Mara Quill want? was the title of her book.",
        "What does Mara Quill charge and why is what you ask.",
        "Model: Cormorant.",
        "Assistants: the crew.",
        "Models: A and B.",
        "Assistant",
        "A < B",
        "<b>Bold</b> text <",
        "[1] says so.",
        "Human rights: all of them.",
    ],
)
@pytest.mark.parametrize("size", [1, 5, 1000])
def test_the_answer_itself_stays_as_it_is(text: str, size: int) -> None:
    assert clean(text, size) == text


def test_reasoning_that_never_ends_is_no_answer() -> None:
    assert clean("<think>and so on and on") == ""
    assert clean("") == ""


def test_a_long_prompt_that_is_repeated_costs_little() -> None:
    prompt = "A rule and a table row, once more. " * 4_000
    cleaner = AnswerCleaner((prompt, QUESTION))
    reply = f"{prompt}\nAnswer: {TEXT}"
    pieces = [cleaner.feed(reply[at : at + 4]) for at in range(0, len(reply), 4)]
    assert "".join([*pieces, cleaner.finish()]) == TEXT


def test_text_comes_at_once() -> None:
    cleaner = AnswerCleaner((PROMPT, QUESTION))
    assert cleaner.feed("She charges") == "She charges"
    assert cleaner.feed(" two") == " two"


PARTS = [
    QUESTION,
    QUESTION.upper(),
    PROMPT,
    "Answer:",
    "Question: ",
    "<think>",
    "</think>",
    "<|im_end|>",
    "</s>",
]


@given(
    st.lists(st.sampled_from([*PARTS, "a", " ", "\n", "<", "**", "?", "|", "model"]), max_size=8),
    st.integers(1, 9),
)
def test_the_size_of_pieces_plays_no_part(parts: list[str], size: int) -> None:
    text = "".join(parts)
    assert clean(text, size) == clean(text, 10_000)
