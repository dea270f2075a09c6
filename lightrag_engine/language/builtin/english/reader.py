"""One chunk of English text -> entity and relation records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from spacy.tokens import Doc

from lightrag_engine.language.builtin.english.concepts import Term, find_terms, term_nodes, themes
from lightrag_engine.language.builtin.english.evidence import Source
from lightrag_engine.language.builtin.english.joining import join
from lightrag_engine.language.builtin.english.labels import copula_noun, label_nodes, with_persons
from lightrag_engine.language.builtin.english.mentions import AMOUNTS, Mention, find_mentions
from lightrag_engine.language.builtin.english.names import (
    Node,
    fold,
    is_exclaimed,
    mark_title,
    nodes_of,
    surface,
)
from lightrag_engine.language.builtin.english.pairs import sentence_links
from lightrag_engine.language.builtin.english.pairs_document import document_links
from lightrag_engine.language.builtin.english.pairs_last import nearest_names
from lightrag_engine.language.builtin.english.pairs_typed import typed_links
from lightrag_engine.language.builtin.english.pipeline import parse
from lightrag_engine.language.builtin.english.relations import entity_records, relation_records, usable
from lightrag_engine.language.builtin.english.rules import rules_in_use
from lightrag_engine.language.builtin.english.scene import Scene, is_narrative, set_scene
from lightrag_engine.language.builtin.english.text import Block, blocks
from lightrag_engine.language.builtin.english.title import is_natural, is_of_a_text, title_mentions
from lightrag_engine.records import Chunk, Extraction
from lightrag_engine.settings import Settings


@dataclass(frozen=True, slots=True)
class Parsed:
    """A chunk with its blocks of running text, each parsed, and its headings."""

    chunk: Chunk
    blocks: tuple[Block, ...]
    docs: tuple[Doc, ...]
    headings: tuple[str, ...]


def parsed(chunk: Chunk) -> Parsed:
    """Parse a chunk: what takes nearly all the time of reading it, whatever the rules.

    Raises
    ------
    ModelError
        When no English model is installed.
    """
    every = blocks(chunk.content)
    found = tuple(block for block in every if not block.heading)
    headings = tuple(block.text for block in every if block.heading)
    return Parsed(chunk, found, tuple(parse(block.text for block in found)), headings)


def read(chunk: Chunk, title: str, settings: Settings) -> Extraction:
    """Read a chunk of an English document into records, by named entities, grammar and rules.

    Parameters
    ----------
    chunk
        Any text. Headings are used for the chunk's themes, not for relations.
    title
        The document's title; counts as an entity only where the chunk writes it.
    settings
        `entity_types`, `country_rules` and `extraction_rules` are used.

    Returns
    -------
    Extraction
        Deterministic. Names are single-line and at most `mentions.MAX_NAME` characters; both ends of every
        relation are among the entities and differ; descriptions are sentences of the chunk.

    Raises
    ------
    ModelError
        When no English model is installed.
    SettingsError
        When `extraction_rules` names a rule that there is not.
    """
    return read_parsed(parsed(chunk), title, settings)


def read_parsed(text: Parsed, title: str, settings: Settings) -> Extraction:
    """Apply the rules to a parsed chunk; see `read`."""
    chunk = text.chunk
    merged = Doc.from_docs(list(text.docs)) if text.docs else None
    if merged is None or not len(merged):
        return Extraction(chunk.id)
    used = rules_in_use(settings)
    names = frozenset(rule.name for rule in used)
    scene, terms = _scene(merged, title, names, opening=chunk.chunk_order_index == 0)
    source = Source(chunk.content, text.blocks, text.docs)
    links = usable([*sentence_links(scene), *document_links(scene), *typed_links(scene)], used)
    links += usable(nearest_names(scene, links), used)
    return Extraction(
        chunk.id,
        entity_records(scene, links, source, chunk.id, settings),
        relation_records(scene, links, source, chunk.id),
        themes(terms, text.headings, scene.narrative),
    )


def _scene(doc: Doc, title: str, used: Collection[str], opening: bool) -> tuple[Scene, list[Term]]:
    written = title_mentions(doc, title) if "title" in used else []
    narrative = is_narrative(doc)
    mentions = with_persons(doc, join(doc, find_mentions(doc, used, written, narrative)))
    # What a text says is said of its subject, not of the text that the title names.
    name = surface(doc, written[0]) if written and not is_of_a_text(title) else ""
    nodes = nodes_of(doc, mentions, name, narrative)
    first = next(doc.sents)
    if opening and not name and is_natural(title) and "title" in used:
        nodes = mark_title(nodes, _lead_subject(doc, nodes, first.end))
    named = [node for node in nodes if not (narrative and is_exclaimed(doc, node))]
    labelled = label_nodes(doc, named, first.end if opening else 0, narrative)
    terms = find_terms(doc, {i for m in mentions for i in range(m.start, m.end)})
    amount = sum(len(node.mentions) for node in labelled if node.mentions[0].rule not in AMOUNTS)
    concepts = term_nodes(doc, terms, amount, narrative) if "term" in used else []
    taken = {fold(node.name) for node in labelled}
    more = [node for node in concepts if fold(node.name) not in taken]
    return set_scene(doc, [*labelled, *more], opening, narrative), terms


def _lead_subject(doc: Doc, nodes: Sequence[Node], end: int) -> int | None:
    """The node of which the first sentence says what it is."""
    return next((i for i, node in enumerate(nodes) if _is_defined(doc, node.mentions, end)), None)


def _is_defined(doc: Doc, mentions: Iterable[Mention], end: int) -> bool:
    return any(m.start < end and copula_noun(doc[m.start : m.end].root) is not None for m in mentions)
