"""Names of workspaces, and which folder has which.

The shown name stands in a file of the folder, so that it can change while the folder stays where it is:
what is open in it, and what Chroma keeps by its path, is not disturbed. No two workspaces of a data folder
have names that only differ in case or in how Unicode writes them.
"""

from __future__ import annotations

import contextlib
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from lightrag_engine.documents.clean import one_line
from lightrag_engine.errors import WorkspaceError
from lightrag_engine.names import content_id

NAME_FILE = "name"
_SLUG_LENGTH = 40
_NAMES_WAIT = 30.0  # seconds; the lock is only held while folders are looked at, named or renamed


def folder_name(name: str) -> str:
    """Return the folder of a new workspace: a readable part and a hash, valid on every system.

    Examples
    --------
    >>> folder_name("My base")
    'my-base-31ba5fba'
    """
    slug = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", slug).strip("-")[:_SLUG_LENGTH].strip("-")
    return f"{slug or 'workspace'}-{content_id('w', shown_name(name))[2:10]}"


def shown_name(name: str) -> str:
    """Return a name as it is kept and shown.

    Raises
    ------
    WorkspaceError
        When nothing is left of it.
    """
    shown = one_line(name)
    if not shown:
        raise WorkspaceError("A workspace needs a name.", hint="Type at least one letter or digit.")
    return shown


def name_key(name: str) -> str:
    """Return what two names have in common that count as the same.

    Examples
    --------
    >>> name_key("PRESS  Ａ") == name_key("press a")
    True
    """
    text = unicodedata.normalize("NFKC", one_line(name))
    return one_line(unicodedata.normalize("NFKC", text.casefold()))


def read_name(folder: Path) -> str | None:
    """Return the shown name of a folder; None when it has none that can be read."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return one_line((folder / NAME_FILE).read_text(encoding="utf-8")) or None
    return None


def write_name(folder: Path, name: str) -> None:
    """Give a folder its shown name, in one step."""
    draft = folder / f"{NAME_FILE}.new"
    draft.write_text(shown_name(name), encoding="utf-8")
    draft.replace(folder / NAME_FILE)


def named_folders(data_dir: Path) -> dict[Path, str]:
    """Return the folders of all workspaces with their shown names. One that cannot be read is left out."""
    if not data_dir.is_dir():
        return {}
    folders = [path for path in sorted(data_dir.iterdir()) if not path.name.startswith(".")]
    return {path: name for path in folders if (name := read_name(path)) is not None}


def find_folder(data_dir: Path, name: str) -> Path | None:
    """Return the folder of a workspace, or None. A name that is equal to the letter comes first."""
    shown, named = shown_name(name), named_folders(data_dir)
    for same in (lambda other: other == shown, lambda other: name_key(other) == name_key(shown)):
        for folder, other in named.items():
            if same(other):
                return folder
    # Of a folder whose name file was lost, its own name tells which it was.
    lost = data_dir / folder_name(shown)
    return lost if lost.is_dir() and lost not in named else None


def new_folder(data_dir: Path, name: str) -> Path:
    """Return a folder for a new workspace; it does not exist yet."""
    base = folder_name(name)
    number, folder = 2, data_dir / base
    # A workspace that had this name before may live there under another one.
    while folder.exists():
        folder, number = data_dir / f"{base}-{number}", number + 1
    return folder


def free_name(data_dir: Path, name: str) -> str:
    """Return `name`, or the first of ``name (2)``, ``name (3)`` … that no workspace has."""
    shown = shown_name(name)
    taken = {name_key(other) for other in named_folders(data_dir).values()}
    number, candidate = 2, shown
    while name_key(candidate) in taken:
        candidate, number = f"{shown} ({number})", number + 1
    return candidate


def check_free(data_dir: Path, name: str, besides: Path | None = None) -> str:
    """Return the name as it will be shown.

    Raises
    ------
    WorkspaceError
        When it is empty, or another folder than `besides` has it.
    """
    shown = shown_name(name)
    for folder, other in named_folders(data_dir).items():
        if folder != besides and name_key(other) == name_key(shown):
            raise WorkspaceError(
                f"There is a workspace “{other}” already.",
                hint=f"Choose another name, such as {free_name(data_dir, shown)}.",
            )
    return shown


@contextmanager
def names_locked(data_dir: Path) -> Iterator[None]:
    """Let nobody else make, rename or remove a workspace in a data folder; makes the folder if need be.

    Raises
    ------
    WorkspaceError
        When the folder cannot be written.
    """
    lock = FileLock(data_dir / ".names.lock", thread_local=False)
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=_NAMES_WAIT)
    except Timeout:
        raise WorkspaceError(
            f"Another program is changing the workspaces in {data_dir}.",
            hint="Wait until it is done, then try again.",
        ) from None
    except OSError as error:
        raise WorkspaceError(
            f"The folder {data_dir} cannot be written: {error.strerror or error}.",
            hint="Choose another folder with LIGHTRAG_DATA_DIR, or change its permissions.",
        ) from error
    try:
        yield
    finally:
        lock.release()
