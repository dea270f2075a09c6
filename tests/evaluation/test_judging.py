"""A model as judge, in both orders."""

from __future__ import annotations

import json

import pytest
from conftest import MakeRag
from evaluation.conftest import FERRY, CountingLanguage, JudgingLanguage, judgement_reply
from hypothesis import given
from hypothesis import strategies as st
from scripted_chat import ScriptedChat

from lightrag_engine import LightRAG, ModelError, Settings
from lightrag_engine.evaluation.judging import combined, judge_of, judge_pair, judge_pairs
from lightrag_engine.language.by_task import LanguageByTask
from lightrag_engine.language.llm import PromptedLanguage
from lightrag_engine.language.parsing.judgement import MAX_REASON, parse_judgement
from lightrag_engine.records import CRITERIA, Ruling

QUESTION = "What was founded by Mara Quill?"


def prompted(*script: str, **chat: int) -> PromptedLanguage:
    return PromptedLanguage(ScriptedChat(*script, **chat), Settings(), CountingLanguage())


@pytest.mark.anyio
async def test_a_winner_needs_both_orders() -> None:
    verdict = await judge_pair(JudgingLanguage(), QUESTION, ("naive", "short"), ("mix", "a long answer"))
    by_name = {criterion.criterion: criterion for criterion in verdict.criteria}
    assert by_name["overall"].winner == "mix"
    assert by_name["overall"].agreed
    assert by_name["overall"].said == ("mix", "mix")
    assert by_name["overall"].reasons == ("by overall", "by overall")
    # Whichever stood first was said to be more diverse: that is a tie, and reported.
    assert by_name["diversity"].winner == ""
    assert not by_name["diversity"].agreed
    assert by_name["diversity"].said == ("naive", "mix")
    assert [duel.winner for duel in verdict.duels if duel.criterion == "diversity"] == [""]


@pytest.mark.anyio
async def test_every_pair_is_judged_in_both_orders() -> None:
    language = JudgingLanguage()
    heard = []
    pairs = await judge_pairs(
        language, QUESTION, [("naive", "a"), ("local", "bb"), ("mix", "ccc")], heard.append
    )
    assert {(pair.first, pair.second) for pair in pairs} == {
        ("naive", "local"),
        ("naive", "mix"),
        ("local", "mix"),
    }
    assert sorted(language.judged) == sorted(
        [("a", "bb"), ("bb", "a"), ("a", "ccc"), ("ccc", "a"), ("bb", "ccc"), ("ccc", "bb")]
    )
    assert set(heard) == set(pairs)


rulings = st.lists(
    st.builds(Ruling, st.sampled_from(CRITERIA), st.sampled_from([0, 1, 2])),
    unique_by=lambda ruling: ruling.criterion,
)


@given(rulings, rulings)
def test_exchanging_the_answers_changes_no_verdict(forth: list[Ruling], back: list[Ruling]) -> None:
    one = combined(("a", "b"), forth, back)
    other = combined(("b", "a"), back, forth)
    assert [(v.criterion, v.winner, v.agreed) for v in one] == [
        (v.criterion, v.winner, v.agreed) for v in other
    ]
    for verdict in one:
        assert verdict.agreed or verdict.winner == ""


@pytest.mark.anyio
async def test_a_chat_model_judges_from_a_prompt_with_a_schema() -> None:
    language = prompted(judgement_reply("2", diversity="tie"))
    ruled = await language.judge("Who?", "one {answer}", "another")
    assert [(r.criterion, r.winner) for r in ruled] == [
        ("comprehensiveness", 2),
        ("diversity", 0),
        ("empowerment", 2),
        ("overall", 2),
    ]
    assert ruled[0].reason == "because of comprehensiveness"


@pytest.mark.anyio
async def test_an_unreadable_judgement_is_asked_for_again_and_then_said() -> None:
    chat = ScriptedChat("I like both.", judgement_reply("1"))
    language = PromptedLanguage(chat, Settings(), CountingLanguage())
    assert (await language.judge("Who?", "one", "two"))[0].winner == 1
    assert len(chat.requests) == 2
    request = chat.requests[0]
    assert request.text.index("\none\n") < request.text.index("\ntwo\n")
    assert request.options.schema is not None
    with pytest.raises(ModelError, match="no usable judgement"):
        await prompted("I'm sorry.").judge("Who?", "one", "two")


