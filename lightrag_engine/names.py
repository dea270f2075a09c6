"""Entity names: how they are cleaned on the way in, and how spellings fold together."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

MAX_NAME_LENGTH = 300

_QUOTES = "\"'`“”„‟‘’‚‛«»‹›「」『』《》〈〉"
_ARTICLE = re.compile(r"^(?:the|an|a)\s+(?=\S)")
# Characters that XML 1.0 forbids, that show nothing, or that turn the direction of what follows.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_SPACE_IN_CJK = re.compile(f"(?<=[{_CJK}]) +(?=[{_CJK}])")


# Every commit cleans and folds the names in the samples of the same hubs again.
@lru_cache(maxsize=20_000)
def clean_name(name: str) -> str:
    """Return a name as it is shown: NFC, one line, no invisible characters, no outer quotes.

    Examples
    --------
    >>> clean_name(' "Mara\\n Quill" ')
    'Mara Quill'
    >>> clean_name('Mara "Quickhand" Quill')
    'Mara "Quickhand" Quill'
    """
    text = _INVISIBLE.sub(" ", unicodedata.normalize("NFC", name))
    text = _SPACE_IN_CJK.sub("", " ".join(text.split()))
    return _strip_quotes(text)[:MAX_NAME_LENGTH].rstrip()


@lru_cache(maxsize=20_000)
def fold_name(name: str) -> str:
    """Return the key under which an entity is found, whatever its spelling.

    Unicode NFKC, case-folded, white space collapsed, outer quotes and leading English articles off.
    The empty string stands for a name of which nothing is left.

    Examples
    --------
    >>> fold_name("The  Brindle Valley FERRY") == fold_name("“Brindle valley ferry”")
    True
    >>> fold_name("ＡＢＣ－７")
    'abc-7'
    """
    # Case folding may denormalise ("İ") and NFKC may make new capitals, hence the second round.
    text = clean_name(unicodedata.normalize("NFKC", name))
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    text = _strip_quotes(" ".join(text.split()))
    return _strip_quotes(_ARTICLE.sub("", text))


def xml_text(text: str) -> str:
    """Return a text without the characters that XML 1.0 forbids."""
    return _NOT_XML.sub("", text)


def _strip_quotes(text: str) -> str:
    """Take off quotes that enclose the whole text; one quote that belongs to a word inside stays."""
    while len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES:
        inner = text[1:-1].strip()
        if not inner:
            return ""
        text = inner
    return "" if text in set(_QUOTES) else text


def content_id(prefix: str, *parts: str) -> str:
    """Return ``prefix-`` plus 32 hexadecimal digits of a hash of the parts: same parts, same id."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "replace")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return f"{prefix}-{digest.hexdigest()}"
