"""Which language and embedding model is used, and why.

A model is named ``builtin``, ``ollama:NAME``, ``openai:NAME`` (a server that speaks OpenAI's protocol), or
``auto``: an Ollama server that answers and has a usable model of this machine, else built in.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.embedding.later import LaterEmbedding
from lightrag_engine.errors import (
    LightRAGError,
    MissingModelError,
    ModelError,
    ServerAwayError,
    SettingsError,
)
from lightrag_engine.language.away import AwayLanguage
from lightrag_engine.language.base import LanguageModel
from lightrag_engine.language.by_task import LanguageByTask
from lightrag_engine.language.chat import ChatModel
from lightrag_engine.language.llm import PromptedLanguage
from lightrag_engine.language.ollama import OllamaChat, OllamaModel, OllamaState, discover
from lightrag_engine.language.prompts import FILE_NAME, load_prompts
from lightrag_engine.settings import Settings
from lightrag_engine.storage.workspace import Workspace

BUILTIN = "builtin"
AUTO = "auto"
# The settings of the models for one task each, in the order of `LanguageByTask`.
TASKS = ("extraction_model", "keywords_model", "answer_model")
_OLLAMA = "ollama:"
_OPENAI = "openai:"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The names of the models in use, each with a sentence that says why it was chosen.

    `language` answers; `reading` and `keywords` do the other tasks, which often the same model does. `absent`
    are models that the settings ask for and that are not there now.
    """

    language: str
    language_reason: str
    embedding: str
    embedding_reason: str
    reading: str
    keywords: str
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a workspace, and how they were chosen."""

    language: LanguageModel
    embedding: EmbeddingModel
    choice: ModelChoice


async def choose(
    settings: Settings,
    workspace: Workspace,
    *,
    keep_embedding: bool = True,
    cached: bool = True,
    may_lack: frozenset[str] = frozenset(),
    on_back: Callable[[], None] = lambda: None,
) -> Models:
    """Return the models that the settings ask for.

    With ``auto`` a workspace keeps the embedding model its vectors were made with, unless told otherwise.
    `cached`: whether replies of chat models are kept in the workspace. `may_lack` names settings whose model
    need not be there: the built-in language stands in for questions, documents wait for the model, and
    `on_back` is called when it was found for them; the workspace's own embedding model is looked for again
    when it is needed.

    Raises
    ------
    SettingsError
        When a setting is not the name of a model.
    ModelError
        When a model that was asked for by name is not there.
    """
    chooser = _Chooser(settings, workspace, await _state(settings), keep_embedding, cached, may_lack, on_back)
    embedding, embedding_reason = await chooser.embedding()
    language, reason, tasks = await chooser.language(embedding)
    choice = ModelChoice(
        language=language.name,
        language_reason=reason,
        embedding=embedding.name,
        embedding_reason=embedding_reason,
        reading=tasks.extraction.name,
        keywords=tasks.keywording.name,
        absent=tuple(chooser.absent),
    )
    return Models(language, embedding, choice)


async def language_called(
    name: str, settings: Settings, workspace: Workspace, embedding: EmbeddingModel
) -> LanguageModel:
    """Return another language than the one in use, by the name a setting would have.

    Raises
    ------
    SettingsError, ModelError
        When there is no such model, or it is not there.
    """
    chosen = settings.model_copy(update={"language_model": name, **dict.fromkeys(TASKS, "")})
    chooser = _Chooser(chosen, workspace, await _state(chosen), True, True, frozenset(), lambda: None)
    return await chooser._language(name, "language_model", _builtin_language(chosen, embedding))


async def _state(settings: Settings) -> OllamaState:
    """Look for a server only where one may be used."""
    asked = [getattr(settings, name) for name in ("language_model", "embedding_model", *TASKS)]
    if any(name == AUTO or name.startswith(_OLLAMA) for name in asked):
        return await discover(settings)
    return OllamaState(settings.ollama_host, reason="not looked for", hint="")


@dataclass(frozen=True, slots=True)
class _Chooser:
    settings: Settings
    workspace: Workspace
    state: OllamaState
    keep_embedding: bool
    cached: bool
    may_lack: frozenset[str]
    on_back: Callable[[], None]
    absent: list[str] = field(default_factory=list)

    async def embedding(self) -> tuple[EmbeddingModel, str]:
        wanted = self.settings.embedding_model
        used = self.workspace.embedding_in_use() if self.keep_embedding else ""
        if used and (wanted == AUTO or used in (wanted, f"{wanted}:latest")):
            return await self._used_embedding(used)
        if wanted != AUTO:
            return await self._embedding(wanted, "embedding_model"), "chosen in the settings"
        local = [model for model in self.state.embedding_models if not model.remote]
        if local:
            reason = f"chosen by itself: the Ollama server at {self.state.address} has it"
            return await self._embedding(_OLLAMA + local[0].name, "embedding_model"), reason
        return _builtin_embedding(), self._why_builtin("no embedding model")

    async def language(self, embedding: EmbeddingModel) -> tuple[LanguageModel, str, LanguageByTask]:
        """Return the language, why the model that answers was chosen, and the language by task."""
        builtin = _builtin_language(self.settings, embedding)
        wanted = self.settings.language_model
        reason = "chosen in the settings"
        if wanted == AUTO:
            local = [model for model in self.state.chat_models if not model.remote]
            wanted = _OLLAMA + local[0].name if local else BUILTIN
            reason = (
                f"chosen by itself: the Ollama server at {self.state.address} has it"
                if local
                else self._why_builtin("no chat model")
            )
        main, reason = await self._or_else(builtin, wanted, "language_model", reason, builtin)
        if not any(getattr(self.settings, name) for name in TASKS):
            return main, reason, LanguageByTask(main, main, main)
        tasks = dict.fromkeys(TASKS, (main, reason))
        for name in TASKS:
            if value := getattr(self.settings, name):
                why = "chosen in the settings for this task"
                tasks[name] = await self._or_else(main, value, name, why, builtin)
        by_task = LanguageByTask(*(tasks[name][0] for name in TASKS))
        return by_task, tasks["answer_model"][1], by_task

    async def _or_else(
        self, stand_in: LanguageModel, name: str, setting: str, reason: str, builtin: LanguageModel
    ) -> tuple[LanguageModel, str]:
        """Return a model and why it is used; another one where the model is away and may be."""
        try:
            return await self._language(name, setting, builtin), reason
        except ModelError as error:
            if setting not in self.may_lack:
                raise
            reason = str(error)
            self.absent.append(name)

        async def find() -> LanguageModel:
            state = await discover(self.settings)
            return await replace(self, state=state, may_lack=frozenset())._language(name, setting, builtin)

        away = AwayLanguage(name, stand_in, find, self.on_back)
        return away, f"stands in for {name}: {reason}"

    async def _used_embedding(self, name: str) -> tuple[EmbeddingModel, str]:
        reason = "this workspace was built with it"
        try:
            return await self._embedding(name, "embedding_model"), reason
        except ModelError as error:
            if "embedding_model" not in self.may_lack:
                raise
            self.absent.append(name)
            reason = f"{reason}, but it is away: {error}"

        async def find() -> EmbeddingModel:
            state = await discover(self.settings)
            found = await replace(self, state=state)._embedding(name, "embedding_model")
            self.workspace.check_embedding(found)
            return found

        return LaterEmbedding(name, self.workspace.embedding_dimensions(), find), reason

    def _why_builtin(self, lacking: str) -> str:
        if not self.state.reachable:
            return f"chosen by itself: {self.state.reason}"
        return f"chosen by itself: the Ollama server at {self.state.address} has {lacking} of this machine"

    async def _embedding(self, name: str, setting: str) -> EmbeddingModel:
        if name == BUILTIN or name.startswith(f"{BUILTIN}:"):
            return _builtin_embedding()
        if name.startswith(_OLLAMA):
            from lightrag_engine.embedding.ollama import open_embedding

            return await open_embedding(self._ollama_model(name), self.settings)
        if name.startswith(_OPENAI):
            from lightrag_engine.embedding.openai_compatible import open_embedding as open_compatible

            return await open_compatible(name.removeprefix(_OPENAI), self.settings)
        raise _no_such_model(setting, name)

    async def _language(self, name: str, setting: str, builtin: LanguageModel) -> LanguageModel:
        if name == BUILTIN:
            return builtin
        if name.startswith(_OLLAMA):
            chat: ChatModel = _ollama_chat(self._ollama_model(name), self.settings)
        elif name.startswith(_OPENAI):
            chat = await _openai_chat(name.removeprefix(_OPENAI), self.settings)
        else:
            raise _no_such_model(setting, name)
        prompts = load_prompts(self.workspace.folder / FILE_NAME)
        cache = self.workspace.responses if self.cached else None
        return PromptedLanguage(chat, self.settings, builtin, cache, prompts)

    def _ollama_model(self, name: str) -> OllamaModel:
        model = name.removeprefix(_OLLAMA)
        if not self.state.reachable:
            raise ServerAwayError(
                f"The model {name} cannot be used: {self.state.reason}", hint=self.state.hint
            )
        found = self.state.find(model)
        if found is None:
            raise MissingModelError(
                f'The Ollama server at {self.state.address} has no model "{model}".', model
            )
        return found


def _builtin_embedding() -> EmbeddingModel:
    # Imported here: onnxruntime and spaCy take a second that a program with other models need not spend.
    from lightrag_engine.embedding.builtin import BuiltinEmbedding

    # Half of the processors: the app answers while documents are embedded.
    return BuiltinEmbedding(threads=max(1, (os.cpu_count() or 1) // 2))


def _builtin_language(settings: Settings, embedding: EmbeddingModel) -> LanguageModel:
    from lightrag_engine.language.builtin import BuiltinLanguage

    return BuiltinLanguage(settings, embedding)


@lru_cache(maxsize=32)
def _ollama_chat(model: OllamaModel, settings: Settings) -> OllamaChat:
    """One object a model: it bounds how many requests the server gets, whichever workspace they come from."""
    return OllamaChat(model, settings)


async def _openai_chat(name: str, settings: Settings) -> ChatModel:
    from lightrag_engine.language.openai_compatible import OpenAICompatibleChat
    from lightrag_engine.language.openai_server import OpenAIModel, list_models

    known = {model.name: model for model in await list_models(settings)}
    return OpenAICompatibleChat(known.get(name, OpenAIModel(name)), settings)


def _no_such_model(setting: str, name: str) -> LightRAGError:
    general = "nothing (the language model)" if setting in TASKS else AUTO
    return SettingsError(
        f"The setting {setting} cannot be {name!r}: there is no such model.",
        hint=f"Set {setting}, or the variable LIGHTRAG_{setting.upper()}, to {general}, {BUILTIN}, "
        "ollama:NAME or openai:NAME.",
    )
