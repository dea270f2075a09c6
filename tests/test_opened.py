"""Settings and models of an open workspace, over the real client and a server double."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from doubles import ScriptedLanguage
from ollama_double import (
    ChatCall,
    ChatDouble,
    EmbedDouble,
    OllamaDouble,
    Reply,
    broken,
    reasoning,
    sloppy,
    well_behaved,
)

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
from lightrag_engine.indexing.reembedding import Reembedding
from lightrag_engine.language.base import CANNOT_ANSWER

TEXT = (
    "Mara Quill founded the Brindle Valley Ferry in 1911. Tobias Renn has been the chief engineer of the "
    "Brindle Valley Ferry since 1987. The ferry links Port Ansel with Low Harrow."
)
Open = Callable[..., LightRAG]


@pytest.fixture
def server() -> Iterator[OllamaDouble]:
    models = [
        ChatDouble(name="good", script=well_behaved),
        ChatDouble(name="sloppy", script=sloppy),
        ChatDouble(name="broken", script=broken),
        EmbedDouble(name="embed", dimensions=32),
        EmbedDouble(name="other-embed", dimensions=48),
    ]
    with OllamaDouble(models) as double:
        yield double


@pytest.fixture
def open_rag(tmp_path: Path, server: OllamaDouble) -> Iterator[Open]:
    opened: list[LightRAG] = []

    def open_(workspace: str = "w", **settings: object) -> LightRAG:
        rag = LightRAG(
            workspace,
            Settings(
                **{
                    "data_dir": tmp_path,
                    "ollama_host": server.address,
                    "server_retry_seconds": 0.1,
                    **settings,
                }
            ),
        )
        opened.append(rag)
        return rag

    yield open_
    for rag in opened:
        rag.close()


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)


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


def test_all_texts_are_embedded_anew_and_the_old_vectors_dropped(
    open_rag: Open, server: OllamaDouble
) -> None:
    rag = open_rag()
    rag.insert(TEXT)
    before = {name: store.ids() for name, store in rag._workspace.vectors.items()}
    rag.reembed("ollama:other-embed")
    later = rag.submit([Upload("later.txt", b"Ada Pell met Bram Otto in Port Ansel.")])
    wait_until(lambda: (state := rag.reembedding()) is not None and not state.running)
    state = rag.reembedding()
    assert state is not None
    assert (state.error, state.done) == ("", state.total)
    assert rag.models().embedding == "ollama:other-embed:latest"
    wait_until(lambda: all(not d.state.active for d in rag.documents()))
    assert {d.state for d in rag.documents()} == {DocumentState.DONE}
    assert later[0].id in {d.id for d in rag.documents()}
    for name, store in rag._workspace.vectors.items():
        assert before[name] <= store.ids()
    assert len(rag._workspace._chroma.list_collections()) == 3
    rag.close()
    again = open_rag()
    assert again.models().embedding == "ollama:other-embed:latest"
    assert again.query("Who founded the Brindle Valley Ferry?").citations


def test_embedding_anew_that_fails_leaves_the_old_vectors_in_use_and_can_go_on(
    open_rag: Open, server: OllamaDouble
) -> None:
    server.models["short:latest"] = EmbedDouble(name="short", dimensions=16, missing=1)
    rag = open_rag()
    rag.insert(TEXT)
    with pytest.raises(ModelError):
        rag.reembed("ollama:absent")
    assert rag.reembedding() is None
    rag.reembed("ollama:short")
    wait_until(lambda: (state := rag.reembedding()) is not None and not state.running)
    state = rag.reembedding()
    assert state is not None
    assert "short" in state.error
    assert rag.models().embedding == "ollama:embed:latest"
    assert rag.query("Who founded the Brindle Valley Ferry?").citations
    rag.insert("Ada Pell met Bram Otto.")
    server.models["short:latest"] = EmbedDouble(name="short", dimensions=16)
    rag.reembed("ollama:short")
    wait_until(lambda: rag.models().embedding == "ollama:short:latest")
    assert rag.query("Who founded the Brindle Valley Ferry?").citations


class Held:
    """What an embedding double asks of every text: it holds the request until it is let go."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.reached = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, text: str) -> str:
        if self.word in text:
            self.reached.set()
            self.go_on.wait(30)
        return ""


