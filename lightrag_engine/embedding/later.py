"""An embedding model whose server was away when the workspace was opened."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from lightrag_engine.embedding.base import EmbeddingModel, Role, Vectors


class LaterEmbedding:
    """Stands for a model until it is needed, and looks for it again whenever it is.

    So documents and graph of a workspace can be looked at without the server.
    """

    def __init__(self, name: str, dimensions: int, find: Callable[[], Awaitable[EmbeddingModel]]) -> None:
        self.name = name
        self.dimensions = dimensions
        self._find = find
        self._model: EmbeddingModel | None = None

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """See `EmbeddingModel.embed`; raises ModelError while the model cannot be found."""
        if self._model is None:
            self._model = await self._find()
        return await self._model.embed(texts, role)
