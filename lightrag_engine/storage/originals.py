"""The files that documents came as, compressed where that saves something: a text takes a third."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Collection
from pathlib import Path

PART = ".part"  # ending of a file that is being written
_PACKED = ".gz"
_SAMPLE = 2**16  # bytes by which a file is judged
_WORTH = 0.8  # of its size
_MOST_UNPACKED = 2**30  # bytes; more than any file that is taken in
_GZIP = 31  # what zlib calls a window of 2**15 with the frame of a gzip file


class Originals:
    """One file a document in a folder: ``ID``, or ``ID.gz``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, document_id: str, data: bytes) -> None:
        """Keep a file, all or nothing.

        Raises
        ------
        OSError
            When it cannot be written.
        """
        plain, packed = self._paths(document_id)
        sample = data[:_SAMPLE]
        worth = len(zlib.compress(sample, 1)) < _WORTH * len(sample)
        path, other = (packed, plain) if worth else (plain, packed)
        part = self._folder / f"{document_id}{PART}"
        part.write_bytes(gzip.compress(data, 6, mtime=0) if worth else data)
        part.replace(path)
        other.unlink(missing_ok=True)

    def read(self, document_id: str) -> bytes:
        """Return a file as it came.

        Raises
        ------
        OSError
            When it is not here, or damaged.
        """
        plain, packed = self._paths(document_id)
        try:
            data = packed.read_bytes()
        except FileNotFoundError:
            return plain.read_bytes()
        unpacking = zlib.decompressobj(_GZIP)
        try:
            whole = unpacking.decompress(data, _MOST_UNPACKED)
        except zlib.error as error:
            raise OSError(f"{packed.name} is damaged: {error}") from error
        if not unpacking.eof:
            raise OSError(f"{packed.name} is cut off or too large")
        return whole

    def has(self, document_id: str) -> bool:
        """Whether the file of a document is here."""
        return any(path.exists() for path in self._paths(document_id))

    def strays(self, document_ids: Collection[str]) -> list[Path]:
        """Return the files that belong to none of these documents."""
        known = set(document_ids)
        return [path for path in self._folder.iterdir() if path.name.removesuffix(_PACKED) not in known]

    def remove(self, document_id: str) -> None:
        """Remove a file; one that is not here is no error."""
        for path in self._paths(document_id):
            path.unlink(missing_ok=True)

    def _paths(self, document_id: str) -> tuple[Path, Path]:
        return self._folder / document_id, self._folder / f"{document_id}{_PACKED}"
