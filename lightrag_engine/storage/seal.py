"""The seal of a workspace: what its files were when it was closed.

As long as database and vectors are the very files that were closed, they need no look at every page when they
are opened again. Any other writer, a copy, a backup that was put in place or a file that is gone breaks the
seal; damage that leaves size and time of a file as they were is found by the self-check.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

SEAL = "closed"


def seal(folder: Path, names: Iterable[str]) -> None:
    """Have the system write these files, or all in these folders, to the disk, and note how they are.

    Raises
    ------
    OSError
        When they cannot be written: there is no seal then.
    """
    path = folder / SEAL
    path.unlink(missing_ok=True)
    files = _files(folder, names)
    for name in files:
        # Chroma leaves that to the system: after a power cut a sealed file could be an empty one.
        with (folder / name).open("r+b") as file:
            os.fsync(file.fileno())
    draft = path.with_suffix(".part")
    draft.write_text(json.dumps(files), encoding="utf-8")
    draft.replace(path)


def break_seal(folder: Path, names: Iterable[str]) -> bool:
    """Remove the seal; return whether there was one and the files are as it says."""
    path = folder / SEAL
    try:
        sealed = json.loads(path.read_text(encoding="utf-8"))
        return bool(sealed == _files(folder, names))
    except (OSError, ValueError):
        return False
    finally:
        path.unlink(missing_ok=True)


def _files(folder: Path, names: Iterable[str]) -> dict[str, list[int]]:
    """Return size and time of change of the files, by their path in the folder."""
    found = {}
    for name in names:
        top = folder / name
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.is_file():
                stat = path.stat()
                found[path.relative_to(folder).as_posix()] = [stat.st_size, stat.st_mtime_ns]
    return found
