"""What a person may change in a workspace: identity of entities, their fields, relations; and taking it back.

Documents are never touched: an edit is kept beside what was read and outlives indexing, deleting and adding
documents again. One that no live document speaks of has no effect until one does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lightrag_engine.errors import EditError, WorkspaceError
from lightrag_engine.identity import entity_edits, relation_edits
from lightrag_engine.identity.duplicates import Duplicate
from lightrag_engine.identity.edits import Edit
from lightrag_engine.identity.subjects import Subjects
from lightrag_engine.indexing.editing import Change
from lightrag_engine.opened import OpenWorkspace
from lightrag_engine.records import UNKNOWN_TYPE
from lightrag_engine.storage.edits import EditLog


class EditableWorkspace(OpenWorkspace):
    """Editing an open workspace.

    Entities are given by key, alias or name. Each edit is one transaction: when it raises, nothing changed.

    Every edit raises `EditError` when it names something that is not there or says nothing, and
    `WorkspaceError` while the texts are being embedded anew.
    """

    # Entities

    async def amerge_entities(self, keys: Sequence[str], into: str, name: str | None = None) -> Edit:
        """Say that entities are one and the same: all records of `keys` become records of `into`.

        What was edited about `into` counts before what was edited about the others. `name` is the shown
        name from then on, and gives the key; without it those of `into` stay. The old keys stay as aliases.
        """
        return await self._edit(lambda found: entity_edits.merge(found, keys, into, name))

    def merge_entities(self, keys: Sequence[str], into: str, name: str | None = None) -> Edit:
        """See `amerge_entities`."""
        return self._loop.run(self.amerge_entities(keys, into, name))

    async def arename_entity(self, key: str, name: str) -> Edit:
        """Give an entity another name. Its key becomes ``fold_name(name)``, the old one an alias.

        When another entity has that name the two are merged: the edit's kind is then `EditKind.MERGE`.
        """
        return await self._edit(lambda found: entity_edits.rename(found, key, name))

    def rename_entity(self, key: str, name: str) -> Edit:
        """See `arename_entity`."""
        return self._loop.run(self.arename_entity(key, name))

    async def aretype_entity(self, key: str, type: str) -> Edit:  # noqa: A002 - what the field is called
        """Say of what type an entity is."""
        return await self._edit(lambda found: entity_edits.retype(found, key, type))

    def retype_entity(self, key: str, type: str) -> Edit:  # noqa: A002
        """See `aretype_entity`."""
        return self._loop.run(self.aretype_entity(key, type))

    async def adescribe_entity(self, key: str, description: str) -> Edit:
        """Describe an entity in place of what was read. The text is kept as it is, never summarised."""
        return await self._edit(lambda found: entity_edits.describe(found, key, description))

    def describe_entity(self, key: str, description: str) -> Edit:
        """See `adescribe_entity`."""
        return self._loop.run(self.adescribe_entity(key, description))

    async def aadd_entity(self, name: str, type: str = UNKNOWN_TYPE, description: str = "") -> Edit:  # noqa: A002
        """Make an entity by hand; what documents say of that name joins it."""
        return await self._edit(lambda found: entity_edits.add(found, name, type, description))

    def add_entity(self, name: str, type: str = UNKNOWN_TYPE, description: str = "") -> Edit:  # noqa: A002
        """See `aadd_entity`."""
        return self._loop.run(self.aadd_entity(name, type, description))

    async def adelete_entity(self, key: str) -> Edit:
        """Take an entity and its relations out, also when documents speak of it later."""
        return await self._edit(lambda found: entity_edits.delete(found, key))

    def delete_entity(self, key: str) -> Edit:
        """See `adelete_entity`."""
        return self._loop.run(self.adelete_entity(key))

    # Relations, by their ends in either order

    async def adescribe_relation(self, a: str, b: str, description: str) -> Edit:
        """Describe a relation in place of what was read."""
        return await self._edit(lambda found: relation_edits.describe(found, a, b, description))

    def describe_relation(self, a: str, b: str, description: str) -> Edit:
        """See `adescribe_relation`."""
        return self._loop.run(self.adescribe_relation(a, b, description))

    async def aset_relation_keywords(self, a: str, b: str, keywords: Sequence[str]) -> Edit:
        """Say what a relation is about, in place of what was read."""
        return await self._edit(lambda found: relation_edits.set_keywords(found, a, b, keywords))

    def set_relation_keywords(self, a: str, b: str, keywords: Sequence[str]) -> Edit:
        """See `aset_relation_keywords`."""
        return self._loop.run(self.aset_relation_keywords(a, b, keywords))

    async def aset_relation_weight(self, a: str, b: str, weight: float) -> Edit:
        """Say how strong a relation is, above 0, in place of what was read."""
        return await self._edit(lambda found: relation_edits.set_weight(found, a, b, weight))

    def set_relation_weight(self, a: str, b: str, weight: float) -> Edit:
        """See `aset_relation_weight`."""
        return self._loop.run(self.aset_relation_weight(a, b, weight))

    async def aadd_relation(
        self, source: str, target: str, description: str, keywords: Sequence[str] = (), weight: float = 1.0
    ) -> Edit:
        """Relate two entities by hand; what documents say of the two joins it."""
        return await self._edit(
            lambda found: relation_edits.add(found, source, target, description, keywords, weight)
        )

    def add_relation(
        self, source: str, target: str, description: str, keywords: Sequence[str] = (), weight: float = 1.0
    ) -> Edit:
        """See `aadd_relation`."""
        return self._loop.run(self.aadd_relation(source, target, description, keywords, weight))

    async def adelete_relation(self, a: str, b: str) -> Edit:
        """Take a relation out, also when documents speak of it later."""
        return await self._edit(lambda found: relation_edits.delete(found, a, b))

    def delete_relation(self, a: str, b: str) -> Edit:
        """See `adelete_relation`."""
        return self._loop.run(self.adelete_relation(a, b))

    # Duplicates

    async def asuggest_duplicates(self, limit: int = 50) -> list[Duplicate]:
        """Return pairs of entities that may be one and the same, most likely first, each with reasons."""
        return await self._loop.await_(self._duplicates.find(limit))

    def suggest_duplicates(self, limit: int = 50) -> list[Duplicate]:
        """See `asuggest_duplicates`."""
        return self._loop.run(self.asuggest_duplicates(limit))

    async def adismiss_duplicate(self, a: str, b: str) -> Edit:
        """Say that two entities are not the same: they are not suggested again."""
        return await self._edit(lambda found: entity_edits.not_the_same(found, a, b))

    def dismiss_duplicate(self, a: str, b: str) -> Edit:
        """See `adismiss_duplicate`."""
        return self._loop.run(self.adismiss_duplicate(a, b))

    # The log

    def edits(self, key: str | None = None) -> list[Edit]:
        """Return all edits, or those about an entity and its relations, newest first; undone ones too."""
        listed = self._workspace.edits.all()[::-1]
        resolve = self._workspace.edits.identity.resolve
        return [e for e in listed if key is None or resolve(key) in map(resolve, (*e.keys, e.into))]

    async def aundo(self, edit_id: int | None = None) -> Edit:
        """Take an edit back, by default the last one; return it. The others stay as they are."""

        def change(log: EditLog) -> Edit:
            edit = log.last_active() if edit_id is None else log.get(edit_id)
            if edit is None or not edit.active:
                raise EditError("There is nothing to undo.", hint="All edits are undone already.")
            return log.undo(edit)

        return await self._commit_edit(change)

    def undo(self, edit_id: int | None = None) -> Edit:
        """See `aundo`."""
        return self._loop.run(self.aundo(edit_id))

    async def aredo(self, edit_id: int | None = None) -> Edit:
        """Let an edit count again, by default the one that was undone last; return it."""

        def change(log: EditLog) -> Edit:
            edit = log.last_undone() if edit_id is None else log.get(edit_id)
            if edit is None or edit.active:
                raise EditError("There is nothing to redo.", hint="No edit is undone now.")
            return log.redo(edit)

        return await self._commit_edit(change)

    def redo(self, edit_id: int | None = None) -> Edit:
        """See `aredo`."""
        return self._loop.run(self.aredo(edit_id))

    async def _edit(self, make: Callable[[Subjects], Edit]) -> Edit:
        def change(log: EditLog) -> Edit:
            return log.append(make(Subjects(log.identity, self._workspace.graph)))

        return await self._commit_edit(change)

    async def _commit_edit(self, change: Change) -> Edit:
        return await self._loop.await_(self._committed(change))

    async def _committed(self, change: Change) -> Edit:
        if self._reembedding is not None and self._reembedding.running:
            raise WorkspaceError(
                "The texts are being embedded anew: nothing can be edited until that is done.",
                hint="Wait for it on the settings page.",
            )
        return await self._pipeline.edit(change)