def filled_and_embedding_anew(open_rag: Open, server: OllamaDouble) -> tuple[LightRAG, Held]:
    """Return a workspace of some 200 texts in the middle of being embedded anew with the model ``held``."""
    names = [f"Person{a} Family{b}" for a in range(12) for b in range(10)]
    rag = open_rag(language_model="builtin")
    rag.insert(" ".join(f"{name} met {other} in Port Ansel." for name, other in pairwise(names)))
    held = Held("Family9")
    server.models["held:latest"] = EmbedDouble(name="held", dimensions=24, fault=held)
    rag.reembed("ollama:held")
    assert held.reached.wait(30)
    return rag, held


def test_embedding_anew_can_be_paused_and_goes_on_where_it_was(open_rag: Open, server: OllamaDouble) -> None:
    rag, held = filled_and_embedding_anew(open_rag, server)
    rag.pause_reembedding()
    held.go_on.set()
    state = rag.reembedding()
    assert state is not None
    assert (state.running, state.error) == (False, "It was paused.")
    assert rag.models().embedding == "ollama:embed:latest"
    assert rag.query("Who met Person3 Family4?", QueryParam(mode="naive")).context.source_rows
    (id_,) = rag.insert("Ada Pell met Bram Otto in Port Ansel.")
    rag.reembed("ollama:held")
    wait_until(lambda: rag.models().embedding == "ollama:held:latest")
    assert id_ in {s.document_id for s in rag.query("Ada Pell?").context.source_rows}


def test_embedding_anew_that_was_interrupted_is_known_when_the_workspace_is_opened_again(
    open_rag: Open, server: OllamaDouble
) -> None:
    rag, held = filled_and_embedding_anew(open_rag, server)
    before = rag.reembedding()
    held.go_on.set()
    rag.close()
    again = open_rag(language_model="builtin")
    state = again.reembedding()
    assert before is not None
    assert state is not None
    assert (state.model, state.total, state.running) == ("ollama:held:latest", before.total, False)
    assert "closed" in state.error
    assert again.models().embedding == "ollama:embed:latest"
    again.drop_reembedding()
    assert again.reembedding() is None
    assert len(again._workspace._chroma.list_collections()) == 3
    again.close()
    assert open_rag(language_model="builtin").reembedding() is None


