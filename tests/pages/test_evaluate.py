"""Question sets on their page."""

import shutil
import time

TABLE = (
    "question,expected,passages\n"
    "Who did Mara Quill hire?,Tobias Renn,ferry.txt\n"
    "Where did Ilse Vogt study?,Hamburg|Paris,ferry.txt\n"
)


def save(app, text, name="Ferry"):
    app.text_input(key="set_name_").set_value(name)
    app.text_area(key="set_text_").set_value(text)
    app.form_submit_button[0].click().run()
    assert not app.exception
    return app


def finish(app):
    until = time.monotonic() + 120
    while any(button.key == "stop_run" for button in app.button) and time.monotonic() < until:
        time.sleep(0.2)
        app.run()
    assert not app.exception


def start(app, modes):
    app.multiselect(key="evaluated_modes").set_value(modes)
    app.button(key="run_set").click().run()
    assert not app.exception
    finish(app)
    return app


def test_a_set_is_written_run_and_shown(open_folder, filled_folder, tmp_path):
    folder = tmp_path / "data"
    shutil.copytree(filled_folder, folder)
    app = open_folder(folder, "evaluate")
    assert "Mara Quill" in app.text_area(key="set_text_").value  # a suggestion to begin with
    save(app, " \n")
    assert len(app.error) == 1
    assert app.text_area(key="set_text_").value == " \n"
    save(app, TABLE)
    assert app.selectbox(key="question_set").value.startswith("set-")

    start(app, ["naive", "local"])
    assert {tab.label for tab in app.tabs} == {"Summary", "Questions", "Since the earlier run", "Report"}
    summary = next(table.value for table in app.dataframe if "held" in table.value.columns)
    assert summary["answered"].tolist() == [2, 2]
    assert summary["recall"].tolist() == [1.0, 1.0]
    assert len(app.get("download_button")) == 3

    start(app, ["local", "mix"])
    assert [metric.label for metric in app.metric] == ["Better", "Worse", "The same", "Worded otherwise"]
    assert [metric.value for metric in app.metric] == ["0", "0", "2", "0"]
    assert len(app.selectbox(key="shown_run").options) == 2


def test_without_documents_the_page_says_what_it_is_for(empty):
    app = empty("evaluate")
    assert not app.exception
    assert any("set of questions" in text.value for text in app.markdown)
