"""One question in several modes at once."""

import time

import pytest

from lightrag_engine.evaluation.variants import Variant

QUESTION = "Who did Mara Quill hire?"


def finish(app):
    """Run the page until every column has ended."""
    shown = app.session_state["comparisons"]["default"]
    until = time.monotonic() + 120
    while not shown.ended and time.monotonic() < until:
        time.sleep(0.05)
    app.run()
    assert not app.exception
    return shown


def compare(app, question, modes, blind=False):
    app.text_input(key="compared_question").set_value(question)
    app.multiselect(key="compared_modes").set_value(modes)
    app.toggle(key="compared_blind").set_value(blind)
    app.form_submit_button[0].click().run()
    assert not app.exception
    return app


def headings(app):
    return [heading.value for heading in app.subheader]


def test_each_mode_has_its_answer_and_tables(filled):
    app = compare(filled("compare"), QUESTION, ["hybrid", "naive", "local"])
    shown = finish(app)
    assert headings(app) == ["Naive", "Local", "Hybrid"]
    assert all("Tobias Renn" in column.stream.text for column in shown.comparing.columns)
    assert len(app.get("download_button")) >= 9
    assert {tab.label for tab in app.tabs} >= {"Numbers", "Who found what", "Judge", "Votes", "Report"}
    assert len(app.get("imgs")) + len(app.get("image")) >= 5


def test_answers_survive_other_clicks(filled):
    app = compare(filled("compare"), QUESTION, ["naive", "hybrid"])
    shown = finish(app)
    before = [column.stream.text for column in shown.comparing.columns]
    app.run()
    app.switch_page("pages/graph.py").run()
    app.switch_page("pages/compare.py").run()
    again = app.session_state["comparisons"]["default"]
    assert again is shown
    assert [column.stream.text for column in again.comparing.columns] == before
    assert sum("Tobias Renn" in text.value for text in app.markdown) >= 2


def test_an_address_reproduces_the_page(filled):
    app = filled("compare")
    app.query_params["question"] = QUESTION
    app.query_params["modes"] = "naive,local:top_k=3"
    app.run()
    shown = finish(app)
    assert shown.comparing.variants == (Variant("naive"), Variant("local", 3))
    assert app.text_input(key="compared_question").value == QUESTION
    assert app.multiselect(key="compared_modes").value == ["naive", "local:top_k=3"]
    assert headings(app) == ["Naive", "Local · top 3"]
    app.run()
    assert app.session_state["comparisons"]["default"] is shown


@pytest.mark.parametrize("modes", ["naive", "best,naive", "naive,local:model=nonsense"])
def test_an_address_that_cannot_be_compared_is_said(filled, modes):
    app = filled("compare")
    app.query_params["question"] = QUESTION
    app.query_params["modes"] = modes
    app.run()
    assert not app.exception
    assert len(app.error) == 1
    assert not app.subheader


def test_a_blind_comparison_tells_names_after_the_vote(filled):
    app = compare(filled("compare"), QUESTION, ["naive", "local", "mix"], blind=True)
    shown = finish(app)
    assert headings(app) == ["Answer A", "Answer B", "Answer C"]
    said = " ".join(element.value for element in [*app.markdown, *app.caption])
    assert "Retrieved" not in said
    assert "naive · " not in said
    assert not app.get("download_button")

    votes = app.get("button_group")[-1]
    votes.set_value([0, 2]).run()
    app.button(key=f"cast_{shown.id}").click().run()
    assert not app.exception
    names = headings(app)
    assert [name.partition(" · ")[0] for name in names] == ["Answer A", "Answer B", "Answer C"]
    assert {name.partition(" · ")[2] for name in names} == {"Naive", "Local", "Mix"}
    best = {str(shown.comparing.variants[shown.order[place]]) for place in (0, 2)}
    assert set(shown.vote.best) == best
    assert shown.vote.blind


def test_at_most_five_modes_can_be_chosen(filled):
    assert filled("compare").multiselect(key="compared_modes").proto.max_selections == 5


def test_answers_name_their_question_and_empty_tables_their_reason(filled):
    app = compare(filled("compare"), QUESTION, ["naive", "hybrid"])
    finish(app)
    app.text_input(key="compared_question").set_value("Something else?").run()
    assert f"Answers to **“{QUESTION}”**" in [text.value for text in app.markdown]
    captions = [caption.value for caption in app.caption]
    assert "Naive mode looks for passages only, not for entities." in captions
    assert any("→ **" in caption and " sources" in caption for caption in captions)


def test_without_a_chat_model_the_judge_says_what_is_missing(filled):
    app = compare(filled("compare"), QUESTION, ["naive", "hybrid"])
    shown = finish(app)
    app.button(key=f"judge_{shown.id}").click().run()
    assert not app.exception
    assert any("chat model" in info.value for info in app.info)


@pytest.mark.parametrize(
    ("question", "modes", "warning"),
    [
        (" ", ["naive", "hybrid"], "There is no question yet"),
        ("Who?", ["naive"], "Choose two to five modes"),
    ],
)
def test_what_cannot_be_compared_is_said(filled, question, modes, warning):
    app = compare(filled("compare"), question, modes)
    assert len(app.warning) == 1
    assert app.warning[0].value.startswith(warning)
    assert not app.subheader
