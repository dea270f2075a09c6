"""Looking after the models of an open workspace: trying them, getting them, embedding with another one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from lightrag_engine.errors import LightRAGError, SettingsError, WorkspaceError
from lightrag_engine.indexing.live import live_placements
from lightrag_engine.indexing.reembedding import Reembedding, reembed
from lightrag_engine.language.ollama import OllamaState, PullProgress, discover, pull
from lightrag_engine.language.trial import FormatComparison, ModelTest, compare, try_model, typical
from lightrag_engine.models import BUILTIN, TASKS, Models, choose
from lightrag_engine.opened import OpenWorkspace
from lightrag_engine.settings import Settings

_PAUSED = "It was paused."


class ModelCare(OpenWorkspace):
    """What a workspace offers for its models; see `lightrag_engine.LightRAG`."""

    # Embedding anew

    def reembed(self, embedding_model: str) -> None:
        """Make all vectors anew with another model, in the background; documents wait meanwhile.

        The old vectors are in use until the new ones are complete. An interrupted run goes on when this is
        called again.

        Raises
        ------
        SettingsError, ModelError
            When there is no such model.
        WorkspaceError
            When it is under way already.
        """
        self._loop.run(self._begin_reembedding(embedding_model))

    def reembedding(self) -> Reembedding | None:
        """Return how far re-embedding is; None when there is none, under way or interrupted."""
        return self._reembedding

    def pause_reembedding(self) -> None:
        """Stop re-embedding for now: what is done is kept, documents go on, and `reembed` goes on with it."""
        self._loop.run(self._pause_reembedding())

    def drop_reembedding(self) -> None:
        """Give re-embedding up: the vectors made so far are dropped, the old ones stay in use."""
        self._loop.run(self._drop_reembedding())

    async def _begin_reembedding(self, embedding_model: str) -> None:
        if self._reembedding is not None and self._reembedding.running:
            raise WorkspaceError(
                f"The texts are being embedded with {self._reembedding.model} already.",
                hint="Wait until that is done.",
            )
        # What a model is called once it is in use has more in it than the setting takes.
        wanted = BUILTIN if embedding_model.startswith(BUILTIN) else embedding_model
        saved = {**self.saved_settings(), "embedding_model": wanted}
        settings = self._effective(saved)
        models = self._with_given_language(await choose(settings, self._workspace, keep_embedding=False))
        self._reembedding = Reembedding(models.embedding.name)
        self._reembed_task = asyncio.create_task(self._reembed(settings, saved, models))

    async def _reembed(self, settings: Settings, saved: Mapping[str, Any], models: Models) -> None:
        name = models.embedding.name

        def progress(done: int, total: int, waits: str) -> None:
            self._reembedding = Reembedding(name, done, total, error=waits)
            self._workspace.about.put_many({"reembedding": {"model": name, "done": done, "total": total}})

        await self._pipeline.stop()
        try:
            await reembed(
                self._workspace, models.embedding, saved, progress, self.settings.server_retry_seconds
            )
            self._use(settings, models)
        except LightRAGError as error:
            self._stop_reembedding(f"{error} {error.hint}")
        except Exception as error:  # noqa: BLE001 - told where the progress is shown; the old vectors serve on
            self._stop_reembedding(f"An unexpected error stopped it: {type(error).__name__}: {error}.")
        else:
            done = self._reembedding.total if self._reembedding else 0
            self._reembedding = Reembedding(name, done, done, running=False)

    def _stop_reembedding(self, error: str) -> None:
        if self._reembedding is not None:
            self._reembedding = replace(self._reembedding, running=False, error=error)
        self._use(self.settings, self._models)

    async def _pause_reembedding(self) -> None:
        if self._reembed_task is None or self._reembedding is None or not self._reembedding.running:
            return
        self._reembed_task.cancel()
        await asyncio.gather(self._reembed_task, return_exceptions=True)
        if self._reembedding.running:  # not completed at the last moment
            self._stop_reembedding(_PAUSED)

    async def _drop_reembedding(self) -> None:
        await self._pause_reembedding()
        if self._reembedding is not None and self._reembedding.error:
            await asyncio.to_thread(self._workspace.drop_other_vectors, self._models.embedding)
            self._reembedding = None

    # The model server

    def server(self) -> OllamaState:
        """Look what the Ollama server has."""
        return self._loop.run(discover(self.settings))

    def pull_model(
        self, name: str, while_waiting: Callable[[], None] | None = None
    ) -> Iterator[PullProgress]:
        """Have the server get a model, step by step; closing the iterator stops it.

        `while_waiting` is called a few times a second between the steps; what it raises stops it, too.

        Raises
        ------
        ModelError
            When the server is not there or cannot get the model.
        """
        return self._loop.iterate(pull(self.settings, name), while_waiting)

    def test_model(
        self, name: str, document_id: str = "", while_waiting: Callable[[], None] | None = None
    ) -> ModelTest:
        """Have a model read one chunk, a typical one of a document or a sample, and keep nothing of it.

        `while_waiting` is called a few times a second meanwhile; what it raises stops the model.

        Raises
        ------
        SettingsError, ModelError
            When there is no such model, or it gives nothing usable.
        """
        return self._loop.run(self._test_model(name, document_id), while_waiting)

    def compare_formats(
        self, name: str, document_id: str = "", while_waiting: Callable[[], None] | None = None
    ) -> FormatComparison:
        """Have a model read one chunk in each format of extraction replies; see `test_model`.

        Which format is used is the setting ``extraction_format``.

        Raises
        ------
        SettingsError, ModelError
            As `test_model`, and when the built-in language is named, which has no such format.
        """
        if name == BUILTIN:
            raise SettingsError(
                "The built-in language reads documents without a format.",
                hint="Name a model of a server: ollama:NAME or openai:NAME.",
            )
        as_json = self._loop.run(self._test_model(name, document_id, "json"), while_waiting)
        as_records = self._loop.run(self._test_model(name, document_id, "records"), while_waiting)
        return compare(as_json, as_records)

    async def _test_model(self, name: str, document_id: str, form: str = "") -> ModelTest:
        changes = {"language_model": name, **dict.fromkeys(TASKS, "")}
        if form:
            changes["extraction_format"] = form
        models = await choose(self.settings.model_copy(update=changes), self._workspace, cached=False)
        placements = live_placements(self._workspace, document_id)
        chunks, status = [p.chunk for p in placements], self._statuses.get(document_id)
        if not chunks or status is None:
            return await try_model(models.language, None, "", "a sample text")
        chunk = chunks[typical([c.tokens for c in chunks])]
        source = f"chunk {chunk.chunk_order_index + 1} of {len(chunks)} of {status.name}"
        return await try_model(models.language, chunk, status.title, source)
