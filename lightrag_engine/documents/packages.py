"""Formats that are a ZIP archive of XML files: Word, PowerPoint, Excel, EPUB."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from lightrag_engine.documents import sniffing
from lightrag_engine.documents.limits import Limits, beyond, human_size
from lightrag_engine.documents.titles import sensible_title
from lightrag_engine.errors import DocumentError

if TYPE_CHECKING:
    from lxml.etree import _Element

# An archive of some kilobytes can be made to unpack to gigabytes.
_MAX_GROWTH = 4
_TITLE = "{http://purl.org/dc/elements/1.1/}title"


def open_package(data: bytes, name: str, wanted: str, limits: Limits) -> zipfile.ZipFile:
    """Open a file of one of these formats; `wanted` is its name in `sniffing`, such as "a Word document".

    Raises
    ------
    DocumentError
        When it is something else, encrypted, damaged, or would unpack to too much.
    """
    kind = sniffing.kind_of(data)
    if kind == sniffing.OLD_OFFICE:
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise DocumentError(
                f"{name} is protected with a password.", hint="Save a copy without the password and add that."
            )
        raise DocumentError(
            f"{name} is in the old binary Office format.",
            hint="Save it as .docx, .xlsx, .pptx or PDF and add that.",
        )
    if kind != wanted:
        if zipfile.is_zipfile(io.BytesIO(data)) or kind != sniffing.ZIP:
            hint = (
                "Rename it to .txt."
                if kind == sniffing.TEXT
                else "Give the file the extension of its format."
            )
            raise DocumentError(f"{name} is not {wanted}: it holds {kind}.", hint=hint)
        raise damaged(name, wanted)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError) as error:
        raise damaged(name, wanted) from error
    unpacked, most = (
        sum(member.file_size for member in archive.infolist()),
        _MAX_GROWTH * limits.max_file_bytes,
    )
    if unpacked > most:
        raise beyond(
            f"{name} would unpack to {human_size(unpacked)}; at most {human_size(most)} are read.",
            "max_file_bytes",
            "Save it anew without large pictures",
        )
    return archive


def damaged(name: str, wanted: str) -> DocumentError:
    """Return the error of a file that is what its name says, but broken."""
    return DocumentError(
        f"{name} is damaged: it cannot be read as {wanted}.",
        hint="Open it in the program it was made with, save it anew and add that.",
    )


def parse(xml: bytes) -> _Element:
    """Parse XML from outside: no entities, no network, libxml2's bounds on depth and length in force.

    Raises
    ------
    lxml.etree.XMLSyntaxError
    """
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    return etree.fromstring(xml, parser)


def member(archive: zipfile.ZipFile, path: str) -> _Element | None:
    """Return an optional part, parsed; None when it is missing or broken, for the text does not need it."""
    from lxml import etree

    try:
        return parse(archive.read(path))
    except (KeyError, zipfile.BadZipFile, etree.XMLSyntaxError, NotImplementedError, RuntimeError):
        return None


def core_title(archive: zipfile.ZipFile) -> str:
    """Return the title of an Office file's properties, "" when there is none."""
    root = member(archive, "docProps/core.xml")
    return "" if root is None else sensible_title(root.findtext(_TITLE) or "")
