"""The records that count, by entity: those of live chunks and those made by hand, as edits leave them."""

from __future__ import annotations

from lightrag_engine.identity.state import Identity, Pair, sorted_pair
from lightrag_engine.names import fold_name
from lightrag_engine.records import EntityRecord, RelationRecord
from lightrag_engine.storage.extractions import ExtractionStore, Placed


class LiveRecords:
    """Reads an `ExtractionStore` through an `Identity`: keys here are those of entities."""

    def __init__(self, store: ExtractionStore, identity: Identity) -> None:
        self.identity = identity
        self._store = store

    def entity_records(self, key: str) -> list[Placed[EntityRecord]]:
        """Return the records of an entity, those made by hand first."""
        records: list[Placed[EntityRecord]] = []
        for member in self.identity.members_of(key):
            records += [_by_hand(*made) for made in self.identity.added.get(member, ())]
            if member not in self.identity.hidden:
                records += self._store.entity_records(member)
        return records

    def relation_records(self, pair: Pair) -> list[Placed[RelationRecord]]:
        """Return the records of a sorted pair of entities, those made by hand first."""
        records: list[Placed[RelationRecord]] = []
        for record_pair in self.identity.record_pairs(pair):
            records += [_by_hand(*made) for made in self.identity.added_relations.get(record_pair, ())]
            if not self.identity.hides(record_pair):
                records += self._store.relation_records(record_pair)
        return records

    def relation_records_at(self, key: str) -> list[Placed[RelationRecord]]:
        """Return the records of all relations that name an entity.

        Those between two names of it count too: they are no relation any more, but they speak of it.
        """
        records: list[Placed[RelationRecord]] = []
        for member in self.identity.members_of(key):
            for pair, made in self.identity.added_relations.items():
                if member in pair:
                    records += [_by_hand(*one) for one in made]
            if member not in self.identity.hidden:
                records += [
                    placed
                    for placed in self._store.relation_records_at(member)
                    if not self.identity.hides(_pair(placed.record))
                ]
        return records

    def record_pairs_at(self, key: str) -> set[Pair]:
        """Return the pairs of record keys with one end in an entity, hidden or not."""
        members = set(self.identity.members_of(key))
        made = {pair for pair in self.identity.added_relations if not members.isdisjoint(pair)}
        return made | self._store.pairs_at(members)


def _by_hand(edit_id: int, record: EntityRecord | RelationRecord) -> Placed:  # type: ignore[type-arg]
    return Placed("", edit_id, record)


def _pair(record: RelationRecord) -> Pair:
    return sorted_pair(fold_name(record.src_id), fold_name(record.tgt_id))
