"""A key-value store as one JSON file a namespace: readable with any editor, for small collections."""

from __future__ import annotations

import copy
import json
import os
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lightrag_engine.errors import WorkspaceError
from lightrag_engine.storage.base import Value


class JsonKeyValue:
    """A `KeyValueStore` in the file ``<folder>/<namespace>.json``.

    Every write replaces the whole file by renaming, so that a crash leaves the old or the new one.

    Raises
    ------
    WorkspaceError
        When the file is there but damaged; it is left as it is.
    """

    def __init__(self, folder: Path, namespace: str) -> None:
        self._path = folder / f"{namespace}.json"
        self._lock = threading.Lock()
        self._values: dict[str, dict[str, Any]] = {}
        folder.mkdir(parents=True, exist_ok=True)
        if self._path.exists():
            try:
                self._values = json.loads(self._path.read_text(encoding="utf-8"))
            except ValueError as error:
                raise WorkspaceError(
                    f"The file {self._path.name} is damaged: {error}.",
                    hint="Put a backup in its place, or move it away to start with an empty one.",
                ) from error

    def get(self, key: str) -> dict[str, Any] | None:
        return copy.deepcopy(self._values.get(key))

    def get_many(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        return {key: copy.deepcopy(self._values[key]) for key in keys if key in self._values}

    def put_many(self, values: Mapping[str, Value]) -> None:
        # Through JSON, so that what is read now equals what is read after reopening.
        new = json.loads(json.dumps(dict(values)))
        with self._lock:
            self._replace({**self._values, **new})

    def delete_many(self, keys: Iterable[str]) -> None:
        gone = set(keys)
        with self._lock:
            self._replace({key: value for key, value in self._values.items() if key not in gone})

    def keys(self) -> Iterator[str]:
        return iter(sorted(self._values))

    def __len__(self) -> int:
        return len(self._values)

    def _replace(self, values: dict[str, dict[str, Any]]) -> None:
        handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.name, suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(values, file, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self._path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        self._values = values
