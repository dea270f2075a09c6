"""ZIP archives and e-mails with attachments: one file that holds several documents."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from lightrag_engine.documents import mail
from lightrag_engine.documents.content import Content
from lightrag_engine.documents.formats import FORMATS, kind_text
from lightrag_engine.documents.limits import Limits, beyond, human_size
from lightrag_engine.documents.names import safe_name, suffix_of
from lightrag_engine.documents.text import decode
from lightrag_engine.errors import DocumentError
from lightrag_engine.uploads import Upload

EXPANDED = frozenset({".zip", ".eml"})
# What systems put into archives beside the files of a person.
_JUNK_FOLDERS, _JUNK_FILES = {"__MACOSX", ".git"}, {".DS_Store", "Thumbs.db", "desktop.ini"}
_UTF8_NAME, _ENCRYPTED = 0x800, 0x1
# Small things may shrink a lot: a table of zeros is no bomb.
_RATIO_FREE = 10 * 2**20
_OFFICE = {"word/document.xml": ".docx", "ppt/presentation.xml": ".pptx", "xl/workbook.xml": ".xlsx"}
_OFFICE |= {"META-INF/container.xml": ".epub"}


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file inside an archive that is not read, and why in a few words."""

    name: str
    reason: str


class Archive:
    """What is inside one file that was given; the limits count for it and all archives within together."""

    def __init__(self, upload: Upload, limits: Limits) -> None:
        self._upload, self._limits = upload, limits
        self._files = 0
        self._bytes = 0

    def documents(self) -> Iterator[Upload | Skipped]:
        """Yield the documents inside, one after the other, and what is left out.

        An e-mail is itself the first of its documents. Nothing is written anywhere, so that the paths inside
        an archive lead nowhere.

        Raises
        ------
        DocumentError
            When the archive is damaged, encrypted, beyond a limit, or holds nothing that can be read. The
            check is made before the first document is given, except in what nested archives add.
        """
        found = skipped = 0
        for item in self._inside(self._upload, 0):
            found, skipped = found + isinstance(item, Upload), skipped + isinstance(item, Skipped)
            yield item
        if not found:
            files = "its only file cannot" if skipped == 1 else f"none of its {skipped:,} files can"
            what = f"{files} be read" if skipped else "it is empty"
            raise DocumentError(
                f"No document found in {safe_name(self._upload.name)}: {what}.",
                hint="Put files of supported formats into it.",
            )

    def _inside(self, upload: Upload, depth: int) -> Iterator[Upload | Skipped]:
        inside = self._zip if _ending(upload.name) == ".zip" else self._mail
        for name, data in inside(upload):
            if isinstance(data, Skipped):
                yield data
            elif _ending(name) in EXPANDED and data is not upload.data:
                yield from self._nested(Upload(name, data), depth + 1)
            else:
                yield Upload(name, data)

    def _nested(self, upload: Upload, depth: int) -> Iterator[Upload | Skipped]:
        if depth > self._limits.max_archive_depth:
            yield Skipped(upload.name, "nested too deep (setting max_archive_depth)")
            return
        try:
            yield from self._inside(upload, depth)
        except DocumentError as error:
            yield Skipped(upload.name, str(error).rstrip("."))

    def _mail(self, upload: Upload) -> Iterator[tuple[str, bytes | Skipped]]:
        yield upload.name, upload.data
        try:
            message = mail.parse(upload.data, upload.name)
        except DocumentError:
            return  # said when the message itself is read
        for attachment in mail.attachments(message):
            # The message itself names attachments that are of no supported format.
            if _ending(attachment.name) in FORMATS:
                try:
                    self._count(1, len(attachment.data), safe_name(upload.name))
                except DocumentError as error:
                    yield attachment.name, Skipped(attachment.name, str(error).rstrip("."))
                    return
                yield attachment.name, attachment.data

    def _zip(self, upload: Upload) -> Iterator[tuple[str, bytes | Skipped]]:
        name = safe_name(upload.name)
        with _opened(upload.data, name) as archive:
            members = [one for one in archive.infolist() if not one.is_dir() and not _junk(one.filename)]
            self._check(members, upload, name)
            paths = _paths(members)
            for one, shown in zip(members, _shown(paths), strict=True):
                reason = self._reason(one, shown)
                if not reason:
                    try:
                        yield shown, archive.read(one)
                        continue
                    except NotImplementedError:
                        reason = "compressed in a way that cannot be unpacked here"
                    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError):
                        reason = "damaged"
                yield shown, Skipped(shown, reason)

    def _reason(self, one: zipfile.ZipInfo, shown: str) -> str:
        """Return why a file is left out, "" when it is read."""
        ending = _ending(shown)
        if ending and ending not in FORMATS:
            return f"{kind_text(ending)} files are not supported"
        if one.flag_bits & _ENCRYPTED:
            return "encrypted"
        if one.file_size > self._limits.max_file_bytes:
            return f"larger than {human_size(self._limits.max_file_bytes)} (setting max_file_bytes)"
        return ""

    def _check(self, members: list[zipfile.ZipInfo], upload: Upload, name: str) -> None:
        if members and all(one.flag_bits & _ENCRYPTED for one in members):
            raise DocumentError(f"{name} is protected with a password.", hint="Unpack it, and add its files.")
        unpacked = sum(one.file_size for one in members)
        ratio = unpacked // max(1, len(upload.data))
        if unpacked > _RATIO_FREE and ratio > self._limits.max_archive_ratio:
            raise beyond(
                f"{name} would unpack to {ratio:,} times its size; at most "
                f"{self._limits.max_archive_ratio:,} times is unpacked.",
                "max_archive_ratio",
                "Unpack it yourself and add its files",
            )
        self._count(len(members), unpacked, name)

    def _count(self, files: int, size: int, name: str) -> None:
        self._files, self._bytes = self._files + files, self._bytes + size
        limits = self._limits
        if self._files > limits.max_archive_files:
            raise beyond(
                f"{name} holds {self._files:,} files; at most {limits.max_archive_files:,} are taken.",
                "max_archive_files",
                "Split it",
            )
        if self._bytes > limits.max_archive_bytes:
            raise beyond(
                f"{name} would unpack to {human_size(self._bytes)}; at most "
                f"{human_size(limits.max_archive_bytes)} are unpacked.",
                "max_archive_bytes",
                "Split it",
            )


