"""Trying models, getting them, and embedding with another one, over the real client and a server double."""

from __future__ import annotations

import threading
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
)
from lightrag_engine.indexing.reembedding import Reembedding


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


def test_a_model_is_pulled_step_by_step(open_rag: Open, server: OllamaDouble) -> None:
    rag = open_rag()
    steps = list(rag.pull_model("good"))
    assert steps[-1].status == "success"
    server.pull = ({"error": "pull model manifest: file does not exist"},)
    with pytest.raises(ModelError, match="does not exist"):
        list(rag.pull_model("absent"))
