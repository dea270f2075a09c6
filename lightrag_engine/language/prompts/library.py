"""The set of prompts in use: our own, or those of a file that a workspace brings."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from lightrag_engine.errors import SettingsError
from lightrag_engine.language.prompts import templates
from lightrag_engine.language.prompts.filling import placeholders

FILE_NAME = "prompts.toml"


@dataclass(frozen=True, slots=True)
class Prompts:
    """Every template by name. What each may hold in braces is what the default of that name holds."""

    extract_json: str = templates.EXTRACT_JSON
    extract_records: str = templates.EXTRACT_RECORDS
    passage: str = templates.PASSAGE
    example: str = templates.EXAMPLE
    glean: str = templates.GLEAN
    glean_check: str = templates.GLEAN_CHECK
    repeat: str = templates.REPEAT
    summarise: str = templates.SUMMARISE
    notes: str = templates.NOTES
    shorten: str = templates.SHORTEN
    keywords: str = templates.KEYWORDS
    follow_up: str = templates.FOLLOW_UP
    question: str = templates.QUESTION
    answer: str = templates.ANSWER
    judge: str = templates.JUDGE


# Without these a task cannot be done; any other placeholder may be left out.
_REQUIRED = {
    "extract_json": {"entity_types"},
    "extract_records": {"entity_types", "field", "record", "completion"},
    "passage": {"text"},
    "example": {"text", "answer"},
    "notes": {"name", "descriptions"},
    "question": {"question"},
    "answer": {"context", "question"},
    "judge": {"question", "first", "second"},
}


def load_prompts(path: Path) -> Prompts:
    """Return the prompts with those replaced that a TOML file names; all are our own when there is no file.

    The file holds one text a name, for example ``answer = \"\"\"…\"\"\"``; see `Prompts` for the names.

    Raises
    ------
    SettingsError
        When the file is no TOML, names a prompt that there is not, or a prompt lacks a placeholder it needs.
    """
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Prompts()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(
            f"The prompts in {path.name} cannot be read: {error}.",
            hint=f"Correct {path}, or delete it to use the built-in prompts.",
        ) from None
    for name, text in given.items():
        _check(path, name, text)
    return replace(Prompts(), **given)


def _check(path: Path, name: str, text: object) -> None:
    names = [field.name for field in fields(Prompts)]
    if name not in names:
        raise SettingsError(
            f"There is no prompt called {name!r} (in {path.name}).",
            hint=f"The prompts are: {', '.join(names)}.",
        )
    if not isinstance(text, str) or not text.strip():
        raise SettingsError(
            f"The prompt {name} in {path.name} is not a text.",
            hint=f"Write {name} = followed by a text in quotes.",
        )
    missing = sorted(_REQUIRED.get(name, set()) - placeholders(text))
    if missing:
        listed = ", ".join(f"{{{placeholder}}}" for placeholder in missing)
        raise SettingsError(
            f"The prompt {name} in {path.name} lacks {listed}.",
            hint=f"Put {listed} where the text that it stands for should go.",
        )


def as_text(prompts: Prompts) -> str:
    """Return the templates as one text, equal for equal prompts.

    The judge's is left out: the text is part of what a chunk's reading is known by, and judging reads none.
    """
    return repr(sorted((name, text) for name, text in asdict(prompts).items() if name != "judge"))
