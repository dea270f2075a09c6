"""Plain text and Markdown: bytes in any common encoding → clean text."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from lightrag_engine.documents import sniffing
from lightrag_engine.documents.clean import clean
from lightrag_engine.documents.content import Content
from lightrag_engine.documents.limits import Limits
from lightrag_engine.documents.titles import first_line_title, markdown_title
from lightrag_engine.errors import DocumentError

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WESTERN = ("cp1252", "cp1250")
# In order of preference among guesses that fit equally well; without the DOS, Mac and mainframe pages that
# charset-normalizer would also try and that short texts often seem to fit.
_LEGACY = (
    "gb18030", "cp932", "big5", "cp949", "euc_jp", "big5hkscs",
    "cp1251", "koi8_r", "cp1252", "cp1250", "cp1253", "cp1254", "cp1255", "cp1256", "cp874",
)  # fmt: skip
_SAMPLE = 64 * 1024
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, the encoding it was in, and how many characters could not be decoded (they are U+FFFD)."""

    text: str
    encoding: str
    damaged: int = 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence for a person when characters were lost."""
        if not self.damaged:
            return ()
        characters = "1 character" if self.damaged == 1 else f"{self.damaged:,} characters"
        return (f"{characters} could not be decoded as {self.encoding.upper()} and shown as \ufffd",)


def read_text(data: bytes, name: str, limits: Limits) -> Content:
    """Read plain text or Markdown.

    Raises
    ------
    DocumentError
        When the bytes are not text.
    """
    kind = sniffing.kind_of(data)
    if kind != sniffing.TEXT:
        raise DocumentError(f"{name} is {kind}, not text.", hint="Give the file the extension of its format.")
    decoded = decode(data)
    text = clean(decoded.text)
    title = markdown_title(text) or first_line_title(text)
    return Content(text, title, encoding=decoded.encoding, warnings=decoded.warnings)


def decode(data: bytes) -> Decoded:
    """Decode bytes: by byte order mark, else UTF-8, else the most plausible legacy encoding.

    A few bad bytes cost a character each, not the file: text that is otherwise UTF-8 stays UTF-8.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _decode_as(data[len(bom) :], encoding)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _decode_as(data, sniffing.utf16_without_bom(data) or _guess(data))


def _decode_as(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(data.decode(encoding), encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
        return Decoded(text, encoding, text.count("\ufffd"))


def _guess(data: bytes) -> str:
    """Return the most plausible encoding of bytes that are not valid UTF-8."""
    good = len(_MULTIBYTE.findall(data))
    bad = data.decode("utf-8", "replace").count("\ufffd")
    # Legacy double-byte text forms valid UTF-8 sequences too, by chance, but never mostly.
    if good > 2 * bad:
        return "utf-8"
    runs = _HIGH_RUN.findall(data[:_SAMPLE])
    isolated = sum(len(run) == 1 for run in runs)
    if isolated >= 0.9 * len(runs):
        # Single accented letters or quotes among ASCII: a Western page, never an Asian one.
        few = bad <= max(1, len(data) // 200)
        if few:
            return "cp1252" if _fits(data, "cp1252") else "utf-8"
        return _best(data, _WESTERN) or "latin-1"
    return _best(data, _LEGACY) or "utf-8"


def _best(data: bytes, candidates: tuple[str, ...]) -> str:
    """Return the candidate that decodes everything and reads best, "" when none does."""
    possible = [encoding for encoding in candidates if _fits(data, encoding)]
    if len(possible) < 2:
        return "".join(possible)
    ranked = []
    for match in from_bytes(data[:_SAMPLE], cp_isolation=possible):
        for encoding in match.could_be_from_charset:
            if encoding in possible:
                # Differences of disorder below a hundredth say nothing in short texts.
                rank = (round(match.chaos, 2), -round(match.coherence, 1), possible.index(encoding))
                ranked.append((rank, encoding))
    return min(ranked)[1] if ranked else possible[0]


def _fits(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
