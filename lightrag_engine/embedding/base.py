"""The second half of the language seam: texts to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
Role = Literal["query", "passage"]


class EmbeddingModel(Protocol):
    """Turns texts into vectors of one space.

    `name` and `dimensions` are recorded in the workspace: vectors of two models are never mixed.
    """

    name: str
    dimensions: int

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one unit-length row a text, in order: shape ``(len(texts), dimensions)``, float32.

        A row of zeros stands for a text that cannot be embedded (empty, or refused by the model).

        Raises
        ------
        ModelError
            When the model is missing or cannot be reached.
        """
        ...
