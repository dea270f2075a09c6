"""One chunk of English text -> entity and relation records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spacy.tokens import Doc

from lightrag_engine.language.builtin.english.concepts import Term, find_terms, term_nodes, themes
from lightrag_engine.language.builtin.english.evidence import Source
from lightrag_engine.language.builtin.english.joining import join
from lightrag_engine.language.builtin.english.labels import copula_noun, label_nodes, with_persons
from lightrag_engine.language.builtin.english.mentions import Mention, find_mentions
from lightrag_engine.language.builtin.english.names import (
    Node,
    fold,
    is_exclaimed,
    mark_title,
    nodes_of,
    surface,
)
from lightrag_engine.language.builtin.english.pairs import nearest_names, sentence_links
from lightrag_engine.language.builtin.english.pairs_document import document_links
from lightrag_engine.language.builtin.english.pipeline import parse
from lightrag_engine.language.builtin.english.relations import entity_records, relation_records, usable
from lightrag_engine.language.builtin.english.rules import rules_in_use
from lightrag_engine.language.builtin.english.scene import Scene, is_narrative, set_scene
from lightrag_engine.language.builtin.english.text import blocks
from lightrag_engine.language.builtin.english.title import is_natural, is_of_a_text, title_mentions
from lightrag_engine.records import Chunk, Extraction
from lightrag_engine.settings import Settings


def read(chunk: Chunk, title: str, settings: Settings) -> Extraction:
    """Read a chunk of an English document into records, by named entities, grammar and rules.

    Parameters
    ----------
    chunk
        Any text. Headings are used for the chunk's themes, not for relations.
    title
        The document's title; counts as an entity only where the chunk writes it.
    settings
        `entity_types` and `country_rules` are used.

    Returns
    -------
    Extraction
        Deterministic. Names are single-line and at most `mentions.MAX_NAME` characters; both ends of every
        relation are among the entities and differ; descriptions are sentences of the chunk.

    Raises
    ------
    ModelError
        When no English model is installed.
    """
    every = blocks(chunk.content)
    found = [block for block in every if not block.heading]
    docs = parse(block.text for block in found)
    merged = Doc.from_docs(docs) if docs else None
    if merged is None or not len(merged):
        return Extraction(chunk.id)
    scene, terms = _scene(merged, title, opening=chunk.chunk_order_index == 0)
    headings = [block.text for block in every if block.heading]
    source = Source(chunk.content, found, docs)
    used = rules_in_use(settings)
    links = usable([*sentence_links(scene), *document_links(scene)], used)
    links += usable(nearest_names(scene, links), used)
    return Extraction(
        chunk.id,
        entity_records(scene, links, source, chunk.id, settings),
        relation_records(scene, links, source, chunk.id),
        themes(terms, headings, scene.narrative),
    )


def _scene(doc: Doc, title: str, opening: bool) -> tuple[Scene, list[Term]]:
    written = title_mentions(doc, title)
    mentions = with_persons(doc, join(doc, find_mentions(doc, written)))
    # What a text says is said of its subject, not of the text that the title names.
    name = surface(doc, written[0]) if written and not is_of_a_text(title) else ""
    narrative = is_narrative(doc)
    nodes = nodes_of(doc, mentions, name, narrative)
    first = next(doc.sents)
    if opening and not name and is_natural(title):
        nodes = mark_title(nodes, _lead_subject(doc, nodes, first.end))
    named = [node for node in nodes if not (narrative and is_exclaimed(doc, node))]
    labelled = label_nodes(doc, named, first.end if opening else 0, narrative)
    terms = find_terms(doc, {i for m in mentions for i in range(m.start, m.end)})
    concepts = term_nodes(doc, terms, sum(len(node.mentions) for node in labelled), narrative)
    taken = {fold(node.name) for node in labelled}
    more = [node for node in concepts if fold(node.name) not in taken]
    return set_scene(doc, [*labelled, *more], opening, narrative), terms


def _lead_subject(doc: Doc, nodes: Sequence[Node], end: int) -> int | None:
    """The node of which the first sentence says what it is."""
    return next((i for i, node in enumerate(nodes) if _is_defined(doc, node.mentions, end)), None)


def _is_defined(doc: Doc, mentions: Iterable[Mention], end: int) -> bool:
    return any(m.start < end and copula_noun(doc[m.start : m.end].root) is not None for m in mentions)
