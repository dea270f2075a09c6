"""What an answer rests on, what it cites or names first; and as tables for a spreadsheet."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from lightrag_engine.answering import Answer, plain_text
from lightrag_engine.exporting import write_csv
from lightrag_engine.records import EntityRow, RelationRow, SourceText
from lightrag_engine.retrieval.context import ENTITY_COLUMNS, RELATION_COLUMNS, SOURCE_COLUMNS
from lightrag_engine.retrieval.linking import NameTable
from lightrag_engine.sentences import sentence_texts

TableName = Literal["entities", "relations", "sources"]
TABLES: tuple[TableName, ...] = ("entities", "relations", "sources")
AnyRow = TypeVar("AnyRow", EntityRow, RelationRow, SourceText)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The three tables of an answer, cited rows first, else in the order in which they were retrieved.

    `cited_…` hold the `id` of rows: of sources that the answer cites, of entities that it names, of relations
    both of whose ends one of its sentences names.
    """

    entities: tuple[EntityRow, ...] = ()
    relations: tuple[RelationRow, ...] = ()
    sources: tuple[SourceText, ...] = ()
    cited_entities: frozenset[int] = frozenset()
    cited_relations: frozenset[int] = frozenset()
    cited_sources: frozenset[int] = frozenset()


def evidence_of(answer: Answer) -> Evidence:
    """Return what an answer rests on, with what of it the text cites or names."""
    context = answer.context
    sources = frozenset(citation.number for citation in answer.citations)
    entities: set[int] = set()
    relations: set[int] = set()
    if answer.kind == "answer":
        names = dict.fromkeys(
            [row.entity for row in context.entity_rows]
            + [end for row in context.relation_rows for end in (row.source, row.target)]
        )
        numbered = {name: number for number, name in enumerate(names)}
        table = NameTable(numbered.items(), frozenset())
        for sentence in sentence_texts(plain_text(answer.text)):
            said = {node for link in table.links(sentence) for node in link.nodes}
            entities |= {row.id for row in context.entity_rows if numbered[row.entity] in said}
            relations |= {
                row.id
                for row in context.relation_rows
                if numbered[row.source] in said and numbered[row.target] in said
            }
    return Evidence(
        _first(context.entity_rows, entities),
        _first(context.relation_rows, relations),
        _first(context.source_rows, sources),
        frozenset(entities),
        frozenset(relations),
        sources,
    )


def evidence_csv(answer: Answer, table: TableName) -> bytes:
    """Return one table as CSV for a spreadsheet: UTF-8 with a byte order mark, no cell a formula.

    The columns are those of the context, then `cited` (yes or no) and, of sources, `why` they were found.
    """
    found = evidence_of(answer)
    text = io.StringIO(newline="")
    if table == "entities":
        _write(text, ENTITY_COLUMNS, found.entities, found.cited_entities)
    elif table == "relations":
        _write(text, RELATION_COLUMNS, found.relations, found.cited_relations)
    else:
        rows = [
            [*_cells(row, SOURCE_COLUMNS, found.cited_sources), "; ".join(map(str, row.why))]
            for row in found.sources
        ]
        write_csv(text, (*SOURCE_COLUMNS, "cited", "why"), rows)
    return text.getvalue().encode("utf-8", "replace")


def evidence_zip(answer: Answer, markdown: str) -> bytes:
    """Return the three tables and the answer, as Markdown, in one ZIP file.

    The same answer gives the same bytes.
    """
    files = {f"{table}.csv": evidence_csv(answer, table) for table in TABLES}
    files["answer.md"] = markdown.encode("utf-8", "replace")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _first(rows: Sequence[AnyRow], cited: set[int] | frozenset[int]) -> tuple[AnyRow, ...]:
    return tuple(sorted(rows, key=lambda row: row.id not in cited))


def _write(
    file: io.StringIO, columns: Sequence[str], rows: Sequence[EntityRow | RelationRow], cited: frozenset[int]
) -> None:
    write_csv(file, (*columns, "cited"), [_cells(row, columns, cited) for row in rows])


def _cells(
    row: EntityRow | RelationRow | SourceText, columns: Sequence[str], cited: frozenset[int]
) -> list[Any]:
    return [*(getattr(row, column) for column in columns), "yes" if row.id in cited else "no"]
