"""Merging: a node or an edge is a fold over the records of all live chunks.

Every rule depends on the *set* of records and on where they stand, never on the order in which documents
came:

- type: the most frequent known one; name: the most frequent spelling; ties: the alphabetically first;
- descriptions, keywords, source ids: the distinct union, in the order of (document id, chunk, record);
- weight of a relation: the sum; of an entity: the number of distinct records;
- the same record of the same chunk counts once, however many documents hold that chunk.

Of a name or a pair with more records than `Settings.merge_sample_size`, a stable sample is folded (see
`ExtractionStore`), so that a hub costs no more than any other entity. Weights still count all, and `left_out`
says how many records are not in the sample.

What a person said comes last and beats what was read: see `lightrag_engine.identity`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from lightrag_engine.identity.live_records import LiveRecords
from lightrag_engine.identity.state import NOTHING_EDITED, Identity, Pair
from lightrag_engine.names import clean_name, content_id
from lightrag_engine.records import UNKNOWN_TYPE, Entity, EntityRecord, Relation, RelationRecord
from lightrag_engine.storage.extractions import Placed, Record
from lightrag_engine.tokens import beginning, longer_than

SEPARATOR = "\n"
Item = TypeVar("Item", Entity, Relation)
# A name and a description that is too long.
Long = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Fold:
    """The nodes and edges of some keys and pairs; those of which no record is left are `gone_…`."""

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    gone_entities: tuple[str, ...]
    gone_relations: tuple[tuple[str, str], ...]

    def __add__(self, other: Fold) -> Fold:
        return Fold(
            self.entities + other.entities,
            self.relations + other.relations,
            self.gone_entities + other.gone_entities,
            self.gone_relations + other.gone_relations,
        )


def fold(store: LiveRecords, keys: Iterable[str], pairs: Iterable[tuple[str, str]]) -> Fold:
    """Fold the live records of these keys and pairs, descriptions joined and not yet summarised."""
    identity = store.identity
    entities: list[Entity] = []
    relations: list[Relation] = []
    gone_entities: list[str] = []
    gone_relations: list[tuple[str, str]] = []
    for key in sorted(keys):
        records = store.entity_records(key)
        found = fold_entity(key, records, [] if records else store.relation_records_at(key), identity)
        if found is None:
            gone_entities.append(key)
        else:
            entities.append(identity.edit_entity(found))
    for pair in sorted(pairs):
        edge = fold_relation(store.relation_records(pair), identity)
        if edge is None:
            gone_relations.append(pair)
        else:
            relations.append(identity.edit_relation(edge))
    return Fold(tuple(entities), tuple(relations), tuple(gone_entities), tuple(gone_relations))


def fold_entity(
    key: str,
    placed: Sequence[Placed[EntityRecord]],
    mentions: Sequence[Placed[RelationRecord]],
    identity: Identity = NOTHING_EDITED,
) -> Entity | None:
    """Fold one node. `mentions` are relations that name it, used when no record declares it."""
    records = _distinct(placed)
    if not records:
        return _undeclared_entity(key, _distinct(mentions), _left_out(mentions), identity)
    left_out = _left_out(placed)
    spellings = Counter(clean_name(record.entity_name) for record in records)
    types = Counter(record.entity_type for record in records if record.entity_type != UNKNOWN_TYPE)
    names = _by_frequency(spellings)
    return Entity(
        key=key,
        name=names[0],
        type=_by_frequency(types)[0] if types else UNKNOWN_TYPE,
        description=_join(record.entity_description for record in records),
        weight=float(len(records) + left_out),
        source_ids=_union(record.source_id for record in records),
        spellings=names,
        left_out=left_out,
    )


def _undeclared_entity(
    key: str, mentions: Sequence[RelationRecord], left_out: int, identity: Identity
) -> Entity | None:
    named = (end for record in mentions for end in (record.src_id, record.tgt_id))
    ends = [end for end in named if identity.resolve_name(end) == key]
    if not ends:
        return None
    names = _by_frequency(Counter(clean_name(end) for end in ends))
    return Entity(
        key=key,
        name=names[0],
        type=UNKNOWN_TYPE,
        description=_join(record.description for record in mentions),
        weight=float(len(mentions) + left_out),
        source_ids=_union(record.source_id for record in mentions),
        spellings=names,
        left_out=left_out,
    )


def fold_relation(
    placed: Sequence[Placed[RelationRecord]], identity: Identity = NOTHING_EDITED
) -> Relation | None:
    """Fold one edge; source and target are as most records state them, in doubt as the first one does."""
    records = _distinct(placed)
    if not records:
        return None
    directions = Counter(
        (identity.resolve_name(record.src_id), identity.resolve_name(record.tgt_id)) for record in records
    )
    # Counter.most_common keeps the order of first meeting among equals.
    (source, target), _ = directions.most_common(1)[0]
    return Relation(
        source_key=source,
        target_key=target,
        keywords=_union(keyword for record in records for keyword in record.keywords),
        description=_join(record.description for record in records),
        weight=float(sum(record.weight for record in records) + sum(p.weight_left_out for p in placed)),
        source_ids=_union(record.source_id for record in records),
        left_out=_left_out(placed),
    )


def shorten(
    found: Fold,
    names: Mapping[str, str],
    summaries: Mapping[Long, str],
    max_tokens: int,
    before: Sequence[Entity | Relation | None] = (),
) -> tuple[Fold, dict[str | Pair, Long]]:
    """Replace every description longer than `max_tokens` by its summary, but for what a person wrote.

    `names` gives the shown names of the ends of relations. What was summarised `before` and is said now is
    taken from there. Of those without a summary the beginning is left; they are returned as well, by key or
    pair.
    """
    known = {item.summary_of: item.description for item in before if item and item.summary_of}
    missing: dict[str | Pair, Long] = {}

    def short(item: Item, subject: str | Pair, name: str) -> Item:
        text = item.description
        if "description" in item.edited or len(text.encode("utf-8", "replace")) <= max_tokens:
            return item  # a token has at least one byte
        hashed = summary_hash(name, text, max_tokens)
        if hashed in known:
            return replace(item, description=known[hashed], summary_of=hashed)
        if not longer_than(text, max_tokens):
            return item
        if (name, text) in summaries:
            return replace(item, description=summaries[name, text], summary_of=hashed)
        missing[subject] = (name, text)
        return replace(item, description=beginning(text, max_tokens))

    entities = tuple(short(e, e.key, e.name) for e in found.entities)
    relations = tuple(short(r, r.pair, pair_name(r, names)) for r in found.relations)
    return replace(found, entities=entities, relations=relations), missing


def summary_hash(name: str, description: str, max_tokens: int) -> str:
    """Return what tells the summaries of descriptions apart."""
    return content_id("sum", name, description, str(max_tokens))


def pair_name(relation: Relation, names: Mapping[str, str]) -> str:
    """Return how a relation is called where it is summarised."""
    return f"{names[relation.source_key]} – {names[relation.target_key]}"


def _left_out(placed: Sequence[Placed[Record]]) -> int:
    return sum(item.left_out for item in placed)


def _distinct(placed: Sequence[Placed[Record]]) -> list[Record]:
    ordered = sorted(placed, key=lambda item: (item.document_id, item.position))
    return list(dict.fromkeys(item.record for item in ordered))


def _by_frequency(counter: Counter[str]) -> tuple[str, ...]:
    # Among equally frequent spellings "Marley" is nicer to read than "MARLEY".
    return tuple(sorted(counter, key=lambda text: (-counter[text], text.isupper(), text)))


def _join(descriptions: Iterable[str]) -> str:
    return SEPARATOR.join(_union(" ".join(text.split()) for text in descriptions))


def _union(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for item in items if item))
