"""Models to choose from, their table, and work in the background."""

import threading
import time

import pytest

from lightrag_engine import ModelError, Settings
from lightrag_engine.indexing.reembedding import Reembedding
from lightrag_engine.language.ollama import OllamaModel, OllamaState, PullProgress
from lightrag_engine.models import ModelChoice
from ui import models
from ui.embedding_view import progress_line
from ui.jobs import Job
from ui.sidebar import model_lines

STATE = OllamaState(
    "http://127.0.0.1:11434",
    models=(
        OllamaModel("big:cloud", remote=True),
        OllamaModel("qwen3:4b", size=2_600_000_000, context_tokens=40960),
        OllamaModel("nomic-embed-text:latest", capabilities=frozenset({"embedding"}), dimensions=768),
    ),
)


def test_only_models_that_can_do_the_task_are_offered():
    assert models.language_options(STATE, "auto", ["auto"]) == [
        "auto",
        "builtin",
        "ollama:qwen3:4b",
        "ollama:big:cloud",
    ]
    assert models.embedding_options(STATE, "ollama:gone") == [
        "auto",
        "builtin",
        "ollama:nomic-embed-text:latest",
        "ollama:gone",
    ]


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("ollama:qwen3:4b", "qwen3:4b · Ollama, local"),
        ("ollama:big:cloud", "big:cloud · Ollama, other people’s machines"),
        ("ollama:gone", "gone · not found on the Ollama server"),
        ("openai:gpt", "gpt · OpenAI-compatible server"),
        ("", "Same as the language model"),
        ("nonsense", "nonsense"),
    ],
)
def test_labels_say_where_a_model_runs(value, label):
    assert models.option_label(value, STATE) == label


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("nomic-embed-text", "ollama:nomic-embed-text:latest"),
        ("openai:qwen3:4b", "openai:qwen3:4b"),
        ("auto", "auto"),
        ("nonsense", "nonsense"),
    ],
)
def test_a_bare_name_of_a_model_of_the_server_is_enough(written, value):
    assert models.full_value(written, STATE) == value


def test_the_model_to_test_is_the_one_that_reads():
    assert models.reading_model(Settings(language_model="auto"), STATE) == "ollama:qwen3:4b"
    assert models.reading_model(Settings(language_model="auto"), OllamaState("a")) == "builtin"
    assert models.reading_model(Settings(extraction_model="openai:x"), STATE) == "openai:x"


def test_the_table_has_its_types_also_without_rows():
    table = models.model_table(STATE.models).set_index("name")
    assert table.loc["qwen3:4b", "size"] == 2_600_000_000
    assert table["dimensions"].isna().tolist() == [True, True, False]
    assert table.loc["big:cloud", "runs"] == "elsewhere"
    empty = models.model_table(())
    assert list(empty.dtypes) == list(models.model_table(STATE.models).dtypes)


def test_a_pull_whose_size_is_not_known_yet():
    assert models.pull_share(None) == 0.0
    assert models.pull_share(PullProgress("pulling", 0, 0)) == 0.0
    assert models.pull_share(PullProgress("pulling", 9, 6)) == 1.0
    assert models.pull_text("a", None) == "a · asking the server"


def test_embedding_anew_tells_the_time_left_from_its_pace():
    first = Reembedding("m", 100, 1000)
    assert progress_line(Reembedding("m"), time.time(), first) == "m · gathering the texts"
    assert progress_line(first, time.time(), first) == "m · 100 of 1,000 texts"
    assert progress_line(Reembedding("m", 400, 1000), time.time() - 60, first).endswith("about 2 min left")


def ended(job):
    until = time.monotonic() + 10
    while job.running:
        assert time.monotonic() < until
        time.sleep(0.01)
    return job


def test_a_job_keeps_its_last_step_and_its_error():
    def steps(while_waiting):
        yield 1
        yield 2
        raise ModelError("gone", hint="look")

    job = ended(Job("a", steps))
    assert job.latest == 2
    assert (str(job.error), job.error.hint) == ("gone", "look")
    assert 0 <= job.seconds < 10


def test_a_job_that_is_stopped_closes_its_steps():
    closed = threading.Event()

    def steps(while_waiting):
        try:
            while True:
                yield 1
                time.sleep(0.01)
        finally:
            closed.set()

    job = Job("a", steps)
    job.stop()
    ended(job)
    assert closed.is_set()
    assert job.error is None


def test_a_job_that_is_stopped_in_the_middle_of_a_step_does_not_wait_for_the_next_one():
    def steps(while_waiting):
        yield 1
        while True:  # a step that never comes
            time.sleep(0.01)
            while_waiting()

    job = Job("a", steps)
    job.stop()
    ended(job)
    assert job.error is None


def test_the_first_model_that_a_server_lacks_is_found():
    here = OllamaState("http://127.0.0.1:1", models=(OllamaModel("a:latest"),))
    assert models.absent(Settings(language_model="ollama:a", answer_model="ollama:b:7b"), here) == "b:7b"
    assert models.absent(Settings(language_model="ollama:a", answer_model="builtin"), here) == ""
    away = OllamaState("http://127.0.0.1:1", reason="no answer")
    assert models.absent(Settings(language_model="ollama:a"), away) == ""


def choice(**fields):
    given = {"language": "m", "language_reason": "why", "embedding": "e", "embedding_reason": "", **fields}
    return ModelChoice(**{"reading": "m", "keywords": "m"} | given)


def test_the_sidebar_says_which_model_answers_and_which_others_there_are():
    assert model_lines(choice()) == [
        ("reads and answers", "m", "why", False),
        ("embeddings", "e", "", False),
    ]
    lines = model_lines(choice(reading="r", absent=("ollama:big",)))
    assert lines[:2] == [("answers", "m", "why", True), ("reads documents", "r", "", True)]
    assert lines[-1][3] is False
    assert model_lines(choice(absent=("e",)))[-1][3] is True
