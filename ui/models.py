"""The models that can be chosen, and those on the server, as data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from lightrag_engine import Settings
from lightrag_engine.language.ollama import OllamaModel, OllamaState, PullProgress
from ui.format import size

AUTO = "auto"
BUILTIN = "builtin"
SAME = ""
_OLLAMA = "ollama:"
_OPENAI = "openai:"
_CAPABILITIES = {"completion": "chat"}


def language_options(state: OllamaState, current: str, first: Sequence[str]) -> list[str]:
    """Return the values that a language setting can take: `first`, built-in, the server's, `current`."""
    return _options([*first, BUILTIN], state.chat_models, current)


def embedding_options(state: OllamaState, current: str) -> list[str]:
    """Return the values that the embedding setting can take."""
    return _options([AUTO, BUILTIN], state.embedding_models, current)


def _options(first: Sequence[str], models: Iterable[OllamaModel], current: str) -> list[str]:
    return list(dict.fromkeys([*first, *(_OLLAMA + model.name for model in models), current]))


def full_value(value: str, state: OllamaState) -> str:
    """Return the value of a model setting, also for the bare name of a model that the server has."""
    if value in (AUTO, BUILTIN, SAME) or value.startswith((_OLLAMA, _OPENAI)):
        return value
    model = state.find(value.strip())
    return _OLLAMA + model.name if model else value


def option_label(value: str, state: OllamaState) -> str:
    """Return how a value of a model setting is shown.

    Examples
    --------
    >>> option_label("builtin", OllamaState("http://127.0.0.1:11434"))
    'Built-in'
    """
    fixed = {
        AUTO: "Automatic: Ollama if it has a model, else built-in",
        BUILTIN: "Built-in",
        SAME: "Same as the language model",
    }
    if value in fixed:
        return fixed[value]
    if value.startswith(_OPENAI):
        return f"{value.removeprefix(_OPENAI)} · OpenAI-compatible server"
    if not value.startswith(_OLLAMA):
        return value
    name = value.removeprefix(_OLLAMA)
    model = state.find(name)
    if model is None:
        return f"{name} · not found on the Ollama server"
    return f"{name} · Ollama, {'other people’s machines' if model.remote else 'local'}"


def absent(settings: Settings, state: OllamaState) -> str:
    """Return the first model of the settings that a server which answers does not have; empty when none."""
    names = [getattr(settings, name) for name in Settings.model_fields if name.endswith("_model")]
    wanted = [name.removeprefix(_OLLAMA) for name in names if name.startswith(_OLLAMA)]
    return next((name for name in wanted if state.reachable and state.find(name) is None), "")


def reading_model(settings: Settings, state: OllamaState) -> str:
    """Return the model that reads documents by these settings, with ``auto`` resolved."""
    wanted = settings.extraction_model or settings.language_model
    if wanted != AUTO:
        return wanted
    return next((_OLLAMA + model.name for model in state.chat_models if not model.remote), BUILTIN)


def model_table(models: Sequence[OllamaModel]) -> pd.DataFrame:
    """Return one row a model; sizes in bytes, 0 (unknown) left empty."""
    rows = [
        (
            m.name,
            sorted(_CAPABILITIES.get(kind, kind) for kind in m.capabilities),
            m.context_tokens or None,
            m.size or None,
            m.parameter_size,
            m.quantization,
            m.dimensions if m.embeds and m.dimensions else None,
            "elsewhere" if m.remote else "this server",
        )
        for m in models
    ]
    columns = ["name", "can", "context", "size", "parameters", "quantization", "dimensions", "runs"]
    kinds = {
        **dict.fromkeys(("name", "parameters", "quantization", "runs"), "str"),
        **dict.fromkeys(("context", "size", "dimensions"), "Int64"),
    }
    return pd.DataFrame(rows, columns=columns).astype(kinds)


def pull_share(step: PullProgress | None) -> float:
    """Return how far the present part of a model is, from 0 to 1."""
    return min(step.completed / step.total, 1.0) if step and step.total else 0.0


def pull_text(name: str, step: PullProgress | None) -> str:
    """Return how far pulling a model is, in a line.

    Examples
    --------
    >>> pull_text("qwen3:4b", PullProgress("pulling 3e4cb1417446", 1_200_000_000, 2_400_000_000))
    'qwen3:4b · pulling 3e4cb1417446 · 1.2 GB of 2.4 GB'
    """
    parts = [name, step.status if step and step.status else "asking the server"]
    if step and step.total:
        parts.append(f"{size(step.completed)} of {size(step.total)}")
    return " · ".join(parts)
