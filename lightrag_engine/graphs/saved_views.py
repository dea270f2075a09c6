"""Views of the graph that were saved by name in a workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lightrag_engine.documents.clean import one_line
from lightrag_engine.errors import WorkspaceError
from lightrag_engine.graphs.params import from_params, to_params
from lightrag_engine.graphs.state import GraphViewState
from lightrag_engine.storage.base import KeyValueStore

LONGEST_NAME = 80


class SavedViews:
    """Views by name. Kept as the parameters of an address, so that later versions can read them."""

    def __init__(self, store: KeyValueStore) -> None:
        self._store = store

    def names(self) -> list[str]:
        """Return the names, in alphabetical order."""
        return sorted(self._store.keys(), key=str.casefold)

    def save(self, name: str, state: GraphViewState) -> str:
        """Save a view under a name, in place of an older one of the name; returns the name as it is kept.

        Raises
        ------
        WorkspaceError
            When the name is empty or too long.
        """
        kept = one_line(name)
        if not kept or len(kept) > LONGEST_NAME:
            raise WorkspaceError(
                "A view needs a name." if not kept else "The name of the view is too long.",
                hint=f"Type 1 to {LONGEST_NAME} characters.",
            )
        self._store.put_many({kept: {"params": to_params(state)}})
        return kept

    def load(self, name: str) -> GraphViewState | None:
        """Return a saved view, or None when there is none of the name."""
        kept = self._store.get(name)
        if kept is None or not isinstance(params := kept.get("params"), Mapping):
            return None
        state, _ = from_params({key: value for key, value in params.items() if _is_texts(value)})
        return state

    def delete(self, name: str) -> None:
        """Forget a view."""
        self._store.delete_many([name])


def _is_texts(value: object) -> bool:
    return isinstance(value, Sequence) and all(isinstance(item, str) for item in value)
