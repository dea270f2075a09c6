"""Every error the engine raises on purpose, at a glance.

    LightRAGError
    ├── SettingsError         a setting has a value that cannot be used
    ├── DocumentError         a file cannot be read; names the file
    ├── QueryError            a question cannot be asked as it is
    ├── EditError             an edit cannot be made as it is; nothing was changed
    ├── WorkspaceError        a workspace cannot be opened, or belongs to other models
    └── ModelError            a language or embedding model is missing or misbehaves
        ├── MissingModelError its server does not have it, and may be able to get it
        └── ServerAwayError   its server does not answer now; work can go on when it is back

Each carries a message for a person (`str(error)`) and a `hint`: what to do about it.
"""

from __future__ import annotations


class LightRAGError(Exception):
    """Base of all errors meant for a person: what happened, and in `hint` what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class SettingsError(LightRAGError):
    """A setting has a value that cannot be used; the message names the setting."""


class DocumentError(LightRAGError):
    """A file cannot be turned into text; the message names the file."""


class QueryError(LightRAGError):
    """A question is empty or too long for the prompt."""


class EditError(LightRAGError):
    """An edit names something that is not there, or says nothing; the message says which."""


class WorkspaceError(LightRAGError):
    """A workspace cannot be opened or does not fit the models in use."""


class ModelError(LightRAGError):
    """A language or embedding model is missing, cannot be reached or gives unusable results."""


class MissingModelError(ModelError):
    """The Ollama server lacks the model called `model`: it can be pulled."""

    def __init__(self, message: str, model: str) -> None:
        super().__init__(message, hint=f"Get it once with: ollama pull {model}")
        self.model = model


class ServerAwayError(ModelError):
    """The server of a model does not answer at the moment: the same request may succeed later."""
