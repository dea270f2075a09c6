"""Settings and models of an open workspace, over the real client and a server double."""

from __future__ import annotations

from pathlib import Path

import pytest
from ollama_double import (
    ChatDouble,
    EmbedDouble,
    OllamaDouble,
    reasoning,
    well_behaved,
)
from served import TEXT, Open, wait_until

from lightrag_engine import (
    DocumentState,
    LightRAG,
    ModelError,
    QueryParam,
    Settings,
    SettingsError,
    Upload,
    WorkspaceError,
)
from lightrag_engine.language.base import CANNOT_ANSWER


def test_a_server_that_answers_is_used_by_itself(open_rag: Open, server: OllamaDouble) -> None:
    rag = open_rag()
    assert rag.models().language == "ollama:good:latest"
    assert rag.models().embedding == "ollama:embed:latest"
    assert server.address in rag.models().language_reason
    rag.insert(TEXT)
    answer = rag.query("Who founded the Brindle Valley Ferry?", QueryParam(mode="mix"))
    assert answer.language == "ollama:good:latest"
    assert answer.citations
    (status,) = rag.documents()
    report = rag.document_report(status.id)
    assert (report.chunks_read, report.empty, report.truncated) == (1, 0, 0)
    assert report.calls >= 1


def test_without_a_server_the_built_in_models_serve_and_say_why(tmp_path: Path) -> None:
    with LightRAG("w", Settings(data_dir=tmp_path, ollama_host="127.0.0.1:9")) as rag:
        models = rag.models()
        assert models.language == "builtin"
        assert models.embedding.startswith("builtin:")
        assert "127.0.0.1:9 does not answer" in models.language_reason


def test_a_filled_workspace_keeps_its_embedding_model(open_rag: Open) -> None:
    rag = open_rag(language_model="builtin", embedding_model="builtin")
    rag.insert(TEXT)
    rag.close()
    again = open_rag()
    assert again.models().embedding.startswith("builtin:")
    assert "built with it" in again.models().embedding_reason


@pytest.mark.parametrize("name", ["ollama:absent", "nonsense"])
def test_a_model_that_is_not_there_is_named(open_rag: Open, name: str) -> None:
    with pytest.raises((ModelError, SettingsError), match=name.removeprefix("ollama:")) as caught:
        open_rag(language_model=name)
    assert caught.value.hint


def test_each_task_may_have_a_model_of_its_own(open_rag: Open, server: OllamaDouble) -> None:
    rag = open_rag(language_model="builtin", answer_model="ollama:good", embedding_model="ollama:embed")
    rag.insert(TEXT)
    assert server.bodies("/api/chat") == []
    answer = rag.query("Who founded the Brindle Valley Ferry?")
    assert answer.language == "ollama:good:latest"
    assert len(server.bodies("/api/chat")) == 1


def test_a_change_is_saved_in_the_workspace_and_used_at_once(open_rag: Open) -> None:
    rag = open_rag()
    rag.change_settings({"language_model": "ollama:sloppy", "chunk_overlap_token_size": 8})
    rag.change_settings({"chunk_token_size": 64})
    assert rag.models().language == "ollama:sloppy:latest"
    assert rag.settings.chunk_token_size == 64
    rag.insert(TEXT * 3)
    assert rag.documents()[0].chunks > 1
    rag.close()
    again = open_rag()
    assert again.models().language == "ollama:sloppy:latest"
    assert set(again.saved_settings()) == {"language_model", "chunk_token_size", "chunk_overlap_token_size"}
    again.change_settings(dict.fromkeys(again.saved_settings()))
    assert again.saved_settings() == {}
    assert again.settings.chunk_token_size == Settings().chunk_token_size
    assert open_rag("another").settings.chunk_token_size == Settings().chunk_token_size


def test_what_the_program_gives_wins_over_what_is_saved(open_rag: Open) -> None:
    rag = open_rag()
    rag.change_settings({"chunk_token_size": 64, "chunk_overlap_token_size": 8})
    rag.close()
    again = open_rag(chunk_token_size=500)
    assert again.settings.chunk_token_size == 500
    assert "chunk_token_size" in again.settings_fixed()
    assert "top_k" not in again.settings_fixed()


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"chunk_token_size": 0}, SettingsError),
        ({"language_model": "ollama:absent"}, ModelError),
        ({"language_model": "nonsense"}, SettingsError),
        ({"embedding_model": "ollama:other-embed"}, WorkspaceError),
    ],
)
def test_a_change_that_cannot_be_made_changes_nothing(
    open_rag: Open, changes: dict[str, object], error: type[Exception]
) -> None:
    rag = open_rag()
    rag.insert(TEXT)
    before = (rag.settings, rag.models())
    with pytest.raises(error):
        rag.change_settings(changes)
    assert (rag.settings, rag.models()) == before
    assert rag.saved_settings() == {}
    assert rag.query("Who founded the Brindle Valley Ferry?").citations


