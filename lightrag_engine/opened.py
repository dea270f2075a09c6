"""An open workspace: its settings, its models, and changing both while it is open."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from lightrag_engine.check_report import CheckReport
from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.errors import LightRAGError, WorkspaceError
from lightrag_engine.evaluation.once import EmbeddedOnce
from lightrag_engine.graphs import GraphExplorer
from lightrag_engine.identity.duplicates import DuplicateFinder
from lightrag_engine.indexing.pipeline import Pipeline
from lightrag_engine.indexing.reembedding import Reembedding
from lightrag_engine.indexing.statuses import Statuses
from lightrag_engine.indexing.vector_check import vectors_complete
from lightrag_engine.language.base import LanguageModel
from lightrag_engine.loop import engine_loop
from lightrag_engine.models import ModelChoice, Models, choose
from lightrag_engine.querying import Querying
from lightrag_engine.records import QueryParam
from lightrag_engine.retrieval.latest import LatestPassageGraph
from lightrag_engine.retrieval.retriever import Retriever
from lightrag_engine.settings import Settings
from lightrag_engine.storage.workspace import Workspace

_INTERRUPTED = "The program was closed meanwhile."
_GIVEN = "given by the program"
_TEXTS_REMEMBERED = 20_000  # vectors in memory, about 30 MB of 384 dimensions
_REPAIR_WAIT = 60.0  # seconds for vectors that a repair has made anew
logger = logging.getLogger(__name__)


class OpenWorkspace:
    """A workspace with its models at work; see `lightrag_engine.LightRAG` for what can be done with it.

    `opening_check` is what a check found on opening, where there was reason for one: whoever had the
    workspace before did not close it, or vectors are missing.

    Settings come from, in this order: arguments and ``LIGHTRAG_…`` variables, what was saved in the
    workspace, the defaults.
    """

    def __init__(
        self,
        workspace: str,
        settings: Settings | None,
        language: LanguageModel | None,
        embedding: EmbeddingModel | None,
    ) -> None:
        self._given_settings = settings or Settings()
        self._given_language, self._given_embedding = language, embedding
        self._loop = engine_loop()
        self._closed = False
        self._reembedding: Reembedding | None = None
        self._reembed_task: asyncio.Task[None] | None = None
        self._choosing: asyncio.Task[None] | None = None
        self.opening_check: CheckReport | None = None
        self._workspace = Workspace(self._given_settings.data_dir, workspace)
        try:
            self._statuses = Statuses(self._workspace.documents)
            self._passages = LatestPassageGraph(self._workspace, self._statuses)
            self._explorer = GraphExplorer(self._workspace, self._statuses)
            self._duplicates = DuplicateFinder(self._workspace)
            self.settings = self._effective(self.saved_settings())
            interrupted = self._workspace.about.get("reembedding")
            if interrupted is not None and self._workspace.embedding_in_use():
                self._reembedding = Reembedding(**interrupted, running=False, error=_INTERRUPTED)
            self._loop.run(self._begin(self.settings))
        except BaseException:
            self._workspace.close()
            raise

    async def _begin(self, settings: Settings) -> None:
        self._equip(settings, await self._choose(settings, self._may_lack()))
        opened = self._workspace
        if opened.ended_uncleanly or not (opened.is_sealed or vectors_complete(opened)):
            logger.info("checking the workspace %s, which was not closed as it should", self.name)
            self.opening_check = await self._pipeline.check(repair=True)
        self._pipeline.start()

    def _may_lack(self) -> frozenset[str]:
        # What the program asks for must be there; what was saved or chosen earlier may be away for now.
        names = {name for name in Settings.model_fields if name.endswith("_model")}
        return frozenset(names - self.settings_fixed()) | {"embedding_model"}

    def _on_back(self) -> None:
        """Choose again, in a task of its own: it stops the one that found the model."""
        if self._choosing is None or self._choosing.done():
            self._choosing = asyncio.create_task(self._choose_again())

    async def _choose_again(self) -> None:
        if self._reembedding is not None and self._reembedding.running:
            return
        try:
            models = await self._choose(self.settings, self._may_lack())
        except LightRAGError:
            return  # gone again, or another one has gone: documents go on asking
        await self._pipeline.stop()
        self._use(self.settings, models)

    async def _choose(self, settings: Settings, may_lack: frozenset[str] = frozenset()) -> Models:
        language, embedding = self._given_language, self._given_embedding
        if language is not None and embedding is not None:
            choice = ModelChoice(language.name, _GIVEN, embedding.name, _GIVEN, language.name, language.name)
            return Models(language, embedding, choice)
        chosen = await choose(settings, self._workspace, may_lack=may_lack, on_back=self._on_back)
        return replace(self._with_given_language(chosen), embedding=embedding or chosen.embedding)

    def _with_given_language(self, models: Models) -> Models:
        """Return models with the language that the program gives, if it does: no setting replaces that."""
        language = self._given_language
        if language is None:
            return models
        name = language.name
        choice = replace(models.choice, language=name, language_reason=_GIVEN, reading=name, keywords=name)
        return replace(models, language=language, choice=choice)

    def _use(self, settings: Settings, models: Models) -> None:
        self._equip(settings, models)
        self._pipeline.start()

    def _equip(self, settings: Settings, models: Models) -> None:
        self._workspace.bind_embedding(models.embedding)
        self._workspace.extractions.sample_size = settings.merge_sample_size
        self.settings = settings
        self._models = models
        retriever = Retriever(self._workspace, self._statuses, models.embedding, self._passages)
        self._querying = Querying(retriever, models.language)
        # For weighing answers: their sentences and those of their sources come again and again.
        self._embedded_once = EmbeddedOnce(models.embedding, most=_TEXTS_REMEMBERED)
        self._pipeline = Pipeline(
            self._workspace, self._statuses, models.language, models.embedding, settings
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the work and close the files; unfinished documents go on when it is opened again."""
        if not self._closed:
            self._closed = True
            self._loop.run(self._end())
            self._statuses.close()
            self._workspace.close()

    async def _end(self) -> None:
        for task in (self._choosing, self._reembed_task):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        await self._pipeline.stop()

    @property
    def name(self) -> str:
        """The shown name of the workspace."""
        return self._workspace.name

    def models(self) -> ModelChoice:
        """Return which models are in use and why."""
        return self._models.choice

    # The self-check

    async def acheck(self, *, repair: bool = False) -> CheckReport:
        """Compare documents, chunks, readings, graph, outbox and vectors, and the database with itself.

        With `repair`, graph and vectors are made anew where they differ, and what belongs to no document is
        removed; documents are never lost. Vectors and documents that must be made or read anew are under way
        when this returns, and usually done.
        """
        return await self._loop.await_(self._check(repair))

    def check(self, *, repair: bool = False) -> CheckReport:
        """See `acheck`."""
        return self._loop.run(self._check(repair))

    async def _check(self, repair: bool) -> CheckReport:
        self._workspace.check_open()
        report = await self._pipeline.check(repair=repair)
        if repair and report.problems:
            await self._pipeline.settled(_REPAIR_WAIT)
        return report

    # Settings

    def saved_settings(self) -> dict[str, Any]:
        """Return the settings that were saved in this workspace."""
        return self._workspace.about.get("settings") or {}

    def settings_fixed(self) -> frozenset[str]:
        """Return the names of settings that a variable or the program gives: they cannot be changed here."""
        return frozenset(self._given_settings.model_fields_set)

    def _effective(self, saved: Mapping[str, Any]) -> Settings:
        given = {name: getattr(self._given_settings, name) for name in self.settings_fixed()}
        known = {name: value for name, value in saved.items() if name in Settings.model_fields}
        return Settings(**{**known, **given})

    def change_settings(self, changes: Mapping[str, Any]) -> None:
        """Save settings in the workspace and use them from now on; None goes back to the default.

        Chunking and extraction settings count for documents that are added from now on.

        Raises
        ------
        SettingsError
            When a value cannot be used. Nothing is changed then, as with the other errors.
        ModelError
            When a model is not there.
        WorkspaceError
            When the vectors here were made with another embedding model: see `reembed`.
        """
        self._loop.run(self._change_settings(changes))

    async def _change_settings(self, changes: Mapping[str, Any]) -> None:
        if self._reembedding is not None and self._reembedding.running:
            raise WorkspaceError(
                "The texts are being embedded anew: settings can be changed when that is done.",
                hint="Wait for it on the settings page.",
            )
        merged = {**self.saved_settings(), **changes}
        saved = {name: value for name, value in merged.items() if value is not None}
        settings = self._effective(saved)
        models = await self._choose(settings)
        self._workspace.check_embedding(models.embedding)
        # What is saved is what was understood, in a form that JSON can hold.
        plain = settings.model_dump(mode="json", include=set(saved))
        if "openai_api_key" in plain:
            plain["openai_api_key"] = settings.openai_api_key.get_secret_value()
        await self._pipeline.stop()
        self._workspace.about.put_many({"settings": plain})
        self._use(settings, models)

    def look_again(self) -> ModelChoice:
        """Look for model servers anew, choose again, and return what is in use now."""
        self._loop.run(self._change_settings({}))
        return self.models()

    # Questions

    def query_param(self, **fields: Any) -> QueryParam:
        """Return how a question is answered by the settings of this workspace; `fields` come before them.

        Examples
        --------
        ``rag.query("Who …?", rag.query_param(mode="local"))``
        """
        names = ("top_k", *(name for name in Settings.model_fields if name.startswith("max_token_for_")))
        return QueryParam(**{name: getattr(self.settings, name) for name in names} | fields)

    async def _query_done(self) -> None:
        """Flush what a query changed (model responses) from the write-ahead log into the database."""
        try:
            await asyncio.to_thread(self._workspace.database.checkpoint)
        except sqlite3.Error:
            # The answer is there; what could not be moved stays in the log of the database.
            logger.exception("the database could not be flushed")
