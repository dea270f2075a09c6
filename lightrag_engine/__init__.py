"""LightRAG: documents to an entity graph, questions to answers with evidence."""

import os

from lightrag_engine.storage.sqlite import check_version

# Both before anything else is imported: onnxruntime would look for its makers' server, and Chroma would end
# the import with a message that says less.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
check_version()

from lightrag_engine.answering import Answer
from lightrag_engine.check_report import CheckReport, Problem, ProblemKind
from lightrag_engine.engine import Counts, LightRAG
from lightrag_engine.errors import (
    DocumentError,
    EditError,
    LightRAGError,
    ModelError,
    QueryError,
    SettingsError,
    WorkspaceError,
)
from lightrag_engine.evaluation.comparing import Comparison
from lightrag_engine.evaluation.questions import Question
from lightrag_engine.evaluation.variants import Variant
from lightrag_engine.identity.duplicates import Duplicate
from lightrag_engine.identity.edits import Edit, EditKind
from lightrag_engine.models import ModelChoice
from lightrag_engine.records import (
    MODES,
    DocumentReport,
    DocumentState,
    DocumentStatus,
    Keywords,
    Message,
    NameConflict,
    QueryParam,
)
from lightrag_engine.settings import Settings
from lightrag_engine.streaming import AnswerStream
from lightrag_engine.uploads import Upload
from lightrag_engine.workspaces import WorkspaceInfo, Workspaces

__all__ = [
    "MODES",
    "Answer",
    "AnswerStream",
    "CheckReport",
    "Comparison",
    "Counts",
    "DocumentError",
    "DocumentReport",
    "DocumentState",
    "DocumentStatus",
    "Duplicate",
    "Edit",
    "EditError",
    "EditKind",
    "Keywords",
    "LightRAG",
    "LightRAGError",
    "Message",
    "ModelChoice",
    "ModelError",
    "NameConflict",
    "Problem",
    "ProblemKind",
    "QueryError",
    "QueryParam",
    "Question",
    "Settings",
    "SettingsError",
    "Upload",
    "Variant",
    "WorkspaceError",
    "WorkspaceInfo",
    "Workspaces",
]
