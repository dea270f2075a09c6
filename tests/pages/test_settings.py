"""Choosing, testing and getting models, and the other settings, with a double of the model server."""

import time

import pytest
from ollama_double import ChatDouble, EmbedDouble, OllamaDouble, broken, sloppy, well_behaved

from lightrag_engine import Settings
from ui import engine, jobs

FERRY = """Mara Quill founded the Brindle Valley Ferry in 1921 at Port Ansel.
Mara Quill hired Tobias Renn as an engineer. Tobias Renn built the steamer Heron."""
MODELS = (
    ChatDouble("good", well_behaved, context_length=32768, capabilities=("completion", "thinking")),
    ChatDouble("sloppy-3b", sloppy),
    ChatDouble("broken", broken),
    EmbedDouble("embed", 32, 2048),
    EmbedDouble("other-embed", 48, 2048),
)


@pytest.fixture
def server(monkeypatch):
    with OllamaDouble(MODELS) as double:
        monkeypatch.setenv("OLLAMA_HOST", double.address)
        yield double
    # Jobs belong to the process, and every test has a workspace of the same name.
    for kind in ("pull", "test"):
        jobs.forget(kind, "default")


@pytest.fixture
def page(server, empty):
    """The page on an empty workspace, with a server."""
    return empty("settings")


def rag_of(app):
    return engine._opened(app.session_state["workspace"], Settings())


def widget(app, kind, label):
    (found,) = [element for element in app.get(kind) if element.label == label]
    return found


def press(app, label, form=""):
    (button,) = [b for b in app.button if b.label == label and form in (b.form_id or "")]
    app = button.click().run()
    assert not app.exception
    return app


def plain(markdown):
    """Return a text without what keeps it from being Markdown."""
    return markdown.replace("\\", "").replace("\u2060", "")


def texts(app):
    return plain(" ".join(e.value for kind in ("markdown", "caption") for e in app.get(kind)))


def run_until(app, condition):
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until, "it did not come"
        time.sleep(0.05)
    app.run()
    assert not app.exception
    return app


def job_ends(app, kind):
    return run_until(app, lambda: not jobs.find(kind, "default").running)


def test_the_server_and_its_models_are_shown(page, server):
    assert not page.exception
    assert server.address in texts(page)
    (table,) = [d.value for d in page.dataframe if "quantization" in d.value]
    table = table.set_index("name")
    assert table.loc["good:latest", "context"] == 32768
    assert list(table.loc["good:latest", "can"]) == ["chat", "thinking"]
    assert table.loc["embed:latest", "dimensions"] == 32
    assert table.loc["sloppy-3b:latest", "size"] > 10**9


def test_a_chosen_model_is_saved_and_used(page):
    choice = widget(page, "selectbox", "Language model")
    assert "good:latest · Ollama, local" in choice.options
    assert not any("embed" in option for option in choice.options)
    choice.set_value("ollama:sloppy-3b:latest")
    press(page, "Save", "language")
    assert rag_of(page).models().language == "ollama:sloppy-3b:latest"
    assert rag_of(page).saved_settings() == {"language_model": "ollama:sloppy-3b:latest"}
    assert "sloppy-3b" in page.sidebar.caption[0].value
    assert [plain(toast.value) for toast in page.toast] == ["Saved: Language model."]
    press(page, "Back to the defaults", "language")
    assert rag_of(page).saved_settings() == {}
    assert widget(page, "selectbox", "Language model").value == "auto"


def test_each_task_can_have_its_own_model(page):
    widget(page, "selectbox", "Language model").set_value("builtin")
    widget(page, "selectbox", "Model that answers").set_value("ollama:good:latest")
    press(page, "Save", "language")
    assert rag_of(page).settings.answer_model == "ollama:good:latest"
    assert rag_of(page).models().language == "ollama:good:latest"