def test_a_document_is_not_read_by_another_model_while_the_chosen_one_is_away(tmp_path: Path) -> None:
    """A restart while the server is away must not let the built-in language go on with half a document."""
    models = [ChatDouble(name="good", script=well_behaved), EmbedDouble(name="embed", dimensions=32)]
    with OllamaDouble(models) as first:
        port = int(first.address.rpartition(":")[2])
        settings = Settings(data_dir=tmp_path, ollama_host=first.address, server_retry_seconds=0.1)
        with LightRAG("w", settings) as rag:
            rag.change_settings({"language_model": "ollama:good", "embedding_model": "builtin"})
    with LightRAG("w", settings) as rag:
        rag.submit([Upload("ferry.txt", TEXT.encode())])
        wait_until(lambda: rag.documents()[0].state == DocumentState.WAITING)
        assert "does not answer" in rag.documents()[0].error
        assert rag.models().absent == ("ollama:good",)
        with OllamaDouble(models, port=port) as back:
            wait_until(lambda: not rag.documents()[0].state.active)
            assert rag.documents()[0].state == DocumentState.DONE
            assert back.bodies("/api/chat")
            assert rag.models().language == "ollama:good:latest"
            assert rag.models().absent == ()


def test_a_task_model_is_not_offered_what_it_cannot_be(open_rag: Open) -> None:
    rag = open_rag()
    with pytest.raises(SettingsError) as caught:
        rag.change_settings({"answer_model": "nonsense"})
    assert "auto" not in caught.value.hint
    assert "nothing (the language model)" in caught.value.hint


def test_the_reason_is_that_of_the_model_that_answers(open_rag: Open) -> None:
    rag = open_rag(answer_model="ollama:sloppy")
    choice = rag.models()
    assert (choice.language, choice.reading) == ("ollama:sloppy:latest", "ollama:good:latest")
    assert choice.language_reason == "chosen in the settings for this task"


def test_an_answer_is_never_served_from_a_cache_once_the_workspace_has_changed(
    open_rag: Open, server: OllamaDouble
) -> None:
    rag = open_rag()

    def asked_for(name: str) -> bool:
        """Ask, and return whether the model was asked anew, with a name in its prompt."""
        before = len(server.bodies("/api/chat"))
        assert rag.query("Who is the chief engineer?", QueryParam(mode="naive")).citations
        new = server.bodies("/api/chat")[before:]
        return len(new) == 1 and name in new[0]["messages"][-1]["content"]

    rag.insert("Mara Quill is the chief engineer of the Brindle Valley Ferry at Port Ansel.")
    assert asked_for("Mara Quill")
    (second,) = rag.insert("Ilse Vogt is the chief engineer of the Cormorant.")
    assert asked_for("Ilse Vogt")
    rag.delete_document(second)
    assert not asked_for("Ilse Vogt")
    rag.change_settings({"language_model": "ollama:sloppy"})
    assert asked_for("Mara Quill")
    assert server.bodies("/api/chat")[-1]["model"] == "sloppy:latest"


def test_a_model_is_asked_again_only_when_a_person_wants_it(open_rag: Open, server: OllamaDouble) -> None:
    """Kept replies were taken even when a person wanted a document read once more."""
    rag = open_rag(language_model="ollama:good")
    (id_,) = rag.insert(TEXT, ["ferry.txt"])
    asked = len(server.bodies("/api/chat"))
    for more, ask_again in ((0, False), (1, True), (1, False)):
        rag.reindex(id_, ask_again=ask_again)
        (status,) = rag.wait_for_documents([id_])
        assert status.state == DocumentState.DONE
        assert len(server.bodies("/api/chat")) == asked + more * asked