def read_archive(data: bytes, name: str, limits: Limits) -> Content:
    """Refuse an archive as a document, with the reason why it could not be taken apart.

    Raises
    ------
    DocumentError
        Always: documents are what is inside, see `Archive`.
    """
    for item in Archive(Upload(name, data), limits).documents():
        if isinstance(item, Upload):
            break
    raise DocumentError(
        f"{name} is an archive of several documents.",
        hint="Add it as a file, or unpack it and add its files.",
    )


def _opened(data: bytes, name: str) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, OverflowError) as error:
        raise DocumentError(
            f"{name} is damaged, or no ZIP archive.", hint="Pack the files anew, or add them one by one."
        ) from error
    for member, ending in _OFFICE.items():
        if member in archive.namelist():
            raise DocumentError(
                f"{name} is not an archive of documents, but one document.", hint=f"Rename it to {ending}."
            )
    return archive


def _ending(name: str) -> str:
    return suffix_of(safe_name(name)).lower()


def _junk(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return (
        not parts
        or bool(_JUNK_FOLDERS & set(parts))
        or parts[-1] in _JUNK_FILES
        or parts[-1].startswith("._")
    )


def _paths(members: list[zipfile.ZipInfo]) -> list[str]:
    """Return the paths inside. Without the mark for UTF-8 they may be in any old encoding."""
    paths = []
    for one in members:
        path = one.filename
        if not one.flag_bits & _UTF8_NAME and not path.isascii():
            path = decode(path.encode("cp437", "replace")).text
        paths.append(path.replace("\\", "/"))
    return paths


def _shown(paths: list[str]) -> list[str]:
    """Return the names to show: the last part; where two are the same, with the folder in front."""
    names = [safe_name(path) for path in paths]
    count = Counter(names)
    parents = [PurePosixPath(path).parent.name for path in paths]
    return [
        safe_name(f"{parent} - {name}") if count[name] > 1 and parent not in ("", "..") else name
        for name, parent in zip(names, parents, strict=True)
    ]
