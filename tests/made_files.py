"""Files of many formats, made as tests need them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from typing import Any

import docx
from openpyxl import Workbook


def make_zip(members: Mapping[str, bytes | str]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target.getvalue()


def changed_zip(data: bytes, members: Mapping[str, bytes | str]) -> bytes:
    """Return an archive with some members replaced or added."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return make_zip({name: archive.read(name) for name in archive.namelist()} | dict(members))


def make_docx(title: str = "", heading: str = "The Ferry", text: str = "Mara_Quill * founded it.") -> bytes:
    word = docx.Document()
    word.core_properties.title = title
    if heading:
        word.add_heading(heading, 1)
    word.add_paragraph(text).add_run(" Tobias Renn").bold = True
    word.add_paragraph("coal", style="List Bullet")
    table = word.add_table(2, 2)
    for row, cells in zip(table.rows, [("Port", "Fee"), ("Ansel", "4 crowns")], strict=True):
        for cell, value in zip(row.cells, cells, strict=True):
            cell.text = value
    target = io.BytesIO()
    word.save(target)
    return target.getvalue()


def make_xlsx(
    sheets: Mapping[str, Sequence[Sequence[Any]]],
    formats: Mapping[str, str] | None = None,
    hidden: Sequence[str] = (),
) -> bytes:
    """`formats` gives number formats by cell of the first sheet."""
    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
        if title in hidden:
            sheet.sheet_state = "hidden"
    for cell, number_format in (formats or {}).items():
        book.worksheets[0][cell].number_format = number_format
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile '
    'full-path="OEBPS/book.opf"/></rootfiles></container>'
)


def epub_members(chapters: Mapping[str, str], order: Sequence[str], contents: str = "") -> dict[str, str]:
    """Return the parts of a book: `chapters` by file name, `order` the spine, `contents` links of the nav."""
    items = "".join(
        f'<item id="{name}" href="text/{name}" media-type="application/xhtml+xml"/>' for name in chapters
    )
    spine = "".join(f'<itemref idref="{name}"/>' for name in order)
    return {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": (
            '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f"<metadata><dc:title>The Ferry Book</dc:title></metadata><manifest>{items}"
            '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
            f"</manifest><spine>{spine}</spine></package>"
        ),
        "OEBPS/nav.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><nav>{contents}</nav></html>',
        **{f"OEBPS/text/{name}": text for name, text in chapters.items()},
    }


def make_mail(
    text: str = "Tobias Renn met her.",
    subject: str = "The ferry",
    attachments: Mapping[str, bytes] | None = None,
    html: str = "",
) -> bytes:
    message = EmailMessage()
    message["From"], message["To"] = "Mara Quill <mara@example.invalid>", "renn@example.invalid"
    message["Subject"], message["Date"] = subject, "Fri, 03 May 2024 10:00:00 +0200"
    if text:
        message.set_content(text)
    if html:
        message.add_alternative(html, subtype="html") if text else message.set_content(html, subtype="html")
    for name, data in (attachments or {}).items():
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()