def test_a_model_that_is_gone_is_refused_and_nothing_is_lost(page, server):
    del server.models["broken:latest"]
    widget(page, "selectbox", "Language model").set_value("ollama:broken:latest")
    widget(page, "selectbox", "Thinking").set_value("on")
    press(page, "Save", "language")
    (error,) = page.error
    assert 'has no model "broken:latest"' in plain(error.proto.title)
    assert "ollama pull broken" in plain(error.value)
    assert "Nothing was saved" in error.value
    assert widget(page, "selectbox", "Language model").value == "ollama:broken:latest"
    assert widget(page, "selectbox", "Thinking").value == "on"
    assert rag_of(page).saved_settings() == {}


def test_settings_that_do_not_fit_together_are_refused_in_the_words_of_the_page(page):
    widget(page, "number_input", "Chunk size (tokens)").set_value(90)
    press(page, "Save", "reading")
    (error,) = page.error
    assert "“Chunk overlap (tokens)” (100) must be smaller" in plain(error.proto.title)
    assert "LIGHTRAG_" not in error.value
    assert widget(page, "number_input", "Chunk size (tokens)").value == 90
    widget(page, "number_input", "Chunk overlap (tokens)").set_value(10)
    press(page, "Save", "reading")
    assert not page.error
    assert rag_of(page).saved_settings() == {"chunk_token_size": 90, "chunk_overlap_token_size": 10}
    assert "Changed; default: 1,200." in texts(page)
    assert "documents that are added from now on" in texts(page)


@pytest.mark.parametrize(
    ("form", "kind", "label", "value"),
    [
        ("reading", "number_input", "Chunk size (tokens)", 0),
        ("reading", "number_input", "Gleaning", 99),
        ("limits", "number_input", "Longest answer (tokens)", -1),
        ("server", "text_input", "Address of the Ollama server", "not an address"),
        ("server", "text_input", "Keep a model loaded", "soon"),
        ("server", "number_input", "Requests at once", 1000),
    ],
)
def test_bad_values_are_named_and_stay(page, form, kind, label, value):
    widget(page, kind, label).set_value(value)
    press(page, "Save", form)
    (error,) = page.error
    assert label in plain(error.proto.title)
    assert widget(page, kind, label).value == value
    assert rag_of(page).saved_settings() == {}


def test_entity_types_can_be_added(page):
    types = widget(page, "multiselect", "Entity types")
    types.set_value(["person", "ship"])
    press(page, "Save", "reading")
    assert rag_of(page).settings.entity_types == ("person", "ship")


def test_saving_without_a_change_says_so(page):
    press(page, "Save", "limits")
    assert "Nothing to save" in texts(page)


def test_what_the_environment_fixes_is_shown_but_not_offered(server, empty, monkeypatch):
    monkeypatch.setenv("LIGHTRAG_CHUNK_TOKEN_SIZE", "900")
    monkeypatch.setenv("LIGHTRAG_EMBEDDING_MODEL", "ollama:embed")
    app = empty("settings")
    assert widget(app, "number_input", "Chunk size (tokens)").value == 900
    assert widget(app, "number_input", "Chunk size (tokens)").disabled
    assert not widget(app, "number_input", "Chunk overlap (tokens)").disabled
    assert "Fixed by the variable LIGHTRAG_CHUNK_TOKEN_SIZE" in texts(app)
    assert widget(app, "selectbox", "Embedding model").disabled
    widget(app, "number_input", "Chunk overlap (tokens)").set_value(50)
    press(app, "Save", "reading")
    assert rag_of(app).saved_settings() == {"chunk_overlap_token_size": 50}


def test_a_model_is_tested_on_one_chunk(page):
    widget(page, "selectbox", "Model to test").set_value("ollama:sloppy-3b:latest")
    press(page, "Test this model")
    job_ends(page, "test")
    assert "sloppy-3b:latest** found" in texts(page)
    assert "1 chunk read" in texts(page)
    assert "100 such chunks" in texts(page)
    assert [len(d.value) for d in page.dataframe if "entity" in d.value] != [0]
    assert rag_of(page).counts().entities == 0


