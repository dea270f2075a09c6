"""A workspace as one file: a zip archive of its snapshot, with a manifest that says what is in it.

An archive comes from anywhere. Nothing of it is trusted: names are from a short list of forms, sizes are
counted while they are unpacked, every file must be the one of which the manifest has the hash, and the
database must have the tables of this program and nothing else, no trigger and no view.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sqlite3
import time
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, BinaryIO, NoReturn

from pydantic import TypeAdapter

from lightrag_engine.errors import WorkspaceError
from lightrag_engine.language.prompts import FILE_NAME as PROMPTS
from lightrag_engine.storage.schema import MIGRATIONS, check_foreign
from lightrag_engine.storage.snapshot import ORIGINALS, Progress, vector_files
from lightrag_engine.storage.sqlite import DiskError, disk_refuses
from lightrag_engine.storage.workspace import DATABASE

FORMAT = "lightrag-workspace"
VERSION = 1
_MANIFEST = "manifest.json"
_ORIGINAL = re.compile(rf"(?:{'|'.join(ORIGINALS)})/[\w-][\w.-]{{0,199}}", re.ASCII)
_PIECE = 2**20


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an archive may hold: entries, bytes unpacked, and unpacked for each packed byte."""

    entries: int = 50_000
    size: int = 50 * 2**30
    ratio: int = 200
    # Below this a high ratio harms nobody.
    small: int = 64 * 2**20
    manifest: int = 32 * 2**20


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an archive says of itself; `files` gives the SHA-256 of each file by its name."""

    format: str
    version: int
    name: str
    created: float
    schema: int
    documents: int
    embedding: str
    dimensions: int
    files: dict[str, str]


_MANIFESTS = TypeAdapter(Manifest)


def write_archive(
    folder: Path, path: Path, *, name: str, documents: int, model: tuple[str, int], on_progress: Progress
) -> None:
    """Write the snapshot in a folder to an archive, all or nothing. `model` made the vectors.

    Raises
    ------
    OSError
        When it cannot be written; no file is left then.
    """
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    total, done = sum(file.stat().st_size for file in files), 0
    hashes: dict[str, str] = {}
    draft = path.with_name(f"{path.name}.part")
    try:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for file in files:
                entry = file.relative_to(folder).as_posix()
                hash_ = hashlib.sha256()
                with file.open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
                    while piece := source.read(_PIECE):
                        target.write(piece)
                        hash_.update(piece)
                        done += len(piece)
                        on_progress("Packing", done, total)
                hashes[entry] = hash_.hexdigest()
            manifest = Manifest(
                FORMAT, VERSION, name, time.time(), len(MIGRATIONS), documents, *model, files=hashes
            )
            archive.writestr(_MANIFEST, json.dumps(asdict(manifest), ensure_ascii=False, indent=1))
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def unpack_archive(
    source: Path | BinaryIO, folder: Path, on_progress: Progress, limits: Limits | None = None
) -> Manifest:
    """Unpack an archive into an empty folder and return its manifest.

    Raises
    ------
    WorkspaceError
        When it is no such archive, is damaged, too large, or was made by a newer program.
    """
    limits = limits or Limits()
    try:
        with zipfile.ZipFile(source) as archive:
            manifest = _manifest(archive, limits)
            _check_entries(archive, manifest, limits, shutil.disk_usage(folder).free)
            _unpack(archive, manifest, folder, on_progress)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        # The last two: packed in a way, or with a password, that this program does not read.
        _refuse(f"it is damaged, or no workspace archive ({error})", error)
    try:
        check_foreign(folder / DATABASE)
    except sqlite3.DatabaseError as error:
        if disk_refuses(error):
            raise DiskError(error) from error
        _refuse(f"its database is damaged ({error})", error)
    return manifest


def _manifest(archive: zipfile.ZipFile, limits: Limits) -> Manifest:
    try:
        info = archive.getinfo(_MANIFEST)
    except KeyError as error:
        _refuse("it is a zip file, but no workspace archive", error)
    if info.file_size > limits.manifest:
        _refuse("its manifest is too large")
    with archive.open(info) as file:
        data = file.read(limits.manifest + 1)
    try:
        value = json.loads(data)
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            _refuse("it is a zip file, but no workspace archive")
        # Looked at first: a newer manifest may have another form.
        if int(value["version"]) > VERSION or int(value["schema"]) > len(MIGRATIONS):
            raise WorkspaceError(
                "The archive was made by a newer version of this program.",
                hint="Update the program, then import it again. Nothing was created.",
            )
        return _MANIFESTS.validate_json(data, strict=True)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        _refuse("its manifest is damaged", error)


def _check_entries(archive: zipfile.ZipFile, manifest: Manifest, limits: Limits, room: int) -> None:
    entries = [info for info in archive.infolist() if info.filename != _MANIFEST]
    names = [info.filename for info in entries]
    if len(names) > limits.entries:
        _refuse(f"it holds {len(names):,} files, more than {limits.entries:,}")
    fixed = {DATABASE, PROMPTS, *vector_files()}
    for name in names:
        if name not in fixed and not _ORIGINAL.fullmatch(name):
            _refuse(f"it holds a file that does not belong into a workspace: {name[:80]!r}")
    if len(set(names)) != len(archive.infolist()) - 1 or set(names) != manifest.files.keys():
        _refuse("its files are not those of its manifest")
    needed = {DATABASE, *(vector_files() if manifest.embedding else ())}
    if missing := sorted(needed - set(names)):
        _refuse(f"{missing[0]} is missing")
    size = sum(info.file_size for info in entries)
    packed = sum(info.compress_size for info in entries)
    if size > limits.size or size > max(limits.small, packed * limits.ratio):
        _refuse(f"unpacked it would take {size / 1e9:,.1f} GB")
    if size > room:
        raise WorkspaceError(
            f"The archive takes {size / 1e9:,.1f} GB unpacked; only {room / 1e9:,.1f} GB are free.",
            hint="Make room on the disk that holds the workspaces. Nothing was created.",
        )


def _unpack(archive: zipfile.ZipFile, manifest: Manifest, folder: Path, on_progress: Progress) -> None:
    entries = [info for info in archive.infolist() if info.filename != _MANIFEST]
    total, done = sum(info.file_size for info in entries), 0
    for info in entries:
        target = folder / info.filename
        target.parent.mkdir(exist_ok=True)
        hash_ = hashlib.sha256()
        with archive.open(info) as source, target.open("xb") as file:
            for piece in _pieces(source, info.file_size):
                file.write(piece)
                hash_.update(piece)
                done += len(piece)
                on_progress("Unpacking", done, total)
        if hash_.hexdigest() != manifest.files[info.filename]:
            _refuse(f"{info.filename} is not the file it was")


def _pieces(source: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield what an entry unpacks to; one that is longer than it says is damaged, or a trap."""
    left = size
    while piece := source.read(_PIECE):
        left -= len(piece)
        if left < 0:
            _refuse("a file in it is larger than it says")
        yield piece


def _refuse(reason: str, cause: Exception | None = None) -> NoReturn:
    raise WorkspaceError(
        f"The archive cannot be imported: {reason}.",
        hint="Choose a file that was made by exporting a workspace. Nothing was created.",
    ) from cause
