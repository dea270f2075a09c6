"""Question sets run over modes: kept after each answer, gone on with, compared."""

from __future__ import annotations

import contextlib
from itertools import islice

import pytest
from conftest import MakeRag
from evaluation.conftest import FERRY, TOWN, CountingLanguage, JudgingLanguage

from lightrag_engine import LightRAG, QueryError, Question
from lightrag_engine.evaluation.summary import FINDS, HOLDS, compare_runs, summarise_run

QUESTIONS = (
    Question("What was founded by Mara Quill?", ("Brindle Valley Ferry",), ("ferry.txt",)),
    Question("Where does Ilse Vogt live?", ("Hamburg",), ("town.txt", "atlas.txt")),
)


def test_a_set_is_answered_and_summarised(ferry: LightRAG) -> None:
    steps = []
    run = ferry.evaluate(QUESTIONS, ["naive", "local"], name="Ferry", on_progress=steps.append)
    assert (run.done, run.total) == (4, 4)
    assert run.finished_at >= run.started_at
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert steps[-1].done == 4

    first = run.answer(0, "local")
    assert first is not None
    assert (first.held, first.recall) == (1.0, 1.0)
    assert "Brindle Valley Ferry" in first.text
    second = run.answer(1, "naive")
    assert second is not None
    assert (second.held, second.recall) == (0.0, 0.5)

    summary = summarise_run(run)
    assert [row.variant for row in summary.variants] == ["naive", "local"]
    for row in summary.variants:
        assert (row.answered, row.failed) == (2, 0)
        assert row.held is not None
        assert (row.held.value, row.held.total) == (0.5, 2)
        assert row.recall == 0.75
    assert {(rate.criterion, rate.ties) for rate in summary.win_rates} == {(HOLDS, 2), (FINDS, 2)}


def test_an_interrupted_run_goes_on_where_it_was(make_rag: MakeRag) -> None:
    language = CountingLanguage()
    rag = make_rag(language=language)
    rag.insert([FERRY, TOWN], ["ferry.txt", "town.txt"])
    kept = rag.save_question_set("Ferry", QUESTIONS)
    run = rag.begin_run(kept, ["naive", "local"])
    steps = rag.run_steps(run.id)
    assert [step.done for step in islice(steps, 3)] == [0, 1, 2]
    steps.close()
    assert language.answered == [QUESTIONS[0].text] * 2
    rag.close()

    again = make_rag(language=CountingLanguage())
    (found,) = again.question_sets()
    assert found == kept
    finished = again.evaluate(found, ["naive", "local"])
    assert finished.id == run.id
    assert (finished.done, finished.total) == (4, 4)
    assert again._querying.language.answered == [QUESTIONS[1].text] * 2
    assert len(again.runs(kept.id)) == 1
    assert again.evaluate(found, ["naive", "local"]).id != run.id  # a finished one is made anew


def test_an_answer_that_failed_is_kept_as_failed_and_tried_again(ferry: LightRAG) -> None:
    kept = ferry.save_question_set("Long", [Question("word " * 9000), Question("Who is Ilse Vogt?")])
    run = ferry.begin_run(kept, ["naive", "mix"])
    for _ in ferry.run_steps(run.id):
        pass
    stopped = ferry.evaluation_run(run.id)
    assert stopped is not None
    assert (stopped.done, stopped.total, stopped.finished_at) == (2, 4, 0)
    failed = stopped.answer(0, "naive")
    assert failed is not None
    assert "leaves no room" in failed.error
    assert summarise_run(stopped).variants[0].failed == 1
    assert stopped.lacking(0) == ("naive", "mix")


def test_a_fault_in_the_middle_loses_no_answer(ferry: LightRAG) -> None:
    language = ferry._querying.language
    language.fail_on = "Ilse"
    kept = ferry.save_question_set("Ferry", QUESTIONS)
    run = ferry.begin_run(kept, ["naive", "local"])
    with contextlib.suppress(RuntimeError):
        list(ferry.run_steps(run.id))
    stopped = ferry.evaluation_run(run.id)
    assert stopped is not None
    assert stopped.done == 2
    language.fail_on = ""
    list(ferry.run_steps(run.id))
    finished = ferry.evaluation_run(run.id)
    assert finished is not None
    assert finished.done == 4