@pytest.mark.anyio
async def test_long_answers_fit_into_the_context_of_the_judge() -> None:
    chat = ScriptedChat(judgement_reply(), context_tokens=4096)
    language = PromptedLanguage(chat, Settings(), CountingLanguage())
    assert await language.judge("Who?", "word " * 9000, "杯" * 9000)
    assert "Question: Who?" in chat.requests[0].text


REPLY = judgement_reply("1")


@pytest.mark.parametrize(
    "reply",
    [
        REPLY,
        f"```json\n{REPLY}\n```",
        f"<think>Answer 2 looks better at first.</think>Here it is: {REPLY} Hope it helps {{:-)",
        f'{{"judgement": {REPLY}}}',
        json.dumps([{"criterion": c.title(), "winner": "Answer 1", "explanation": "x"} for c in CRITERIA]),
        json.dumps(dict.fromkeys(CRITERIA, "Answer 1")),
        json.dumps({c.capitalize(): {"Winner": 1} for c in CRITERIA}),
        REPLY[:-1] + ",}",
        "\n".join(f"**{c.title()}**: Answer 1 - it says more" for c in CRITERIA),
        "\n".join(f"- {c}: first, because it is better" for c in CRITERIA),
    ],
)
def test_judgements_are_read_in_whatever_they_are_wrapped(reply: str) -> None:
    assert [(r.criterion, r.winner) for r in parse_judgement(reply)] == [(c, 1) for c in CRITERIA]


@pytest.mark.parametrize(
    ("said", "winner"),
    [
        ("1", 1),
        ("Answer 2", 2),
        ("second", 2),
        ("B", 2),
        ("tie", 0),
        ("Both are equally good", 0),
        ("neither", 0),
        ("1 and 2", 0),
        (2, 2),
        (0, 0),
    ],
)
def test_winners_are_said_in_many_words(said: object, winner: int) -> None:
    assert parse_judgement(json.dumps({"overall": {"winner": said}})) == (Ruling("overall", winner),)


@pytest.mark.parametrize("reply", ["", "no idea", '{"overall": {"winner": null}}', '{"overall": true}', "[]"])
def test_nothing_is_made_up(reply: str) -> None:
    assert parse_judgement(reply) == ()


@given(st.text(max_size=300))
def test_no_reply_is_too_strange(text: str) -> None:
    for reply in (text, f'{{"overall": {text}}}', f"overall: {text}", REPLY[: len(text)]):
        for ruling in parse_judgement(reply):
            assert ruling.criterion in CRITERIA
            assert ruling.winner in (0, 1, 2)
            assert len(ruling.reason) <= MAX_REASON


def test_without_a_chat_model_it_is_said_what_is_missing(ferry: LightRAG) -> None:
    judgement = ferry.judge(ferry.compare(QUESTION, ["naive", "mix"]))
    assert judgement.pairs == ()
    assert "chat model" in judgement.missing


def test_a_comparison_is_judged_and_a_failing_judge_loses_nothing(make_rag: MakeRag) -> None:
    rag = make_rag(language=JudgingLanguage())
    rag.insert(FERRY, ["ferry.txt"])
    comparison = rag.compare(QUESTION, ["naive", "local", "mix"])
    judgement = rag.judge(comparison)
    assert (len(judgement.pairs), judgement.rulings, judgement.missing) == (3, 12, "")
    assert judgement.disagreements == 3  # diversity, each time

    async def away(question: str, first: str, second: str) -> tuple[Ruling, ...]:
        raise ModelError("The judge is away.", hint="Start it.")

    rag._querying.language.judge = away
    failed = rag.judge(comparison)
    assert [pair.problem for pair in failed.pairs] == ["The judge is away. Start it."] * 3


def test_the_model_that_answers_judges_where_tasks_have_models_of_their_own() -> None:
    builtin, judging = CountingLanguage(), JudgingLanguage()
    assert judge_of(LanguageByTask(builtin, builtin, judging)) is judging
    assert judge_of(LanguageByTask(judging, judging, builtin)) is None
    assert judge_of(prompted("x")) is not None
