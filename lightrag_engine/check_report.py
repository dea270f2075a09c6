"""What a check of a workspace found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

EXAMPLES = 5  # of each kind of problem


class ProblemKind(StrEnum):
    """What can be wrong with a workspace; the value is how it is called where it is shown."""

    DATABASE = "the database file is damaged"
    LOST_TEXT = "documents without their text"
    LOST_DOCUMENT = "texts that no document in the list has"
    LOST_CHUNK = "chunks without their text"
    LOST_READING = "chunks whose reading is missing"
    STRAY_PLACE = "places in documents that are not there"
    STRAY_CHUNK = "chunks of no document"
    STRAY_READING = "readings of no chunk"
    STRAY_TURN = "conversations that the list does not have"
    STRAY_ROW = "notes about documents that are not there"
    STRAY_FILE = "original files of no document"
    ENTITY = "entities that differ from what was read"
    RELATION = "relations that differ from what was read"
    STRAY_OWED = "vectors owed to no collection"
    VECTORS_DAMAGED = "vectors that cannot be read"
    VECTORS_MISSING = "texts without a vector"
    VECTORS_STALE = "vectors of an older text"
    VECTORS_STRAY = "vectors of nothing"


@dataclass(frozen=True, slots=True)
class Problem:
    """One kind of fault: how often, some examples (ids or names), whether it was put right, and how."""

    kind: ProblemKind
    count: int
    examples: tuple[str, ...] = ()
    repaired: bool = False
    action: str = ""

    def __str__(self) -> str:
        done = self.action if self.repaired else "not repaired"
        return f"{self.count:,} × {self.kind}: {done}" if done else f"{self.count:,} × {self.kind}"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The outcome of a check. `seconds` is how long it took, `checked` counts what was looked at."""

    problems: tuple[Problem, ...] = ()
    checked: tuple[tuple[str, int], ...] = ()
    seconds: float = 0.0

    @property
    def sound(self) -> bool:
        """Whether nothing was wrong."""
        return not self.problems

    @property
    def repaired(self) -> bool:
        """Whether everything that was wrong is put right."""
        return all(problem.repaired for problem in self.problems)
