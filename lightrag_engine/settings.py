"""Every setting: its default, its unit, its environment variable (``LIGHTRAG_`` + name in capitals)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from lightrag_engine.errors import SettingsError

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
    language_model: str = Field("auto", description="who reads and writes: auto, builtin")
    embedding_model: str = Field("auto", description="who turns texts into vectors: auto, builtin")

    chunk_token_size: int = Field(1200, ge=1, description="size of a chunk, tokens")
    chunk_overlap_token_size: int = Field(100, ge=0, description="overlap of neighbouring chunks, tokens")
    entity_types: tuple[str, ...] = Field(ENTITY_TYPES, description="types an entity can have")
    entity_summary_max_tokens: int = Field(
        500, ge=20, description="a longer joined description is summarised, tokens"
    )
    country_rules: bool = Field(
        False, description="built-in language: link places and organizations to the document's main country"
    )

    max_file_bytes: int = Field(100 * 2**20, ge=1, description="largest file that is read, bytes")
    max_pages: int = Field(5000, ge=1, description="largest number of pages of a PDF")

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
