"""What all edits together say: which keys are one entity, what is hidden, added and overridden."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from lightrag_engine.names import fold_name
from lightrag_engine.records import Entity, EntityRecord, Relation, RelationRecord

Pair = tuple[str, str]


def sorted_pair(a: str, b: str) -> Pair:
    """Return two keys in their order: the identity of a relation."""
    return (a, b) if a <= b else (b, a)


@dataclass(frozen=True, slots=True)
class EntityOverride:
    """What a person said of an entity; an empty field says nothing."""

    name: str = ""
    type: str = ""
    description: str = ""

    def over(self, other: EntityOverride) -> EntityOverride:
        """Return this with the type and the description of another where it has none of its own."""
        return EntityOverride(self.name, self.type or other.type, self.description or other.description)


@dataclass(frozen=True, slots=True)
class RelationOverride:
    """What a person said of a relation; an empty field says nothing."""

    description: str = ""
    keywords: tuple[str, ...] = ()
    weight: float = 0.0

    def over(self, other: RelationOverride) -> RelationOverride:
        """Return this with the fields of another where it has none of its own."""
        return RelationOverride(
            self.description or other.description,
            self.keywords or other.keywords,
            self.weight or other.weight,
        )


@dataclass(frozen=True, slots=True)
class Identity:
    """The edits in force.

    A *record key* is the folded name in a record; the *key* of an entity stands for one or more of them.

    Attributes
    ----------
    keys
        Record key → key of its entity, for all keys that edits speak of.
    members
        Key → the sorted record keys that are this entity. A key that is not here stands for itself alone.
    anchors
        Key → the record key by which edits remember the entity, whatever it is called later.
    hidden, hidden_pairs
        Record keys, and sorted pairs of them, of which the records in documents do not count.
    added, added_relations
        Records made by hand, with the number of their edit.
    overrides, relation_overrides
        By key, and by sorted pair of keys.
    not_the_same
        Sorted pairs of keys that a person told apart.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    anchors: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    hidden_pairs: frozenset[Pair] = frozenset()
    added: Mapping[str, tuple[tuple[int, EntityRecord], ...]] = field(default_factory=dict)
    added_relations: Mapping[Pair, tuple[tuple[int, RelationRecord], ...]] = field(default_factory=dict)
    overrides: Mapping[str, EntityOverride] = field(default_factory=dict)
    relation_overrides: Mapping[Pair, RelationOverride] = field(default_factory=dict)
    not_the_same: frozenset[Pair] = frozenset()

    def resolve(self, key: str) -> str:
        """Return the key of the entity that a record key, or an older key, stands for."""
        return self.keys.get(key, key)

    def resolve_name(self, name: str) -> str:
        """Return the key of the entity of a name in any spelling."""
        return self.resolve(fold_name(name))

    def anchor(self, key: str) -> str:
        """Return the record key by which edits remember the entity of a key."""
        key = self.resolve(key)
        return self.anchors.get(key, key)

    def members_of(self, key: str) -> tuple[str, ...]:
        """Return the record keys that are this entity; none for a key that became part of another one."""
        return self.members.get(key, () if key in self.keys else (key,))

    def pairs(self, record_pairs: Iterable[Pair]) -> set[Pair]:
        """Return the pairs of entities of pairs of record keys, without those within one entity."""
        resolved = {sorted_pair(self.resolve(a), self.resolve(b)) for a, b in record_pairs}
        return {pair for pair in resolved if pair[0] != pair[1]}

    def record_pairs(self, pair: Pair) -> list[Pair]:
        """Return the pairs of record keys that are one pair of entities."""
        if pair[0] == pair[1]:
            return []
        ends = product(self.members_of(pair[0]), self.members_of(pair[1]))
        return sorted({sorted_pair(a, b) for a, b in ends})

    def hides(self, record_pair: Pair) -> bool:
        """Whether what documents say of a pair of record keys does not count."""
        return record_pair in self.hidden_pairs or not self.hidden.isdisjoint(record_pair)

    def edit_entity(self, entity: Entity) -> Entity:
        """Return an entity with what a person said of it over what was read."""
        key = entity.key
        if key not in self.members:
            return entity
        said = self.overrides.get(key, EntityOverride())
        own = [name for name in entity.spellings if fold_name(name) == key]
        names = tuple(dict.fromkeys([*([said.name] if said.name else []), *own, *entity.spellings]))
        changed = {
            "name": bool(said.name),
            "type": bool(said.type),
            "description": bool(said.description),
            "merged": len({fold_name(name) for name in entity.spellings}) > 1,
            "added": any(member in self.added for member in self.members[key]),
        }
        return replace(
            entity,
            name=names[0],
            type=said.type or entity.type,
            description=said.description or entity.description,
            spellings=names,
            aliases=tuple(member for member in self.members[key] if member != key),
            edited=tuple(what for what, so in changed.items() if so),
        )

    def edit_relation(self, relation: Relation) -> Relation:
        """Return a relation with what a person said of it over what was read."""
        said = self.relation_overrides.get(relation.pair, RelationOverride())
        added = self.added_relations and any(
            pair in self.added_relations for pair in self.record_pairs(relation.pair)
        )
        changed = {
            "keywords": bool(said.keywords),
            "description": bool(said.description),
            "weight": bool(said.weight),
            "added": bool(added),
        }
        return replace(
            relation,
            keywords=said.keywords or relation.keywords,
            description=said.description or relation.description,
            weight=said.weight or relation.weight,
            edited=tuple(what for what, so in changed.items() if so),
        )


NOTHING_EDITED = Identity()
