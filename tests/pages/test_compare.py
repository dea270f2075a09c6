"""One question in several modes at once."""

import pytest


def compare(app, question, modes):
    app.text_input(key="compared_question").set_value(question)
    app.multiselect(key="compared_modes").set_value(modes)
    app.form_submit_button[0].click().run()
    assert not app.exception
    return app


def test_each_mode_has_its_answer_and_tables(filled):
    app = compare(filled("compare"), "Who did Mara Quill hire?", ["naive", "local", "hybrid"])
    assert [heading.value for heading in app.subheader] == ["Naive", "Local", "Hybrid"]
    turns = app.session_state["comparisons"]["default"]
    assert [turn.answer.mode for turn in turns] == ["naive", "local", "hybrid"]
    assert all("Tobias Renn" in turn.text for turn in turns)
    assert len(app.get("download_button")) >= 7


def test_answers_survive_other_clicks(filled):
    app = compare(filled("compare"), "Who did Mara Quill hire?", ["naive", "hybrid"])
    before = [turn.text for turn in app.session_state["comparisons"]["default"]]
    app.run()
    app.switch_page("pages/graph.py").run()
    app.switch_page("pages/compare.py").run()
    assert [turn.text for turn in app.session_state["comparisons"]["default"]] == before
    assert sum("Tobias Renn" in text.value for text in app.markdown) >= 2


def test_at_most_four_modes_can_be_chosen(filled):
    assert filled("compare").multiselect(key="compared_modes").proto.max_selections == 4


def test_answers_name_their_question_and_empty_tables_their_reason(filled):
    app = compare(filled("compare"), "Who did Mara Quill hire?", ["naive", "hybrid"])
    app.text_input(key="compared_question").set_value("Something else?").run()
    assert "Answers to **“Who did Mara Quill hire?”**" in [text.value for text in app.markdown]
    captions = [caption.value for caption in app.caption]
    assert "Naive mode looks for passages only, not for entities." in captions
    assert any(caption.startswith("**Retrieved**") for caption in captions)


@pytest.mark.parametrize(
    ("question", "modes", "warning"),
    [
        (" ", ["naive", "hybrid"], "There is no question yet"),
        ("Who?", ["naive"], "Choose two to four modes"),
    ],
)
def test_what_cannot_be_compared_is_said(filled, question, modes, warning):
    app = compare(filled("compare"), question, modes)
    assert len(app.warning) == 1
    assert app.warning[0].value.startswith(warning)
    assert not app.subheader
