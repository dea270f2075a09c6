"""From the log of edits to what they say together.

Edits are taken in the order in which they were made, each about the entity that its anchor is part of by
then. Groups of keys only ever grow, so that there can be no circle of aliases.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lightrag_engine.identity.edits import Edit, EditKind
from lightrag_engine.identity.state import (
    EntityOverride,
    Identity,
    Pair,
    RelationOverride,
    sorted_pair,
)
from lightrag_engine.names import fold_name
from lightrag_engine.records import EntityRecord, RelationRecord

BY_HAND = "by hand"


def replay(edits: Iterable[Edit]) -> Identity:
    """Return what edits, in the order of their ids, say together; those that were undone say nothing."""
    state = _State()
    for edit in edits:
        if edit.active:
            _APPLY[edit.kind](state, edit)
    return state.identity()


@dataclass(slots=True, eq=False)
class _Group:
    """The record keys of one entity. `key` is what it is found by now, `anchor` what it began with."""

    anchor: str
    key: str
    members: set[str]
    override: EntityOverride = field(default_factory=EntityOverride)


class _State:
    def __init__(self) -> None:
        self.groups: dict[str, _Group] = {}
        self.hidden: set[str] = set()
        self.hidden_pairs: set[Pair] = set()
        self.added: dict[str, list[tuple[int, EntityRecord]]] = {}
        self.added_relations: dict[Pair, list[tuple[int, RelationRecord]]] = {}
        # By sorted pairs of anchors.
        self.relations: dict[Pair, RelationOverride] = {}
        self.not_the_same: set[Pair] = set()

    def of(self, key: str) -> _Group:
        if key not in self.groups:
            self.groups[key] = _Group(key, key, {key})
        return self.groups[key]

    def ends(self, edit: Edit) -> Pair | None:
        a, b = (self.of(key).anchor for key in edit.keys)
        return sorted_pair(a, b) if a != b else None

    def unite(self, group: _Group, other: _Group) -> None:
        if other is group:
            return
        for key in other.members:
            self.groups[key] = group
        group.members |= other.members
        group.override = group.override.over(other.override)
        for pair in [pair for pair in self.relations if other.anchor in pair]:
            said = self.relations.pop(pair)
            if moved := _moved(pair, other.anchor, group.anchor):
                self.relations[moved] = self.relations.get(moved, RelationOverride()).over(said)
        moves = {pair: _moved(pair, other.anchor, group.anchor) for pair in self.not_the_same}
        self.not_the_same = {moved for moved in moves.values() if moved is not None}

    def name(self, group: _Group, name: str) -> None:
        key = fold_name(name)
        self.unite(group, self.of(key))
        group.key = key
        group.override = EntityOverride(name, group.override.type, group.override.description)

    def identity(self) -> Identity:
        groups = {id(group): group for group in self.groups.values()}.values()
        key_of = {group.anchor: group.key for group in groups}

        def pair_of(anchors: Pair) -> Pair:
            return sorted_pair(key_of[anchors[0]], key_of[anchors[1]])

        return Identity(
            keys={key: group.key for key, group in self.groups.items()},
            members={group.key: tuple(sorted(group.members)) for group in groups},
            anchors={group.key: group.anchor for group in groups},
            hidden=frozenset(self.hidden),
            hidden_pairs=frozenset(self.hidden_pairs),
            added={key: tuple(records) for key, records in self.added.items()},
            added_relations={pair: tuple(records) for pair, records in self.added_relations.items()},
            overrides={g.key: g.override for g in groups if g.override != EntityOverride()},
            relation_overrides={pair_of(pair): said for pair, said in self.relations.items()},
            not_the_same=frozenset(map(pair_of, self.not_the_same)),
        )


def _moved(pair: Pair, old: str, new: str) -> Pair | None:
    """Return a pair with one end replaced; None when both ends are the same then."""
    a, b = (new if key == old else key for key in pair)
    return sorted_pair(a, b) if a != b else None


def _merge(state: _State, edit: Edit) -> None:
    group = state.of(edit.into)
    for key in edit.keys:
        state.unite(group, state.of(key))
    if edit.name:
        state.name(group, edit.name)


def _rename(state: _State, edit: Edit) -> None:
    state.name(state.of(edit.keys[0]), edit.name)


def _override(state: _State, edit: Edit) -> None:
    group = state.of(edit.keys[0])
    said = EntityOverride(group.override.name, edit.type, edit.description)
    group.override = said.over(group.override)


def _add(state: _State, edit: Edit) -> None:
    (key,) = edit.keys
    state.of(key)
    record = EntityRecord(edit.name, edit.type, edit.description, "", BY_HAND)
    state.added.setdefault(key, []).append((edit.id, record))


def _delete(state: _State, edit: Edit) -> None:
    group = state.of(edit.keys[0])
    # What is deleted are the records of these keys. Another name that joins the entity later is not meant.
    state.hidden |= group.members
    state.added = {key: records for key, records in state.added.items() if key not in group.members}
    state.added_relations = {
        pair: records for pair, records in state.added_relations.items() if group.members.isdisjoint(pair)
    }
    group.override = EntityOverride()
    state.relations = {pair: said for pair, said in state.relations.items() if group.anchor not in pair}


def _override_relation(state: _State, edit: Edit) -> None:
    if pair := state.ends(edit):
        said = RelationOverride(edit.description, edit.keywords, edit.weight)
        state.relations[pair] = said.over(state.relations.get(pair, RelationOverride()))


def _add_relation(state: _State, edit: Edit) -> None:
    source, target = edit.keys
    for key in edit.keys:
        state.of(key)
    named, other = edit.ends
    record = RelationRecord(named, other, edit.description, edit.keywords, edit.weight, "", BY_HAND)
    state.added_relations.setdefault(sorted_pair(source, target), []).append((edit.id, record))


def _delete_relation(state: _State, edit: Edit) -> None:
    if pair := state.ends(edit):
        a, b = (state.of(key) for key in pair)
        gone = {sorted_pair(one, other) for one in a.members for other in b.members}
        state.hidden_pairs |= gone
        state.added_relations = {p: r for p, r in state.added_relations.items() if p not in gone}
        state.relations.pop(pair, None)


def _tell_apart(state: _State, edit: Edit) -> None:
    if pair := state.ends(edit):
        state.not_the_same.add(pair)


_APPLY = {
    EditKind.MERGE: _merge,
    EditKind.RENAME: _rename,
    EditKind.RETYPE: _override,
    EditKind.DESCRIBE: _override,
    EditKind.ADD: _add,
    EditKind.DELETE: _delete,
    EditKind.DESCRIBE_RELATION: _override_relation,
    EditKind.RELATION_KEYWORDS: _override_relation,
    EditKind.RELATION_WEIGHT: _override_relation,
    EditKind.ADD_RELATION: _add_relation,
    EditKind.DELETE_RELATION: _delete_relation,
    EditKind.NOT_THE_SAME: _tell_apart,
}
