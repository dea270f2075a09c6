"""Which language and embedding model is used, and why."""

from __future__ import annotations

import os
from dataclasses import dataclass

from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.errors import SettingsError
from lightrag_engine.language.base import LanguageModel
from lightrag_engine.settings import Settings

BUILTIN = "builtin"
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The names of the models in use, each with a sentence that says why it was chosen."""

    language: str
    language_reason: str
    embedding: str
    embedding_reason: str


def choose(settings: Settings) -> tuple[LanguageModel, EmbeddingModel, ModelChoice]:
    """Return the language and the embedding model that the settings ask for.

    Raises
    ------
    SettingsError
        When a setting names a model that there is not.
    ModelError
        When a model cannot be loaded.
    """
    for name in ("language_model", "embedding_model"):
        value = getattr(settings, name)
        if value not in (AUTO, BUILTIN):
            raise SettingsError(
                f"The setting {name} cannot be {value!r}: there is no such model.",
                hint=f"Set {name}, or the variable LIGHTRAG_{name.upper()}, to {AUTO} or {BUILTIN}.",
            )
    # Imported here: spaCy and onnxruntime take a second that a program with models of its own need not spend.
    from lightrag_engine.embedding.builtin import BuiltinEmbedding
    from lightrag_engine.language.builtin import BuiltinLanguage

    # Half of the processors: the app answers while documents are embedded.
    embedding = BuiltinEmbedding(threads=max(1, (os.cpu_count() or 1) // 2))
    language = BuiltinLanguage(settings, embedding)
    reasons = {
        AUTO: "chosen by itself: no model server is set up",
        BUILTIN: "chosen in the settings",
    }
    return (
        language,
        embedding,
        ModelChoice(
            language=language.name,
            language_reason=reasons[settings.language_model],
            embedding=embedding.name,
            embedding_reason=reasons[settings.embedding_model],
        ),
    )