def test_both_formats_are_compared_and_the_better_one_chosen(page, server):
    server.models["sloppy-3b:latest"] = ChatDouble(
        "sloppy-3b", lambda call: broken(call) if call.format else well_behaved(call)
    )
    widget(page, "selectbox", "Model to test").set_value("builtin").run()
    assert next(b for b in page.button if b.label == "Compare both formats").disabled
    widget(page, "selectbox", "Model to test").set_value("ollama:sloppy-3b:latest").run()
    press(page, "Compare both formats")
    job_ends(page, "test")
    assert "It gets records right; the other format gave nothing" in texts(page)
    (table,) = [d.value for d in page.dataframe if "records" in d.value]
    table = table.set_index("what")
    assert list(table.loc["Reply"]) == ["no usable one", "whole"]
    assert table.loc["Entities", "json"] == "0" != table.loc["Entities", "records"]
    press(page, "Use records in this workspace")
    assert rag_of(page).settings.extraction_format == "records"
    assert "This workspace uses **records**. Nothing to change." in texts(page)
    assert rag_of(page).counts().entities == 0


def test_the_text_of_a_test_is_chosen_and_said(server, empty):
    app = filled_page(server, empty)
    chosen = widget(app, "selectbox", "Text that it reads")
    assert chosen.options == ["ferry.txt", "A short sample"]
    chosen.set_value(rag_of(app).documents()[0].id)
    press(app, "Test this model")
    job_ends(app, "test")
    assert "Read: chunk 1 of 1 of ferry.txt" in texts(app)


def test_the_test_of_a_model_that_finds_nothing_gives_its_verdict(page):
    widget(page, "selectbox", "Model to test").set_value("ollama:broken:latest")
    press(page, "Test this model")
    job_ends(page, "test")
    assert any("larger model" in warning.value for warning in page.warning)


def test_the_test_of_a_model_that_is_gone_says_so(page, server):
    del server.models["broken:latest"]
    widget(page, "selectbox", "Model to test").set_value("ollama:broken:latest")
    press(page, "Test this model")
    job_ends(page, "test")
    assert ['has no model "broken:latest"' in plain(error.proto.title) for error in page.error] == [True]


def test_a_model_is_pulled_with_progress_and_then_there(page, server):
    done = []

    class Pull:
        def __iter__(self):
            yield {"status": "pulling manifest"}
            yield {"status": "pulling abc", "digest": "abc", "total": 2_000_000_000, "completed": 500_000_000}
            while not done:
                time.sleep(0.02)
            server.models["late:latest"] = ChatDouble("late", well_behaved)
            yield {"status": "success"}

    server.pull = Pull()
    widget(page, "text_input", "Name of the model").set_value(" late ")
    press(page, "Pull")
    job = jobs.find("pull", "default")
    run_until(page, lambda: job.latest is not None and job.latest.total)
    (bar,) = page.get("progress")
    assert (bar.proto.value, bar.proto.text) == (25, "late · pulling abc · 500.0 MB of 2.0 GB")
    done.append(True)
    job_ends(page, "pull")
    assert jobs.find("pull", "default") is None
    assert "late:latest · Ollama, local" in widget(page, "selectbox", "Language model").options
    assert [toast.value for toast in page.toast] == ["late is on the server."]


def test_a_pull_is_stopped_at_once(page, server):
    server.pull_gap = 60
    widget(page, "text_input", "Name of the model").set_value("late")
    press(page, "Pull")
    run_until(page, lambda: server.bodies("/api/pull"))
    press(page, "Stop")
    assert not jobs.find("pull", "default").running
    assert "was not got whole" in plain(page.warning[0].value)


def test_a_model_that_is_missing_is_offered_to_be_pulled(page, server):
    del server.models["broken:latest"]
    widget(page, "selectbox", "Model that answers").set_value("ollama:broken:latest")
    press(page, "Save", "language")
    assert 'has no model "broken:latest"' in plain(page.error[0].proto.title)
    (button,) = [button for button in page.button if button.key == "pull_missing"]
    assert plain(button.label) == "Pull broken:latest"
    button.click().run()
    run_until(page, lambda: "broken:latest" in server.models)
    run_until(page, lambda: (job := jobs.find("pull", "default")) is None or not job.running)
    page.run()
    assert not [button for button in page.button if button.key == "pull_missing"]