def test_a_document_of_which_a_model_read_nothing_is_not_simply_done(open_rag: Open) -> None:
    rag = open_rag(language_model="ollama:broken")
    rag.insert(TEXT)
    (status,) = rag.documents()
    assert status.state == DocumentState.PROBLEMS
    assert any("Indexed without a graph" in warning for warning in status.warnings)
    assert rag.query("Who founded the Brindle Valley Ferry?", QueryParam(mode="naive")).context.source_rows
    for mode in ("local", "global"):
        assert rag.query("Who founded the ferry?", QueryParam(mode=mode)).text == CANNOT_ANSWER


def test_documents_wait_for_a_server_that_went_away_and_go_on_when_it_is_back(tmp_path: Path) -> None:
    models = [ChatDouble(name="good", script=well_behaved), EmbedDouble(name="embed", dimensions=32)]
    with OllamaDouble(models) as first:
        port = int(first.address.rpartition(":")[2])
        settings = Settings(data_dir=tmp_path, ollama_host=first.address, server_retry_seconds=0.1)
        rag = LightRAG("w", settings)
    try:
        (status,) = rag.submit([Upload("ferry.txt", TEXT.encode())])
        wait_until(lambda: rag.documents()[0].state == DocumentState.WAITING)
        assert "does not answer" in rag.documents()[0].error
        assert "by itself" in rag.documents()[0].hint
        with OllamaDouble(models, port=port):
            wait_until(lambda: not rag.documents()[0].state.active)
        (done,) = rag.documents()
        assert (done.id, done.state, done.error) == (status.id, DocumentState.DONE, "")
    finally:
        rag.close()


def test_closing_twice_is_harmless(open_rag: Open) -> None:
    rag = open_rag()
    rag.close()
    rag.close()


def test_what_a_reasoning_model_thought_is_kept_apart_from_the_answer(tmp_path: Path) -> None:
    models = [
        ChatDouble(name="thinker", script=reasoning, capabilities=("completion", "thinking")),
        EmbedDouble(name="embed", dimensions=32),
    ]
    with OllamaDouble(models) as double:
        for thinking in ("on", "off"):
            settings = Settings(data_dir=tmp_path, ollama_host=double.address, thinking=thinking)
            with LightRAG("w", settings) as rag:
                rag.insert(TEXT)
                stream = rag.stream("Who founded the Brindle Valley Ferry?")
                streamed = "".join(stream)
                assert streamed == stream.answer.text
                assert bool(stream.answer.thinking) == (thinking == "on")
                assert stream.answer.thinking not in streamed or thinking == "off"


def test_a_workspace_opens_without_the_server_of_its_models_and_uses_it_when_it_is_back(
    tmp_path: Path,
) -> None:
    models = [ChatDouble(name="good", script=well_behaved), EmbedDouble(name="embed", dimensions=32)]
    with OllamaDouble(models) as first:
        port = int(first.address.rpartition(":")[2])
        settings = Settings(data_dir=tmp_path, ollama_host=first.address)
        with LightRAG("w", settings) as rag:
            rag.change_settings({"language_model": "ollama:good", "embedding_model": "ollama:embed"})
            rag.insert(TEXT)
    with LightRAG("w", settings) as rag:
        assert rag.counts().entities > 0
        assert rag.models().language == "builtin"
        assert "stands in for ollama:good" in rag.models().language_reason
        with pytest.raises(ModelError, match="does not answer"):
            rag.query("Who founded the Brindle Valley Ferry?")
        with OllamaDouble(models, port=port):
            assert rag.query("Who founded the Brindle Valley Ferry?").citations
            assert rag.look_again().language == "ollama:good:latest"


def test_the_model_that_is_chosen_now_answers_and_the_retrieval_settings_count(
    open_rag: Open, server: OllamaDouble
) -> None:
    rag = open_rag(embedding_model="ollama:embed")
    rag.insert(TEXT)
    question = "Who founded the Brindle Valley Ferry?"
    assert rag.query(question).language == "ollama:good:latest"
    rag.change_settings({"language_model": "ollama:sloppy", "top_k": 1, "max_token_for_prompt": 900})
    asked = len(server.bodies("/api/chat"))
    answer = rag.query(question, rag.query_param(mode="local"))
    assert answer.language == "ollama:sloppy:latest"
    assert {body["model"] for body in server.bodies("/api/chat")[asked:]} == {"sloppy:latest"}
    assert len(answer.context.entities) == 1
    assert answer.prompt_tokens <= 900
