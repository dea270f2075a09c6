"""The soak of our own engine, as a program of its own: its memory is then nobody else's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.soak import corpus, measuring
from lightrag_engine import LightRAG, QueryParam, Settings, Upload
from lightrag_engine.documents import document_id
from lightrag_engine.embedding.base import Role
from lightrag_engine.language.prompts import answer_prompt
from lightrag_engine.records import Chunk, EntityRecord, Extraction, Keywords, Message, RelationRecord
from lightrag_engine.retrieval.context import Context


class ScriptedLanguage:
    """Reads a passage as the corpus says, at once; a summary is the first descriptions."""

    name = "scripted"
    fingerprint = "scripted"
    max_prompt_tokens = 100_000

    def __init__(self) -> None:
        self.calls = 0

    def answer_prompt(
        self, question: str, context: str, history: Sequence[Message] = (), response_type: str = ""
    ) -> str:
        """Return the prompt of an answer."""
        return answer_prompt(question, context, history, response_type)

    async def extract(self, chunk: Chunk, title: str) -> Extraction:
        """Return the records of a passage."""
        self.calls += 1
        said = corpus.read(chunk.content)
        return Extraction(
            chunk.id,
            tuple(EntityRecord(*entity, chunk.id) for entity in said.entities),
            tuple(RelationRecord(*relation, chunk.id) for relation in said.relations),
        )

    async def keywords(self, question: str, history: Sequence[Message] = ()) -> Keywords:
        """Return none: every question comes with its own."""
        return Keywords()

    async def summarise(self, name: str, descriptions: Sequence[str], max_tokens: int) -> str:
        """Return about a hundred words."""
        self.calls += 1
        return " ".join(sorted(descriptions)[:5])

    async def answer(
        self, question: str, context: Context, history: Sequence[Message] = (), response_type: str = ""
    ) -> AsyncIterator[str]:
        """Yield the question: only contexts are asked for."""
        yield question


class HashEmbedding:
    """Vectors without a model."""

    name = "hash"
    dimensions = measuring.DIMENSIONS

    async def embed(self, texts: Sequence[str], role: Role) -> npt.NDArray[np.float32]:
        """Return one row a text."""
        return measuring.embed(texts)


class Engine:
    """A `measuring.System`."""

    def __init__(self, folder: Path) -> None:
        self._language = ScriptedLanguage()
        settings = Settings(data_dir=folder, chunk_token_size=corpus.CHUNK_TOKENS, chunk_overlap_token_size=0)
        self._rag = LightRAG("soak", settings, language=self._language, embedding=HashEmbedding())

    @property
    def calls(self) -> int:
        """Requests to the language so far."""
        return self._language.calls

    def insert(self, texts: Sequence[str]) -> None:
        """Index documents and wait."""
        statuses = self._rag.insert_files([Upload.from_text(text) for text in texts])
        problems = [status for status in statuses if status.state != "done"]
        if problems:
            raise RuntimeError(str(problems[0]))

    def delete(self, text: str) -> None:
        """Delete a document and wait."""
        self._rag.delete_document(document_id(text.encode()))

    def retrieve(self, mode: str, question: str, low: list[str], high: list[str]) -> int:
        """Return the length of a context."""
        keywords = Keywords(tuple(high), tuple(low))
        param = QueryParam(mode=mode, only_need_context=True, keywords=keywords)
        return len(self._rag.query(question, param).text)

    def close(self) -> None:
        """Close the workspace."""
        self._rag.close()


def open_engine(folder: Path) -> measuring.System:
    """Open a workspace in a folder."""
    return Engine(folder)


if __name__ == "__main__":
    measuring.run(open_engine, "this engine")
