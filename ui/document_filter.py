"""Which documents the table shows, and in which order."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lightrag_engine.records import DocumentState, DocumentStatus
from ui import documents

UNDER_WAY = "Under way"
_STATES: Mapping[str, Callable[[DocumentState], bool]] = {
    "Done": lambda state: state is DocumentState.DONE,
    "Done with problems": lambda state: state is DocumentState.PROBLEMS,
    "Failed": lambda state: state is DocumentState.FAILED,
    UNDER_WAY: lambda state: state.active,
    "Paused": lambda state: state is DocumentState.PAUSED,
    "Cancelled": lambda state: state is DocumentState.CANCELLED,
}
_URGENCY = (
    DocumentState.FAILED, DocumentState.PROBLEMS, DocumentState.PAUSED, DocumentState.CANCELLED,
)  # fmt: skip
NEWEST = "Newest first"
_ORDERS: Mapping[str, Callable[[DocumentStatus], Any]] = {
    NEWEST: lambda status: (-status.added_at, status.name),
    "Oldest first": lambda status: (status.added_at, status.name),
    "Name": lambda status: (folded(status.name), status.id),
    "Largest first": lambda status: (-status.size, status.name),
    "Most entities first": lambda status: (-status.entities, status.name),
    "Slowest first": lambda status: (-status.seconds, status.name),
    "What needs you first": lambda status: (_urgency(status), -status.added_at, status.name),
}
STATES, ORDERS = tuple(_STATES), tuple(_ORDERS)


@dataclass(frozen=True, slots=True)
class Filter:
    """What the table is to show, and in which order.

    `text` holds words of a name, title or message; no `states` or `types` are all of them.
    """

    text: str = ""
    states: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    order: str = NEWEST

    @property
    def leaves_out(self) -> bool:
        """Whether any document may be left out."""
        return bool(self.text.strip() or self.states or self.types)


def shown(statuses: Iterable[DocumentStatus], wanted: Filter) -> list[DocumentStatus]:
    """Return the documents that are wanted, in the order that is wanted."""
    words = folded(wanted.text).split()
    found = [
        status
        for status in statuses
        if (not wanted.states or any(_STATES[name](status.state) for name in wanted.states))
        and (not wanted.types or documents.type_of(status) in wanted.types)
        and (not words or _says(status, words))
    ]
    return sorted(found, key=_ORDERS[wanted.order])


def types(statuses: Iterable[DocumentStatus]) -> list[str]:
    """Return the types of documents that there are, by name."""
    return sorted({documents.type_of(status) for status in statuses}, key=str.casefold)


def folded(text: str) -> str:
    """Return a text as it is compared: without differences of case and of Unicode's spellings."""
    return unicodedata.normalize("NFKC", text).casefold()


def _says(status: DocumentStatus, words: Iterable[str]) -> bool:
    text = folded("\n".join((status.name, *status.names, status.title, documents.note_text(status))))
    return all(word in text for word in words)


def _urgency(status: DocumentStatus) -> int:
    if status.state in _URGENCY:
        return _URGENCY.index(status.state)
    return len(_URGENCY) + (0 if status.state.active else 1)
