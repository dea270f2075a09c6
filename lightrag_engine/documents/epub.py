"""EPUB books: the chapters in reading order."""

from __future__ import annotations

import posixpath
import zipfile
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lightrag_engine.documents.clean import clean, has_words, one_line
from lightrag_engine.documents.content import Content
from lightrag_engine.documents.limits import Limits
from lightrag_engine.documents.packages import damaged, member, open_package
from lightrag_engine.documents.titles import markdown_title, sensible_title
from lightrag_engine.documents.web import decode_html, to_markdown
from lightrag_engine.errors import DocumentError

if TYPE_CHECKING:
    from lxml.etree import _Element

BOOK = "an EPUB book"
# Ways to hide fonts, no protection of the text.
_FONTS_ONLY = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def read_epub(data: bytes, name: str, limits: Limits) -> Content:
    """Read a book: what its spine lists, in that order, each chapter under its title.

    Raises
    ------
    DocumentError
        When it is not an EPUB book, damaged, or protected against copying (DRM).
    """
    with open_package(data, name, BOOK, limits) as archive:
        _check_protection(archive, name)
        path = _package_path(archive)
        package = member(archive, path)
        if package is None:
            raise damaged(name, BOOK)
        titles = _contents(archive, package, path)
        chapters, missing = [], 0
        for href in _spine(package, path):
            try:
                page = archive.read(href)
            except (KeyError, zipfile.BadZipFile):
                missing += 1
                continue
            text = clean(to_markdown(decode_html(page).text)[0]).strip()
            if not has_words(text):
                continue
            heading = titles.get(href, "")
            if heading and not text.startswith("#") and not text.startswith(heading):
                text = f"# {heading}\n\n{text}"
            chapters.append(text)
    text = "\n\n".join(chapters)
    lost = f"{missing:,} of its chapters {'is' if missing == 1 else 'are'} missing in the file"
    warnings = (lost,) if missing else ()
    title = package.findtext(".//{http://purl.org/dc/elements/1.1/}title") or ""
    return Content(text, sensible_title(title) or markdown_title(text), warnings=warnings)


def _check_protection(archive: zipfile.ZipFile, name: str) -> None:
    names = set(archive.namelist())
    encryption = member(archive, "META-INF/encryption.xml")
    methods = [] if encryption is None else encryption.findall(".//{*}EncryptionMethod")
    encrypted = any(str(method.get("Algorithm")) not in _FONTS_ONLY for method in methods)
    if encrypted or "META-INF/rights.xml" in names or "META-INF/license.lcpl" in names:
        raise DocumentError(
            f"{name} is protected against copying (DRM).",
            hint="Only the shop's own program can open it: use a copy without protection.",
        )


def _package_path(archive: zipfile.ZipFile) -> str:
    container = member(archive, "META-INF/container.xml")
    root = None if container is None else container.find(".//{*}rootfile")
    return "" if root is None else str(root.get("full-path"))


def _items(package: _Element, path: str) -> dict[str, tuple[str, _Element]]:
    """Return the manifest: each id with the path in the archive and its element."""
    return {
        str(item.get("id")): (_resolved(path, str(item.get("href"))), item)
        for item in package.findall("{*}manifest/{*}item")
    }


def _spine(package: _Element, path: str) -> list[str]:
    items = _items(package, path)
    references = [items.get(str(entry.get("idref"))) for entry in package.findall("{*}spine/{*}itemref")]
    found = [href for href, item in filter(None, references) if item.get("media-type") in _PAGES]
    return list(dict.fromkeys(found))


def _contents(archive: zipfile.ZipFile, package: _Element, path: str) -> dict[str, str]:
    """Return the title of each chapter by its path, from the table of contents of either version."""
    titles: dict[str, str] = {}
    for href, item in _items(package, path).values():
        if "nav" in str(item.get("properties")).split() and (nav := member(archive, href)) is not None:
            for link in nav.findall(".//{*}nav//{*}a"):
                _add(titles, _resolved(href, str(link.get("href"))), "".join(link.itertext()))
        elif item.get("media-type") == "application/x-dtbncx+xml":
            ncx = member(archive, href)
            for point in [] if ncx is None else ncx.findall(".//{*}navPoint"):
                content = point.find("{*}content")
                if content is not None:
                    label = point.findtext("{*}navLabel/{*}text") or ""
                    _add(titles, _resolved(href, str(content.get("src"))), label)
    return titles


def _add(titles: dict[str, str], href: str, title: str) -> None:
    # The first entry names the chapter; later ones in the same file name its sections.
    if title := one_line(title):
        titles.setdefault(href, title)


def _resolved(base: str, href: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(href.partition("#")[0])))