def test_old_vectors_that_a_program_ended_before_dropping_are_dropped_on_opening(
    open_rag: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They stayed for good, twice the size on disk: only another embedding anew dropped them."""

    def end(*_: object) -> None:
        raise RuntimeError("ended here")

    rag = open_rag(language_model="builtin")
    rag.insert(TEXT)
    with monkeypatch.context() as patch:
        patch.setattr(rag._workspace, "drop_other_vectors", end)
        rag.reembed("ollama:other-embed")
        wait_until(lambda: (state := rag.reembedding()) is not None and not state.running)
    assert len(rag._workspace._chroma.list_collections()) == 6
    rag.close()
    again = open_rag(language_model="builtin")
    assert again.models().embedding == "ollama:other-embed:latest"
    assert len(again._workspace._chroma.list_collections()) == 3
    assert again.reembedding() is None
    assert again.check().sound


def test_embedding_anew_waits_for_its_server(tmp_path: Path) -> None:
    models = [EmbedDouble(name="embed", dimensions=32), EmbedDouble(name="other", dimensions=16)]
    settings = {"data_dir": tmp_path, "language_model": "builtin", "server_retry_seconds": 0.1}
    held = Held("Mara")
    with OllamaDouble([models[0], replace(models[1], fault=held)]) as first:
        port = int(first.address.rpartition(":")[2])
        rag = LightRAG("w", Settings(ollama_host=first.address, **settings))
        rag.insert(TEXT)
        rag.reembed("ollama:other")
        assert held.reached.wait(30)
        held.go_on.set()
        server_ends = first  # the connection breaks in the middle of a batch, or the next one is refused
    assert server_ends
    try:
        with OllamaDouble(models, port=port):
            wait_until(lambda: rag.models().embedding == "ollama:other:latest")
        assert (rag.reembedding() or Reembedding("")).error == ""
    finally:
        rag.close()


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


def test_a_model_is_tried_on_a_typical_chunk(open_rag: Open) -> None:
    rag = open_rag(language_model="builtin", chunk_token_size=30, chunk_overlap_token_size=0)
    parts = ["Contents, preface and list of plates of the whole book, page by page, to begin with."]
    parts += [
        f"Then came a long and quiet year in which Mara Quill built the ship number {n} there."
        for n in range(4)
    ]
    (id_,) = rag.insert("\n\n".join(parts), ["book.txt"])
    tested = rag.test_model("ollama:good", id_)
    tokens = [chunk.tokens for chunk in rag.document_chunks(id_)]
    assert tokens[-1] < max(tokens) / 2, "the last one is short"
    assert (len(tokens), tested.source) == (4, "chunk 2 of 4 of book.txt")
    assert "Mara Quill" in {entity.entity_name for entity in tested.entities}
    assert rag.test_model("ollama:good").source == "a sample text"


def test_a_model_test_can_be_stopped_at_once(open_rag: Open, server: OllamaDouble) -> None:
    class StopError(Exception):
        pass

    def stop() -> None:
        if server.bodies("/api/chat"):
            raise StopError

    server.models["slow:latest"] = ChatDouble("slow", lambda call: Reply("no", first_delay=60))
    rag = open_rag(language_model="builtin")
    with pytest.raises(StopError):
        rag.test_model("ollama:slow", while_waiting=stop)


def test_a_model_can_be_tried_on_one_chunk_without_keeping_anything(open_rag: Open) -> None:
    rag = open_rag(language_model="builtin")
    good = rag.test_model("ollama:good")
    assert (good.model, good.health.verdicts) == ("ollama:good:latest", ())
    assert good.entities
    assert "calls" in good.health.text
    bad = rag.test_model("ollama:broken")
    assert bad.entities == ()
    assert "larger model" in bad.health.verdicts[0]
    assert rag.test_model("builtin").entities
    assert rag.counts().entities == 0
    assert len(rag._workspace.responses) == 0


def test_a_language_of_the_program_stays_when_the_texts_are_embedded_anew(
    tmp_path: Path, server: OllamaDouble
) -> None:
    """The chosen one came in its place: the next questions were answered by another model."""
    settings = Settings(data_dir=tmp_path, ollama_host=server.address, language_model="ollama:good")
    language = ScriptedLanguage()
    with LightRAG("w", settings, language=language) as rag:
        rag.insert(TEXT, ["ferry.txt"])
        assert (rag.models().language, rag.models().reading) == ("scripted", "scripted")
        rag.reembed("ollama:other-embed")
        wait_until(lambda: (state := rag.reembedding()) is not None and not state.running)
        assert rag.models().embedding == "ollama:other-embed:latest"
        assert (rag.models().language, rag.models().language_reason) == ("scripted", "given by the program")
        rag.insert("Ilse Vogt sailed.", ["more.txt"])
        assert rag.query("Who sailed?").language == "scripted"
    assert not server.bodies("/api/chat")


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


def test_both_formats_are_compared_on_one_chunk_without_keeping_anything(
    open_rag: Open, server: OllamaDouble
) -> None:
    def only_records(call: ChatCall) -> Reply:
        return broken(call) if call.format else well_behaved(call)

    server.models["old:latest"] = ChatDouble("old", only_records)
    rag = open_rag(language_model="builtin", extraction_format="json")
    compared = rag.compare_formats("ollama:old")
    assert compared.better == "records"
    assert (compared.json.usable, compared.json.health.failed) == (0, 1)
    assert compared.records.usable > 5
    assert compared.records.health.reply_tokens > 0
    # The double says of each call that it took two seconds, and half a second of them the loading.
    assert compared.records.health.seconds == 1.5 * compared.records.health.calls
    formats = ["format" in body for body in server.bodies("/api/chat")]
    assert formats == sorted(formats, reverse=True), "json first, then records"
    assert rag.counts().entities == 0
    assert len(rag._workspace.responses) == 0
    with pytest.raises(SettingsError, match="without a format"):
        rag.compare_formats("builtin")


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


def test_a_model_is_pulled_step_by_step(open_rag: Open, server: OllamaDouble) -> None:
    rag = open_rag()
    steps = list(rag.pull_model("good"))
    assert steps[-1].status == "success"
    server.pull = ({"error": "pull model manifest: file does not exist"},)
    with pytest.raises(ModelError, match="does not exist"):
        list(rag.pull_model("absent"))


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