def test_a_task_model_that_is_gone_is_offered_to_be_pulled_again(page, server):
    server.models["late:latest"] = ChatDouble("late", well_behaved)
    rag_of(page).change_settings({"answer_model": "ollama:late"})
    del server.models["late:latest"]
    press(page, "Look again")
    assert [button.label for button in page.button if button.key == "pull_missing"] == ["Pull late"]


def test_a_pull_that_fails_says_why_and_keeps_the_name(page, server):
    server.pull = ({"status": "pulling manifest"}, {"error": "pull model manifest: file does not exist"})
    widget(page, "text_input", "Name of the model").set_value("![x](https://example.invalid/a)")
    press(page, "Pull")
    job_ends(page, "pull")
    (error,) = page.error
    assert "\\!\\[x\\](https\\:\u2060//" in error.proto.title
    assert widget(page, "text_input", "Name of the model").value.startswith("![x]")
    widget(page, "text_input", "Name of the model").set_value(" ")
    press(page, "Pull")
    assert [warning.value for warning in page.warning] == ["There is no name yet: type one above."]


def filled_page(server, empty):
    app = empty("settings")
    rag_of(app).insert(FERRY, ["ferry.txt"])
    return app.run()


def test_another_embedding_model_is_offered_with_what_it_costs(server, empty):
    app = filled_page(server, empty)
    assert rag_of(app).models().embedding == "ollama:embed:latest"
    widget(app, "selectbox", "Embedding model").set_value("ollama:other-embed:latest")
    press(app, "Save", "embedding")
    assert not app.error
    assert "must be embedded anew with other-embed:latest" in texts(app)
    assert "the old vectors stay in use" in texts(app)
    press(app, "Keep the present model")
    assert "must be embedded anew" not in texts(app)
    assert rag_of(app).models().embedding == "ollama:embed:latest"


def test_all_texts_are_embedded_anew(server, empty):
    app = filled_page(server, empty)
    widget(app, "selectbox", "Embedding model").set_value("ollama:other-embed:latest")
    press(app, "Save", "embedding")
    press(app, "Embed anew")
    run_until(app, lambda: not rag_of(app).reembedding().running)
    assert rag_of(app).models().embedding == "ollama:other-embed:latest"
    assert widget(app, "selectbox", "Embedding model").value == "ollama:other-embed:latest"
    assert "must be embedded anew" not in texts(app)
    assert rag_of(app).query("Who founded the Brindle Valley Ferry?").citations


def test_embedding_anew_is_paused_gone_on_with_and_given_up(server, empty):
    app = filled_page(server, empty)
    server.models["slow-embed:latest"] = EmbedDouble("slow-embed", 24, 2048, delay=60)
    rag_of(app).reembed("ollama:slow-embed")
    run_until(app, lambda: server.bodies("/api/embed")[-1]["model"] == "slow-embed:latest")
    press(app, "Pause")
    assert "It was paused." in plain(app.warning[0].value)
    press(app, "Go on")
    assert rag_of(app).reembedding().running
    press(app, "Pause")
    press(app, "Keep the present model")
    assert rag_of(app).reembedding() is None
    assert not app.warning
    assert rag_of(app).query("Who founded the Brindle Valley Ferry?").citations


def test_an_empty_workspace_just_changes_its_embedding_model(page):
    widget(page, "selectbox", "Embedding model").set_value("ollama:other-embed:latest")
    press(page, "Save", "embedding")
    assert rag_of(page).models().embedding == "ollama:other-embed:latest"


def test_without_a_server_it_says_how_to_start_one_and_looks_again(empty, monkeypatch):
    with OllamaDouble(MODELS) as double:
        port = int(double.address.rpartition(":")[2])
    monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{port}")
    app = empty("settings")
    assert not app.exception
    (info,) = app.info
    assert "does not answer" in info.proto.title
    assert "ollama serve" in info.value
    assert "Only the built-in language" in texts(app)
    with OllamaDouble(MODELS, port=port):
        press(app, "Look again")
        assert not app.info
        assert rag_of(app).models().language == "ollama:good:latest"
        assert "good:latest · Ollama, local" in widget(app, "selectbox", "Language model").options
