"""What is embedded of an entity, a relation and a chunk, and under which id."""

from __future__ import annotations

from collections.abc import Mapping

from lightrag_engine.names import content_id
from lightrag_engine.records import Entity, Relation
from lightrag_engine.storage.base import VectorRecord
from lightrag_engine.storage.workspace import Workspace


def entity_vector_id(key: str) -> str:
    """Return the id of an entity's vector."""
    return content_id("ent", key)


def relation_vector_id(pair: tuple[str, str]) -> str:
    """Return the id of a relation's vector, from its sorted pair."""
    return content_id("rel", *pair)


def entity_vector(entity: Entity) -> VectorRecord:
    """Return what is embedded of an entity: name and description; of a merged one all its names."""
    names = dict.fromkeys((entity.name, *entity.spellings)) if entity.aliases else (entity.name,)
    text = f"{', '.join(names)}\n{entity.description}"
    return VectorRecord(entity_vector_id(entity.key), text, {"entity_name": entity.key})


def relation_vector(relation: Relation, names: Mapping[str, str]) -> VectorRecord:
    """Return what is embedded of a relation: keywords, both names and description."""
    source, target = names[relation.source_key], names[relation.target_key]
    text = f"{', '.join(relation.keywords)}\n{source}\n{target}\n{relation.description}"
    return VectorRecord(
        relation_vector_id(relation.pair),
        text,
        {"src_id": relation.source_key, "tgt_id": relation.target_key},
    )


def chunk_vector(chunk_id: str, content: str) -> VectorRecord:
    """Return what is embedded of a chunk: its text."""
    return VectorRecord(chunk_id, content, {"chunk_id": chunk_id})


def all_vectors(workspace: Workspace) -> dict[str, list[VectorRecord]]:
    """Return everything that should have a vector, by collection."""
    graph = workspace.graph.graph
    entities = [entity for key in graph if (entity := workspace.graph.entity(key)) is not None]
    names = {entity.key: entity.name for entity in entities}
    relations = [r for pair in graph.edges if (r := workspace.graph.relation(*pair)) is not None]
    chunks = workspace.chunks.get_many(list(workspace.chunks.keys()))
    return {
        "entities": [entity_vector(entity) for entity in entities],
        "relations": [relation_vector(relation, names) for relation in relations],
        "chunks": [chunk_vector(id_, value["content"]) for id_, value in chunks.items()],
    }
