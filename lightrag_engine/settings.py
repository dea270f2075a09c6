"""Every setting: its default, its unit, its environment variable (``LIGHTRAG_`` + name in capitals)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from lightrag_engine.errors import SettingsError
from lightrag_engine.language.prompts.examples import DEFAULT_EXAMPLES, ExtractionExample

ENTITY_TYPES = (
    "person",
    "organization",
    "location",
    "event",
    "concept",
    "technology",
    "product",
    "work",
    "group",
    "date",
    "quantity",
)


class Settings(BaseSettings):
    """The engine's settings. Values come from arguments, else ``LIGHTRAG_…`` variables, else the defaults.

    Raises
    ------
    SettingsError
        When a value cannot be used; the message names the setting.

    Examples
    --------
    >>> Settings(chunk_token_size=600).chunk_token_size
    600
    """

    model_config = SettingsConfigDict(env_prefix="LIGHTRAG_", env_ignore_empty=True, frozen=True)

    data_dir: Path = Field(Path("data/workspaces"), description="folder that holds the workspaces")
    language_model: str = Field(
        "auto", description="who reads and writes: auto, builtin, ollama:NAME, openai:NAME"
    )
    embedding_model: str = Field(
        "auto", description="who turns texts into vectors: auto, builtin, ollama:NAME, openai:NAME"
    )
    extraction_model: str = Field("", description="who reads documents; empty: language_model")
    keywords_model: str = Field("", description="who finds the keywords of a question; empty: language_model")
    answer_model: str = Field("", description="who answers; empty: language_model")

    chunk_token_size: int = Field(1200, ge=1, description="size of a chunk, tokens")
    chunk_overlap_token_size: int = Field(100, ge=0, description="overlap of neighbouring chunks, tokens")
    entity_types: tuple[str, ...] = Field(ENTITY_TYPES, description="types an entity can have")
    entity_summary_max_tokens: int = Field(
        500, ge=20, description="a longer joined description is summarised, tokens"
    )
    merge_sample_size: int = Field(
        60,
        ge=1,
        description="most records that are merged into one entity or relation; its weight counts all",
    )
    extraction_format: Literal["json", "records"] = Field(
        "json", description="chat model: form of its extraction replies: json, records"
    )
    entity_extract_max_gleaning: int = Field(
        1, ge=0, le=5, description="chat model: most times a chunk is read again for what was missed"
    )
    output_language: str = Field(
        "", description="chat model: language of descriptions; empty: the language of the text"
    )
    extraction_examples: tuple[ExtractionExample, ...] = Field(
        DEFAULT_EXAMPLES, description="chat model: examples in the extraction prompt"
    )
    tuple_delimiter: str = Field("<|>", min_length=1, description="format records: between fields")
    record_delimiter: str = Field("##", min_length=1, description="format records: between records")
    completion_delimiter: str = Field(
        "<|COMPLETE|>", min_length=1, description="format records: at the end of a reply"
    )
    answer_max_tokens: int = Field(1500, ge=50, description="chat model: longest answer, tokens")
    country_rules: bool = Field(
        True, description="built-in language: link places and organizations to the document's main country"
    )
    extraction_rules: tuple[str, ...] = Field(
        (), description="built-in language, English: rules to switch on (count) or off (-nearest), by name"
    )

    documents_in_flight: int = Field(2, ge=1, le=64, description="documents that are read at once")
    chunk_retries: int = Field(
        2, ge=0, le=10, description="how often a chunk is read again after an error before it is left out"
    )
    chunk_retry_seconds: float = Field(
        1.0, ge=0, allow_inf_nan=False, description="pause before that, doubled each time, seconds"
    )

    # How a question is answered, where it does not say so itself.
    top_k: int = Field(60, ge=1, description="how many entities, relations or chunks are looked up")
    max_token_for_text_unit: int = Field(4000, ge=1, description="room of the sources table, tokens")
    max_token_for_local_context: int = Field(4000, ge=1, description="room of the entities table, tokens")
    max_token_for_global_context: int = Field(4000, ge=1, description="room of the relations table, tokens")
    max_token_for_prompt: int = Field(
        6000, ge=600, description="room of the whole prompt; the three tables shrink to fit into it, tokens"
    )

    # The model server. Times count for a running request, not for waiting for its turn.
    ollama_host: str = Field(
        "", description="address of the Ollama server; empty: OLLAMA_HOST, else 127.0.0.1:11434"
    )
    openai_base_url: str = Field(
        "", description="address of an OpenAI-compatible server, such as http://127.0.0.1:8080/v1"
    )
    openai_api_key: SecretStr = Field(SecretStr(""), description="key of that server, if it wants one")
    server_connect_timeout: float = Field(
        2.0, ge=0, allow_inf_nan=False, description="longest wait for a connection, seconds; 0: no limit"
    )
    server_first_token_timeout: float = Field(
        600.0,
        ge=0,
        allow_inf_nan=False,
        description="longest wait for the first token, loading the model included, seconds; 0: no limit",
    )
    server_silence_timeout: float = Field(
        120.0, ge=0, allow_inf_nan=False, description="longest pause inside a reply, seconds; 0: no limit"
    )
    server_retry_seconds: float = Field(
        5.0, gt=0, description="how often an absent server is asked again while documents wait, seconds"
    )
    server_parallel: int = Field(2, ge=1, le=64, description="requests that a model gets at once")
    server_context_tokens: int = Field(
        32768,
        ge=1024,
        description="largest prompt plus reply that is asked of a model, tokens; the model may take less",
    )
    server_keep_alive: str = Field(
        "10m",
        pattern=r"^(-?\d+(\.\d+)?|-?(\d+(\.\d+)?(h|m|s|ms))+)?$",
        description="how long the server keeps a model loaded: 10m, 1h, seconds, -1 (for ever); "
        "empty in code: the server's own default",
    )
    thinking: Literal["off", "on", "low", "medium", "high"] = Field(
        "off", description="whether a thinking model reasons before it answers; levels are for gpt-oss"
    )

    max_file_bytes: int = Field(100 * 2**20, ge=1, description="largest file that is read, bytes")
    max_pages: int = Field(5000, ge=1, description="most pages of a PDF or slides of a presentation")
    max_text_characters: int = Field(
        20_000_000, ge=1, description="longest text that is taken from one file, characters"
    )
    max_table_rows: int = Field(200_000, ge=1, description="most rows of a table or workbook")
    max_table_cells: int = Field(2_000_000, ge=1, description="most filled cells of a table or workbook")
    max_archive_files: int = Field(1000, ge=1, description="most files inside a ZIP archive")
    max_archive_bytes: int = Field(
        500 * 2**20, ge=1, description="most that a ZIP archive may unpack to, bytes"
    )
    max_archive_ratio: int = Field(
        200, ge=1, description="most times its own size that a ZIP archive may unpack to"
    )
    max_archive_depth: int = Field(
        2, ge=0, description="how deep archives and e-mails inside archives are opened"
    )
    read_timeout_seconds: float = Field(
        120.0, ge=0, allow_inf_nan=False, description="longest time to read one file, seconds; 0: no limit"
    )
    read_memory_mb: int = Field(
        2048, ge=0, description="most memory to read one file (watched on Linux), MB; 0: no limit"
    )

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"]) or "settings"
            raise SettingsError(
                f"The setting {name} cannot be {first['input']!r}: {first['msg']}.",
                hint=f"Change {name}, or the variable LIGHTRAG_{name.upper()}.",
            ) from None
        if self.chunk_overlap_token_size >= self.chunk_token_size:
            raise SettingsError(
                f"The setting chunk_overlap_token_size ({self.chunk_overlap_token_size}) must be smaller "
                f"than chunk_token_size ({self.chunk_token_size}).",
                hint="Lower LIGHTRAG_CHUNK_OVERLAP_TOKEN_SIZE or raise LIGHTRAG_CHUNK_TOKEN_SIZE.",
            )