def test_a_run_is_judged_pair_by_pair_and_no_pair_twice(make_rag: MakeRag) -> None:
    language = JudgingLanguage()
    rag = make_rag(language=language)
    rag.insert([FERRY, TOWN], ["ferry.txt", "town.txt"])
    kept = rag.save_question_set("Ferry", QUESTIONS)
    run = rag.begin_run(kept, ["naive", "local", "mix"], judge=True)
    steps = rag.run_steps(run.id)
    for step in steps:
        if step.doing == "judging" and step.question == QUESTIONS[1].text:
            break  # between two pairs of the second question at the latest
    steps.close()
    assert len(language.judged) == 6
    list(rag.run_steps(run.id))
    assert len(language.judged) == 12
    finished = rag.evaluation_run(run.id)
    assert finished is not None
    assert len(finished.verdicts) == 6
    summary = summarise_run(finished)
    assert summary.rulings == 24
    assert summary.disagreements == 6
    assert {rate.criterion for rate in summary.win_rates} >= {"overall", "diversity", HOLDS}


def test_after_reindexing_it_is_said_what_became_better_and_worse(ferry: LightRAG) -> None:
    kept = ferry.save_question_set("Ferry", QUESTIONS)
    before = ferry.evaluate(kept, ["naive", "local"])
    (town,) = [status for status in ferry.documents() if status.name == "town.txt"]
    ferry.delete_document(town.id)
    ferry.insert("Ilse Vogt lives in Hamburg. Ilse Vogt has a cat.", ["atlas.txt"])
    (ferry_document,) = [status for status in ferry.documents() if status.name == "ferry.txt"]
    ferry.delete_document(ferry_document.id)
    after = ferry.evaluate(kept, ["naive", "local"])
    assert after.revision > before.revision
    change = compare_runs(before, after)
    assert change.compared == 4
    better = {(c.question, c.measure) for c in change.better}
    worse = {(c.question, c.measure) for c in change.worse}
    assert (QUESTIONS[1].text, HOLDS) in better
    assert (QUESTIONS[0].text, HOLDS) in worse
    assert (QUESTIONS[0].text, FINDS) in worse
    assert compare_runs(after, after).same == 4


def test_sets_are_replaced_by_name_and_deleted_with_their_runs(ferry: LightRAG) -> None:
    first = ferry.save_question_set(" Ferry ", ["Who is Ilse Vogt?"])
    run = ferry.evaluate(first, ["naive", "mix"])
    second = ferry.save_question_set("Ferry", ["Who is Mara Quill?"])
    assert [s.questions[0].text for s in ferry.question_sets()] == ["Who is Mara Quill?"]
    assert [r.id for r in ferry.runs(second.id)] == [run.id]
    ferry.delete_question_set(second.id)
    assert ferry.question_sets() == ()
    assert ferry.evaluation_run(run.id) is None
    with pytest.raises(QueryError, match="no such run"):
        list(ferry.run_steps(run.id))
    with pytest.raises(QueryError):
        ferry.save_question_set("Empty", [])


def test_half_a_character_in_a_set_is_kept_as_a_mark_of_its_loss(ferry: LightRAG) -> None:
    """A lone surrogate in a question or a name ended saving in an error of the encoding."""
    kept = ferry.save_question_set("Ferry \ud800", ["Who is Ilse Vogt \udc9a?", Question("x", ("\ud800",))])
    assert ferry.question_sets() == (kept,)
    assert kept.name == "Ferry \ufffd"
    assert [question.text for question in kept.questions] == ["Who is Ilse Vogt \ufffd?", "x"]
    assert kept.questions[1].expected == ("\ufffd",)
