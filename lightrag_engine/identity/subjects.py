"""What edits are about: entities and relations that are there, found by key, alias or name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lightrag_engine.documents.clean import clean
from lightrag_engine.errors import EditError
from lightrag_engine.identity.state import Identity
from lightrag_engine.names import clean_name, fold_name
from lightrag_engine.records import Entity, Relation
from lightrag_engine.storage.networkx_graph import NetworkXGraph


@dataclass(frozen=True, slots=True)
class Subjects:
    """Finds what an edit is about in the graph as it is now; raises `EditError` when it is not there."""

    identity: Identity
    graph: NetworkXGraph

    def find(self, name: str) -> Entity | None:
        """Return the entity of a key, an alias or a name in any spelling, or None."""
        return self.graph.entity(self.identity.resolve(name)) or self.graph.entity(
            self.identity.resolve_name(name)
        )

    def entity(self, name: str) -> Entity:
        """Return the entity of a key, an alias or a name in any spelling."""
        entity = self.find(name)
        if entity is None:
            raise EditError(
                f"There is no entity “{clean_name(name)}”.", hint="It may have been changed: search for it."
            )
        return entity

    def ends(self, a: str, b: str) -> tuple[Entity, Entity]:
        """Return two different entities."""
        one, other = self.entity(a), self.entity(b)
        if one.key == other.key:
            raise EditError(f"“{one.name}” is one entity.", hint="Choose two different ones.")
        return one, other

    def relation(self, a: str, b: str) -> tuple[Relation, str]:
        """Return the relation of two entities in either order, and how it is called in a sentence."""
        one, other = self.ends(a, b)
        relation = self.graph.relation(one.key, other.key)
        if relation is None:
            raise EditError(
                f"There is no relation between “{one.name}” and “{other.name}”.",
                hint="It may have been changed: look at the relations of either.",
            )
        names = {one.key: one.name, other.key: other.name}
        return relation, f"“{names[relation.source_key]}” – “{names[relation.target_key]}”"

    def anchors(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Return the record keys by which edits remember these entities."""
        return tuple(self.identity.anchor(key) for key in keys)

    def spelling(self, entity: Entity) -> str:
        """Return a name of an entity that folds to its anchor."""
        anchor = self.identity.anchor(entity.key)
        return next((name for name in entity.spellings if fold_name(name) == anchor), anchor)


def usable_name(name: str) -> str:
    """Return a name as it is shown; raises `EditError` when nothing is left of it."""
    shown = clean_name(clean(name))
    if not fold_name(shown):
        raise EditError("The name is empty.", hint="Type at least one letter or digit.")
    return shown


def usable_description(description: str) -> str:
    """Return a clean description; raises `EditError` when nothing is left of it."""
    text = clean(description).strip()
    if not text:
        raise EditError("The description is empty.", hint="Write one; undo brings back what was read.")
    return text
