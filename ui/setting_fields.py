"""The settings that the page shows: their groups, their labels, and what is said beside each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lightrag_engine import Settings
from ui.format import number, size


@dataclass(frozen=True, slots=True)
class Field:
    """A setting on the page.

    `explanation` replaces the description of the setting where that one is written for the shell. `step` is
    that of a number's buttons; a `wide` one takes a whole row.
    """

    name: str
    label: str
    explanation: str = ""
    step: int = 1
    wide: bool = False


LANGUAGE = (
    Field("language_model", "Language model", "Reads documents, finds keywords, answers."),
    Field("extraction_model", "Model that reads documents", "A larger one finds more, and takes longer."),
    Field("keywords_model", "Model that finds the keywords of a question", "A small, fast one is enough."),
    Field("answer_model", "Model that answers", "The one you meet in the chat."),
    Field(
        "thinking",
        "Thinking",
        "Whether a thinking model reasons before it answers a question: slower, sometimes better. "
        "Levels are for gpt-oss.",
    ),
)
EMBEDDING = (Field("embedding_model", "Embedding model", "Turns texts into vectors."),)
SERVER = (
    Field("ollama_host", "Address of the Ollama server", "Empty: OLLAMA_HOST, else 127.0.0.1:11434."),
    Field("openai_base_url", "Address of an OpenAI-compatible server", "Such as http://127.0.0.1:8080/v1."),
    Field(
        "server_parallel",
        "Requests at once",
        "More help only where the server works on several at once (OLLAMA_NUM_PARALLEL).",
    ),
    Field("server_context_tokens", "Context (tokens)", step=1024),
    Field("server_keep_alive", "Keep a model loaded", "Such as 10m, 1h, 90 (seconds) or -1 (for ever)."),
    Field("server_connect_timeout", "Wait for a connection (s)"),
    Field("server_first_token_timeout", "Wait for the first token (s)", step=60),
    Field("server_silence_timeout", "Pause inside a reply (s)", step=10),
    Field("server_retry_seconds", "Ask an absent server every (s)"),
)
READING = (
    Field(
        "chunk_token_size",
        "Chunk size (tokens)",
        "Documents are read in pieces of this size. Smaller ones cost more calls; a small model overlooks "
        "less in them.",
        step=100,
    ),
    Field(
        "chunk_overlap_token_size",
        "Chunk overlap (tokens)",
        "What a chunk repeats of the one before, so that nothing is torn apart.",
        step=10,
    ),
    Field("entity_types", "Entity types", wide=True),
    Field(
        "extraction_format",
        "Reply format",
        "How a chat model writes down what it finds. json: the server holds it to a schema; records: rows "
        "of fields between marks.",
    ),
    Field(
        "entity_extract_max_gleaning",
        "Gleaning",
        "How often, at most, a chat model reads a chunk again when it plainly missed much.",
    ),
    Field("output_language", "Language of descriptions", "For chat models. Empty: the language of the text."),
    Field(
        "entity_summary_max_tokens",
        "Longest description (tokens)",
        "When what several chunks say of an entity is longer together, it is summarised.",
        step=50,
    ),
    Field(
        "merge_sample_size",
        "Most passages merged into one entity",
        "Of an entity that more of them speak of, a random sample is merged and kept as its sources.",
        step=10,
    ),
    Field("country_rules", "Country rules"),
    Field(
        "documents_in_flight",
        "Documents at once",
        "While one is merged the next is read. All share the requests at once.",
    ),
    Field(
        "chunk_retries",
        "Tries after an error",
        "A chunk that cannot be read is tried again this often, then left out and named.",
    ),
    Field("chunk_retry_seconds", "Pause before the first of them (s)", "Doubled with each."),
    Field("tuple_delimiter", "Format records: between fields", "A mark that texts do not hold."),
    Field("record_delimiter", "Format records: between records", "A mark that texts do not hold."),
    Field("completion_delimiter", "Format records: at the end", "A mark that texts do not hold."),
)
ANSWERING = (
    Field(
        "top_k",
        "Look up (top k)",
        "How many of the nearest entities, relations or passages are taken. Fewer answer faster and more "
        "narrowly; the tables below are cut in any case.",
        step=5,
    ),
    Field(
        "max_token_for_prompt",
        "Whole prompt (tokens)",
        "Question, conversation, rules and tables. The three tables below shrink together to fit into it.",
        step=500,
    ),
    Field(
        "max_token_for_local_context",
        "Entities table (tokens)",
        "Most room for what is said of the entities that were found. Naive mode has none.",
        step=500,
    ),
    Field(
        "max_token_for_global_context",
        "Relations table (tokens)",
        "Most room for how they are connected. Naive mode has none.",
        step=500,
    ),
    Field(
        "max_token_for_text_unit",
        "Sources table (tokens)",
        "Most room for the passages themselves, which answers cite.",
        step=500,
    ),
)
LIMITS = (
    Field(
        "answer_max_tokens",
        "Longest answer (tokens)",
        "A chat model is stopped there. One that spent it all on reasoning gets three times as much, once.",
        step=100,
    ),
    Field("max_pages", "Most pages or slides", "A longer PDF or presentation is not read.", step=100),
    Field(
        "max_file_bytes",
        "Largest file (bytes)",
        "A larger one is not read. The Documents page itself takes files of up to 100 MB.",
        step=10 * 2**20,
    ),
    Field("max_text_characters", "Longest text of a file (characters)", step=1_000_000),
    Field("max_table_rows", "Most rows of a table or workbook", step=10_000),
    Field("max_table_cells", "Most filled cells of a table or workbook", step=100_000),
    Field("max_archive_files", "Most files in a ZIP archive", "A larger one is not unpacked.", step=100),
    Field("max_archive_bytes", "Most a ZIP archive unpacks to (bytes)", step=10 * 2**20),
    Field(
        "max_archive_ratio",
        "Most times its size that it unpacks to",
        "Archives made to fill a disk unpack to thousands of times their size.",
        step=10,
    ),
    Field("max_archive_depth", "Archives inside archives (levels)"),
    Field(
        "read_timeout_seconds",
        "Longest time to read a file (seconds)",
        "A file that takes longer is given up, the others go on. 0: no limit.",
        step=10,
    ),
    Field(
        "read_memory_mb",
        "Most memory to read a file (MB)",
        "A file that needs more is given up, where the app runs on Linux. 0: no limit.",
        step=256,
    ),
)
# The folder of the workspaces cannot be kept inside one of them, a key must not be kept in a plain file, and
# examples are whole texts with their answers.
NOT_SHOWN = frozenset({"data_dir", "openai_api_key", "extraction_examples", "extraction_rules"})

_LABELS = {
    field.name: field.label
    for group in (LANGUAGE, EMBEDDING, SERVER, READING, ANSWERING, LIMITS)
    for field in group
}
_SHELL_ADVICE = re.compile(r", or the variable LIGHTRAG_[A-Z_]+,?|, in LIGHTRAG_[A-Z_]+ or OLLAMA_HOST")
# A name of one word is also just a word, unless it is said to be a setting.
_NAMES = "|".join(sorted((name for name in _LABELS if "_" in name), key=len, reverse=True))
_NAME = re.compile(rf"\b(?:[Tt]he setting ({_NAMES}|thinking)|({_NAMES})|LIGHTRAG_({_NAMES.upper()}))\b")


def default(name: str) -> Any:
    """Return the default of a setting."""
    return Settings.model_fields[name].default


def explanation(field: Field, settings: Settings) -> str:
    """Return what a setting does and its default, as plain text.

    Examples
    --------
    >>> explanation(Field("max_pages", "Pages"), Settings(max_pages=9))
    'Most pages of a PDF or slides of a presentation. Changed; default: 5,000.'
    """
    text = field.explanation or in_labels(f"{Settings.model_fields[field.name].description}.")
    usual = default(field.name)
    mark = "Changed; default" if getattr(settings, field.name) != usual else "Default"
    return f"{text[:1].upper()}{text[1:]} {mark}: {shown(field.name, usual)}."


def shown(name: str, value: Any) -> str:
    """Return a value as people read it.

    Examples
    --------
    >>> shown("chunk_token_size", 1200), shown("country_rules", True), shown("output_language", "")
    ('1,200', 'on', 'empty')
    """
    match value:
        case bool():
            return "on" if value else "off"
        case int() if name.endswith("_bytes"):
            return f"{number(value)} ({size(value)})"
        case int():
            return number(value)
        case float():
            return f"{value:g}"
        case tuple():
            return ", ".join(map(str, value))
        case "" if name in ("extraction_model", "keywords_model", "answer_model"):
            return "same as the language model"
        case "":
            return "empty"
        case "auto":
            return "automatic"
    return str(value)


def fixed_reason(name: str) -> str:
    """Return why a setting that is fixed cannot be changed here."""
    variable = f"LIGHTRAG_{name.upper()}"
    if os.environ.get(variable):
        return f"Fixed by the variable {variable}: change or remove it there, and start the app again."
    return "Fixed by the program that opened this workspace."


def changes(settings: Settings, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what to change so that the settings become as given; None takes a setting back to its default.

    Examples
    --------
    >>> changes(Settings(chunk_token_size=800), {"chunk_token_size": 1200, "max_pages": 5000})
    {'chunk_token_size': None}
    """
    wanted = {
        name: tuple(value) if isinstance(value, list) else value.strip() if isinstance(value, str) else value
        for name, value in given.items()
    }
    return {
        name: None if value == default(name) else value
        for name, value in wanted.items()
        if value != getattr(settings, name)
    }


def labels(names: Iterable[str]) -> list[str]:
    """Return the labels of settings.

    Examples
    --------
    >>> labels(["max_pages", "country_rules"])
    ['Most pages or slides', 'Country rules']
    """
    return [_LABELS[name] for name in names]


def in_labels(text: str) -> str:
    """Return a message of the engine with the labels of this page in place of the settings' names.

    Examples
    --------
    >>> in_labels("The setting chunk_token_size cannot be 0.")
    '“Chunk size (tokens)” cannot be 0.'
    >>> in_labels("Change max_pages, or the variable LIGHTRAG_MAX_PAGES.")
    'Change “Most pages or slides”.'
    """
    return _NAME.sub(
        lambda found: f"“{_LABELS[str(found[found.lastindex or 0]).lower()]}”", _SHELL_ADVICE.sub("", text)
    )
