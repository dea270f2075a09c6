"""The vectors of a collection as two plain files: rows of float32, and a line of JSON for each."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from lightrag_engine.embedding.base import Vectors
from lightrag_engine.storage.base import StoredVector, VectorsLostError, VectorStore
from lightrag_engine.storage.sqlite import batches

_BATCH = 500
logger = logging.getLogger(__name__)


def save_vectors(store: VectorStore, folder: Path, name: str, on_done: Callable[[int], None]) -> None:
    """Write a collection to ``name.jsonl`` and ``name.npy``; `on_done` gets the number of each batch.

    What cannot be read is left out: a workspace knows which vectors it lacks.
    """
    ids = sorted(store.ids())
    rows = 0
    with (
        (folder / f"{name}.jsonl").open("w", encoding="utf-8") as lines,
        (folder / f"{name}.raw").open("wb") as raw,
    ):
        width = 0
        for batch in batches(ids, _BATCH):
            try:
                records, vectors = store.get(batch)
            except VectorsLostError as error:
                logger.warning("vectors of %s are left out: %s", name, error)
                records, vectors = [], np.zeros((0, 0), dtype=np.float32)
            for record in records:
                line = {"id": record.id, "text_hash": record.text_hash, "metadata": record.metadata}
                lines.write(json.dumps(line, ensure_ascii=False) + "\n")
            if records:
                rows, width = rows + len(records), vectors.shape[1]
                raw.write(np.ascontiguousarray(vectors, dtype="<f4").tobytes())
            on_done(len(batch))
    _raw_to_npy(folder / f"{name}.raw", folder / f"{name}.npy", (rows, width))


def _raw_to_npy(raw: Path, npy: Path, shape: tuple[int, int]) -> None:
    # How many rows there are is known at the end, and stands at the beginning of the file.
    with npy.open("wb") as file:
        header = {"descr": "<f4", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        with raw.open("rb") as source:
            while piece := source.read(2**20):
                file.write(piece)
    raw.unlink()


def read_vectors(folder: Path, name: str, dimensions: int) -> Iterator[tuple[list[StoredVector], Vectors]]:
    """Yield what `save_vectors` wrote, in batches.

    Raises
    ------
    ValueError
        When the files do not belong together, or are not such files.
    """
    vectors = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
    if not isinstance(vectors, np.ndarray) or vectors.ndim != 2 or vectors.dtype != np.dtype("<f4"):
        raise ValueError(f"{name}.npy does not hold rows of float32")
    if len(vectors) and vectors.shape[1] != dimensions:
        raise ValueError(f"{name}.npy has {vectors.shape[1]} dimensions, not {dimensions}")
    start = 0
    with (folder / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for batch in batches(lines, _BATCH):
            rows = np.array(vectors[start : start + len(batch)], dtype=np.float32)
            if len(rows) != len(batch):
                raise ValueError(f"{name}.npy has fewer rows than {name}.jsonl")
            yield [_record(line) for line in batch], rows
            start += len(batch)
    if start != len(vectors):
        raise ValueError(f"{name}.npy has more rows than {name}.jsonl")


def _record(line: str) -> StoredVector:
    value = json.loads(line)
    if not isinstance(value, dict) or not {"id", "text_hash", "metadata"} <= value.keys():
        raise ValueError("a line is not a vector's")
    id_, text_hash, metadata = value["id"], value["text_hash"], value["metadata"]
    plain = isinstance(metadata, dict) and all(isinstance(v, str | int | float) for v in metadata.values())
    if not (isinstance(id_, str) and id_ and isinstance(text_hash, int) and plain):
        raise ValueError("a line is not a vector's")
    return StoredVector(id_, text_hash, metadata)
