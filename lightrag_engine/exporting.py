"""The graph as a file for other programs: GraphML, GEXF, JSON node-link, CSV."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, TextIO

import networkx as nx
from networkx.readwrite.gexf import GEXFWriter

from lightrag_engine.errors import SettingsError
from lightrag_engine.names import xml_text
from lightrag_engine.spreadsheet import neutral

_LIST_SEPARATOR = "; "


def export_graph(graph: nx.Graph[str], path: Path) -> tuple[Path, ...]:
    """Write a graph and return the files that were written; the ending of `path` chooses the format.

    ``.graphml`` and ``.gexf`` hold lists as text joined by ``"; "``; ``.json`` is NetworkX's node-link form;
    ``.csv`` gives two files, the relations and, beside it, ``NAME-entities.csv``. Each file is complete or
    not there at all.

    Raises
    ------
    SettingsError
        When the ending is none of these, or a file cannot be written.
    """
    if path.suffix.lower() == ".csv":
        entities = path.with_name(f"{path.stem}-entities{path.suffix}")
        return (
            write_whole(path, lambda file: _relations_csv(graph, file)),
            write_whole(entities, lambda file: _entities_csv(graph, file)),
        )
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        raise SettingsError(
            f"A graph cannot be written as {path.suffix or 'a file without an ending'}.",
            hint=f"Choose a name that ends in {', '.join([*_WRITERS, '.csv'])}.",
        )
    return (write_whole(path, lambda file: write(graph, file)),)


def graph_formats() -> tuple[str, ...]:
    """Return what `graph_file` can make."""
    return tuple(_FILES)


def graph_file(graph: nx.Graph[str], name: str) -> bytes:
    """Return a graph as the content of a file; `name` is one of `graph_formats`.

    ``entities.csv`` and ``relations.csv`` are the two halves of a graph as tables.
    """
    text = io.StringIO(newline="")
    _FILES[name](graph, text)
    return text.getvalue().encode("utf-8", "replace")


def write_whole(path: Path, write: Callable[[TextIO], object]) -> Path:
    """Write a text file of which all is there afterwards, or nothing; folders are made.

    Raises
    ------
    SettingsError
        When it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="") as file:
                write(file)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise SettingsError(
            f"“{path}” could not be written: {error.strerror or error}.",
            hint="Choose another place, or make room on the disk.",
        ) from error
    return path


def plain(graph: nx.Graph[str]) -> nx.Graph[str]:
    """Return a copy whose attributes are text and numbers that every graph format can hold."""
    copy: nx.Graph[str] = nx.Graph()
    for key, node in graph.nodes(data=True):
        copy.add_node(xml_text(key), label=_text(node["name"]), **_plain_attributes(node))
    for a, b, edge in graph.edges(data=True):
        copy.add_edge(xml_text(a), xml_text(b), **_plain_attributes(edge))
    return copy


def _plain_attributes(attributes: dict[str, Any]) -> dict[str, str | float]:
    return {
        name: float(value) if isinstance(value, Real) else _text(_joined(value))
        for name, value in attributes.items()
        if value is not None and value == value  # NaN is left out
    }


def _text(text: str) -> str:
    # Whoever reads XML takes any line ending for a line feed.
    return xml_text(text).replace("\r\n", "\n").replace("\r", "\n")


def _joined(value: Any) -> str:
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return _LIST_SEPARATOR.join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _graphml(graph: nx.Graph[str], file: TextIO) -> None:
    file.writelines(f"{line}\n" for line in nx.generate_graphml(plain(graph)))


def _gexf(graph: nx.Graph[str], file: TextIO) -> None:
    writer = GEXFWriter(prettyprint=True)
    writer.add_graph(plain(graph))
    for element in writer.xml.iter("graph"):
        element.attrib.pop("name", None)  # the schema of GEXF 1.2 knows no name of a graph
    file.write(f"{writer}\n")


def _json(graph: nx.Graph[str], file: TextIO) -> None:
    json.dump(nx.node_link_data(graph, edges="edges"), file, ensure_ascii=False, indent=1)


def _relations_csv(graph: nx.Graph[str], file: TextIO) -> None:
    columns = ("keywords", "description", "weight", "source_ids")
    rows = []
    for a, b, edge in graph.edges(data=True):
        ends = (edge.get("source_key", a), edge.get("target_key", b))
        rows.append([*(graph.nodes[end]["name"] for end in ends), *(edge[column] for column in columns)])
    write_csv(file, ("source", "target", *columns), rows)


def _entities_csv(graph: nx.Graph[str], file: TextIO) -> None:
    columns = ("name", "type", "description", "weight", "source_ids")
    rows = [
        [*(node[column] for column in columns), graph.degree[key]] for key, node in graph.nodes(data=True)
    ]
    write_csv(file, (*columns, "degree"), rows)


def write_csv(file: TextIO, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Write a table for a spreadsheet: UTF-8 that Excel recognises, and no cell that it would run."""
    # The byte order mark tells Excel that this is UTF-8.
    file.write("\ufeff")
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows([c if isinstance(c, int | float) else neutral(_joined(c)) for c in row] for row in rows)


_WRITERS: dict[str, Callable[[nx.Graph[str], TextIO], None]] = {
    ".graphml": _graphml,
    ".gexf": _gexf,
    ".json": _json,
}
_FILES: dict[str, Callable[[nx.Graph[str], TextIO], None]] = {
    "graphml": _graphml,
    "gexf": _gexf,
    "json": _json,
    "entities.csv": _entities_csv,
    "relations.csv": _relations_csv,
}
