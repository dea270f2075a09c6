"""E-mail files: who wrote what to whom, the text of the message, and what is attached."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage, Message

from lightrag_engine.documents import formats, sniffing
from lightrag_engine.documents.clean import clean, has_words, one_line
from lightrag_engine.documents.content import Content
from lightrag_engine.documents.limits import Limits
from lightrag_engine.documents.names import safe_name, suffix_of
from lightrag_engine.documents.text import decode
from lightrag_engine.documents.titles import shorten
from lightrag_engine.documents.web import to_markdown
from lightrag_engine.errors import DocumentError

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
# Attached messages have no name of a file.
_ENDINGS = {"message/rfc822": ".eml", "application/pdf": ".pdf", "text/html": ".html", "text/plain": ".txt"}


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file attached to a message."""

    name: str
    data: bytes


def read_mail(data: bytes, name: str, limits: Limits) -> Content:
    """Read a message: its headers, then its text; HTML only where there is no plain text.

    Attachments are listed. Those that can be read become documents of their own when the file is added.

    Raises
    ------
    DocumentError
        When it is not an e-mail.
    """
    message = parse(data, name)
    subject = header(message, "Subject")
    lines = [f"{key}: {text}" for key in _HEADERS if (text := header(message, key))]
    attached = [attachment.name for attachment in attachments(message)]
    if attached:
        lines.append(f"Attachments: {', '.join(attached)}")
    text = clean("\n".join(lines) + "\n\n" + _body(message)).strip()
    unread = [one for one in attached if suffix_of(one).lower() not in formats.SUPPORTED]
    warnings = (f"attachments that are not read: {', '.join(unread)}",) if unread else ()
    return Content(text, shorten(subject), warnings=warnings)


def parse(data: bytes, name: str) -> EmailMessage:
    """Parse a message.

    Raises
    ------
    DocumentError
        When the bytes do not begin with the headers of a message.
    """
    kind = sniffing.kind_of(data)
    if kind != sniffing.TEXT:
        raise DocumentError(
            f"{name} is {kind}, not an e-mail.", hint="Give the file the extension of its format."
        )
    message = email.message_from_bytes(data.lstrip(), policy=email.policy.default)
    if not isinstance(message, EmailMessage) or not any(key.title() in _HEADERS for key in _names(message)):
        raise DocumentError(
            f"{name} is not an e-mail: it has no From, To, Date or Subject.",
            hint="Save the message as .eml in the mail program, or rename the file to .txt.",
        )
    return message


def header(message: Message, name: str) -> str:
    """Return a header in one line, "" when it is missing; one that breaks the rules comes as it stands."""
    try:
        value = message[name]
    except Exception:  # noqa: BLE001 - the library's header parser fails in many ways on malformed headers
        value = next((text for key, text in message.raw_items() if key.lower() == name.lower()), "")
    return one_line(str(value or ""))


def attachments(message: EmailMessage) -> Iterator[Attachment]:
    """Yield the files attached; pictures that belong to the HTML text are none."""
    for number, part in enumerate(_parts(message), start=1):
        kind = part.get_content_type()
        given = _file_name(part)
        if kind == "message/rfc822":
            inner = part.get_payload()
            inner = inner[0] if isinstance(inner, list) and inner else None
            if isinstance(inner, Message):
                subject = header(inner, "Subject") or f"message {number}"
                yield Attachment(_named(given or f"{subject[:80]}.eml", ".eml"), inner.as_bytes())
        elif part.get_content_disposition() == "attachment" or (
            given and part.get_content_disposition() != "inline"
        ):
            payload = part.get_payload(decode=True)
            if isinstance(payload, bytes):
                yield Attachment(_named(given or f"attachment {number}", _ENDINGS.get(kind, "")), payload)


def _parts(message: Message) -> Iterator[Message]:
    """Yield the parts of a message, not those of messages attached to it."""
    waiting: list[Message] = [message]
    while waiting:
        part = waiting.pop()
        payload = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(payload, list):
            waiting.extend(reversed([inner for inner in payload if isinstance(inner, Message)]))
        elif part is not message:
            yield part


def _body(message: EmailMessage) -> str:
    plain, html = "", ""
    for part in [message] if not message.is_multipart() else _parts(message):
        if part.get_content_disposition() == "attachment" or _file_name(part):
            continue
        if part.get_content_type() == "text/plain" and not has_words(plain):
            plain = _text(part)
        elif part.get_content_type() == "text/html" and not html:
            html = _text(part)
    return plain if has_words(plain) or not html else to_markdown(html)[0]


def _text(part: Message) -> str:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset()
    try:
        return data.decode(charset) if charset else decode(data).text
    except (LookupError, UnicodeError, ValueError):
        return decode(data).text


def _file_name(part: Message) -> str:
    try:
        return safe_name(found) if (found := part.get_filename()) else ""
    except Exception:  # noqa: BLE001 - as for headers
        return ""


def _named(name: str, ending: str) -> str:
    name = safe_name(name)
    return name if suffix_of(name) or not ending else name + ending


def _names(message: Message) -> list[str]:
    return [key for key, _ in message.raw_items()]
