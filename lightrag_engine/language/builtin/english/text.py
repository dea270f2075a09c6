"""Raw chunk -> blocks of running text that a parser can read, each character knowing where it came from.

Line breaks are either layout (hard-wrapped prose) or structure (headings, lists, tables, verse). Joining the
first and cutting at the second is what keeps names from spanning a break.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from lightrag_engine.language.builtin.english.lexicon import words as word_list

# Longer paragraphs are cut: the parser's memory grows with the length of a text.
MAX_BLOCK = 5_000
_MARKER = re.compile(r"\s*(?:#{1,6}\s+|[-*+•‣◦▪–]\s+|\(?\d{1,3}[.)]\s+|>\s*|\|)+")
_HEADING = re.compile(r"\s*#{1,6}\s")
# Lines are wrapped at no more than about so many characters; one that ends before this share of it was ended.
_WIDTH = 80
_ROOMY = 0.7
_FUNCTION_WORDS = word_list(
    "a an the of in on at to for by with from and or but as is was are were that his her its"
)
_NUMBERED = re.compile(
    r"\s*(?:chapter|stave|part|section|book|act|scene|appendix|volume|canto)\s+(?:[ivxlcdm]+|\d+)\b", re.I
)
_ENDED = re.compile(r"[.!?:;。！？][\"'”’)\]]*\s*$")
# Emphasis marks, link targets and table bars are not part of the prose.
_NOISE = re.compile(r"\]\((?:https?:|/|#)[^)\s]*\)|(?<![A-Za-z0-9])_+|_+(?![A-Za-z0-9])|[*`]+|^\s*\||\|\s*$")
# The row of dashes under the head of a Markdown table.
_RULED = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?)?\s*")
_SHOUTED = re.compile(r"\b[A-Z]{4,}\b")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of clean text. ``offsets[i]`` is where its character ``i`` stands in the chunk."""

    text: str
    offsets: tuple[int, ...]
    heading: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str
    marked: bool
    heading: bool
    table: bool


def blocks(content: str) -> list[Block]:
    """Cut a chunk into blocks of clean text.

    Parameters
    ----------
    content
        Any string.

    Returns
    -------
    list of Block
        Non-empty blocks in the order of the text; single spaces between words, no control characters.

    Examples
    --------
    >>> [block.text for block in blocks("# Oslo\\nOslo is the\\ncapital of _Norway_.")]
    ['Oslo', 'Oslo is the capital of Norway.']
    """
    lines = list(_lines(content))
    spoken = _spoken_forms(content)
    found: list[Block] = []
    for group in _groups(lines):
        heading = group[0].heading
        pairs = [pair for line in group for pair in _clean(line)]
        found.extend(_block(part, heading, spoken) for part in _parts(_collapse(pairs)))
    return found


def _lines(content: str) -> Iterator[_Line]:
    start = 0
    raws = content.splitlines(keepends=True)
    for raw, following in zip(raws, [*raws[1:], ""], strict=False):
        if _RULED.fullmatch(raw) or ("|" in raw and _RULED.fullmatch(following)):
            # The head of a table names its columns, nothing that the text speaks of.
            yield _Line(start, "", True, False, True)
            start += len(raw)
            continue
        marker = _MARKER.match(raw)
        offset = marker.end() if marker else 0
        body = raw[offset:]
        letters = [c for c in body if c.isalpha()]
        shouted = len(letters) > 1 and len(body.strip()) <= 80 and all(c.isupper() for c in letters)
        numbered = bool(_NUMBERED.match(raw)) and len(body.strip()) <= 80 and not _ENDED.search(body)
        heading = bool(_HEADING.match(raw)) or shouted or numbered
        yield _Line(start + offset, body, marker is not None, heading, body.count("|") + body.count("\t") > 1)
        start += len(raw)


def _groups(lines: list[_Line]) -> Iterator[list[_Line]]:
    """Gather lines that belong to one paragraph, list item, heading or table row."""
    for blank, paragraph in groupby(lines, key=lambda line: not line.text.strip()):
        if not blank:
            yield from _split(list(paragraph))


def _split(paragraph: list[_Line]) -> Iterator[list[_Line]]:
    width = min(max(len(line.text.rstrip()) for line in paragraph), _WIDTH)
    group: list[_Line] = []
    for line in paragraph:
        if group and _breaks(group[-1], line, width):
            yield group
            group = []
        group.append(line)
    yield group


def _breaks(before: _Line, line: _Line, width: int) -> bool:
    if line.marked or line.table or before.table or line.heading != before.heading:
        return True
    if before.heading:
        return True
    # The next word would have had room, and it has a capital or is a number: a list, an address or verse.
    ended = before.text.rstrip()
    words = line.text.split()
    roomy = len(ended) + 1 + len(words[0]) < _ROOMY * width
    last = ended.split()[-1].casefold()
    open_ended = ended.endswith(",") or last in _FUNCTION_WORDS
    return roomy and not open_ended and not _ENDED.search(ended) and not words[0][0].islower()


def _clean(line: _Line) -> Iterator[tuple[str, int]]:
    """Yield the characters of a line with their offsets, markup left out, dashes set apart."""
    skip = {i for match in _NOISE.finditer(line.text) for i in range(*match.span())}
    for i, char in enumerate(line.text):
        at = line.start + i
        if i in skip:
            continue
        if char == "|":
            yield from ((",", at), (" ", at))
        elif char == "-" and line.text[i + 1 : i + 2] == "-" and line.text[i - 1 : i] != "-":
            yield from ((" ", at), (char, at))
        elif char == "-" and i and line.text[i - 1] == "-" and line.text[i + 1 : i + 2] != "-":
            yield from ((char, at), (" ", at))
        elif char.isspace() or unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
            yield " ", at
        else:
            yield char, at
    yield " ", line.start + len(line.text)


def _collapse(pairs: list[tuple[str, int]]) -> list[tuple[str, int]]:
    kept: list[tuple[str, int]] = []
    for char, at in pairs:
        if char != " " or (kept and kept[-1][0] != " "):
            kept.append((char, at))
    while kept and kept[-1][0] == " ":
        kept.pop()
    return kept


def _parts(pairs: list[tuple[str, int]]) -> Iterator[list[tuple[str, int]]]:
    while len(pairs) > MAX_BLOCK:
        cut = next((i for i in range(MAX_BLOCK, MAX_BLOCK // 2, -1) if pairs[i][0] == " "), MAX_BLOCK)
        yield pairs[:cut]
        pairs = pairs[cut + 1 :] if pairs[cut][0] == " " else pairs[cut:]
    if pairs:
        yield pairs


def _spoken_forms(content: str) -> dict[str, str]:
    """Map words in capitals to the case they have elsewhere: MARLEY -> Marley; acronyms stay."""
    words = set(re.findall(r"\b[^\W\d_]+\b", content))
    shouted = (word for word in words if _SHOUTED.fullmatch(word))
    forms = ((word, form) for word in shouted for form in (word.lower(), word.capitalize()) if form in words)
    return dict(forms)


def _block(pairs: list[tuple[str, int]], heading: bool, spoken: dict[str, str]) -> Block:
    text = "".join(char for char, _ in pairs)
    text = _SHOUTED.sub(lambda match: spoken.get(match.group(), match.group()), text)
    return Block(text, tuple(at for _, at in pairs), heading)
