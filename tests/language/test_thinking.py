import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.language.thinking import ReasoningSplitter

ANSWER = "The guide says replies start with <think>plan</think> and then the answer."


def split(
    reply: str, sizes: list[int], begins_inside: bool = False, cut_off: bool = False
) -> tuple[str, str]:
    splitter = ReasoningSplitter(begins_inside)
    texts, thoughts, start = [], [], 0
    for size in [*sizes, len(reply)]:
        text, thinking = splitter.feed(reply[start : start + size])
        texts.append(text)
        thoughts.append(thinking)
        start += size
    text, thinking = splitter.finish(cut_off)
    return "".join([*texts, text]), "".join([*thoughts, thinking])


SIZES = st.lists(st.integers(1, 7), max_size=30)


@given(SIZES)
@pytest.mark.parametrize(
    ("reply", "text", "thinking"),
    [
        ("<think>Short.</think>\n\nYes", "Yes", "Short."),
        ("\n<think>\n\n</think>\n\nYes", "Yes", "\n\n"),
        ("<THINKING>a < b</THINKING> Yes", "Yes", "a < b"),
        ("<think>still thinking", "", "still thinking"),
        ("[THINK]hm[/THINK]Yes", "Yes", "hm"),
        (ANSWER, ANSWER, ""),
        (f"<think>plan</think>{ANSWER}", ANSWER, "plan"),
        ("<b>bold</b> is fine", "<b>bold</b> is fine", ""),
        ("[1] says so", "[1] says so", ""),
        ("<thi", "<thi", ""),
        ("", "", ""),
    ],
)
def test_only_reasoning_in_front_is_taken_apart(
    reply: str, text: str, thinking: str, sizes: list[int]
) -> None:
    assert split(reply, sizes) == (text, thinking)


@given(SIZES)
def test_a_model_that_begins_inside_its_reasoning(sizes: list[int]) -> None:
    assert split("Hm. So.</think>\n\nYes.", sizes, begins_inside=True) == ("Yes.", "Hm. So.")
    assert split("It answers at once.", sizes, begins_inside=True) == ("It answers at once.", "")
    assert split("It is cut off thinki", sizes, begins_inside=True, cut_off=True) == (
        "",
        "It is cut off thinki",
    )
    assert split("<think>Hm.</think>Yes.", sizes, begins_inside=True) == ("Yes.", "Hm.")


@given(
    st.lists(
        st.sampled_from(["<think>", "</think>", "[THINK]", "[/THINK]", "<", "</th", "[", " ", "a", "\n"])
    ).map("".join),
    SIZES,
)
def test_how_a_reply_is_cut_into_pieces_makes_no_difference(reply: str, sizes: list[int]) -> None:
    assert split(reply, sizes) == split(reply, [])


def test_a_lone_end_of_reasoning_is_noticed() -> None:
    for reply, mistaken in [("Hm.\n</think>\n\nYes", True), (ANSWER, False), ("Yes", False)]:
        splitter = ReasoningSplitter()
        splitter.feed(reply)
        splitter.finish()
        assert splitter.mistaken is mistaken
