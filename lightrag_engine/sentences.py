"""Splitting text of any language into sentences: by marks and lines, without a model, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

LONGEST = 600
LONGEST_DENSE = 160  # scripts without spaces say in one character what others say in four
_SHORTEST_SHARE = 0.4  # an overlong run is cut in its second part, where a clause ends


class Span(NamedTuple):
    """A part of a text: character offsets, `end` exclusive."""

    start: int
    end: int


_CLOSERS = "\"'”’»)\\]）】」』》〉＂*_"
_CANDIDATE = re.compile(
    rf"(?P<full>[。！？｡．؟۔।॥։።។။]+)[{_CLOSERS}]*+|(?P<mark>[.!?…]+)[{_CLOSERS}]*+|(?P<line>\n\s*)"
)
_BLANK_LINE = re.compile(r"\n[^\S\n]*+\n\s*")
_DENSE = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]"
)
_MARKED_LINE = re.compile(
    r"[#|>•*–—-]\s|\||#{1,6}\s|\d{1,3}[.)]\s|[(（]?[一二三四五六七八九十]{1,3}[、）)]|第.{1,4}[条章回节節條]"
)
# "column: value", as the rows of tables, the heads of letters and the lines of plays begin.
_LABELLED_LINE = re.compile(r"[^\W_][^:;.!?。\n]{0,38}: ")
_LIST_NUMBER = re.compile(r"[\s>*_#(]*[0-9ivxIVX]{1,4}")
_CLAUSE_ENDS = (re.compile(r"[;；:：,，、】]\s*|(?=【)"), re.compile(r"\s"))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Never the end of a sentence, for a name follows.
_TITLES = _words(
    "mr mrs ms mx dr prof st ste mme mlle sr sra srta gen col maj capt cpt cdr lt sgt cpl pvt adm rev "
    "fr hon gov sen rep pres amb supt insp messrs cf vs viz approx ca eg ie bzw vgl hr hrn frl ggf evtl "
    "sog inkl exkl zb dh str им ул ст см напр тел avd dvs feat mt ft"
)
# Not the end when a number follows.
_NUMBERED = _words("no nos nr fig figs vol vols p pp ed eds ch sec art abs bd kl bl tel sect")
# May end a sentence; then the next one begins with one of the words below.
_STARTERS = _words(
    "the a an he she it they we you i his her its their our this that these those there here in on at "
    "by for from after before when while if as but and or so however although since during with who "
    "what where why how no yes not then der die das ein eine er sie es wir im in und aber doch le la "
    "les un une il elle ils nous dans el los las una en pero он она оно они мы в на и но "
)
_ABBREVIATIONS = _words(
    "inc ltd co corp bros dept univ assn est jan feb mar apr jun jul aug sep sept oct nov dec mon tue "
    "al wed thu fri sat sun etc usw jr phd md esq gmbh mwst jh jhd dez okt mai гг тыс млн млрд руб др "
)
_MONTHS = _words(
    "januar jänner februar märz april mai juni juli august september oktober november dezember "
    "jahrhundert januari februari mars maj augusti september oktober december desember ledna února "
    "března dubna května června července srpna září října listopadu prosince tammikuuta helmikuuta "
    "maaliskuuta "
)
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)*[^\W\d_]|(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")
_LAST_TOKEN = re.compile(r"[^\s(\[\"“«'’]*$")
_FIRST_WORD = re.compile(r"[\s\"“”«'‘(\[¿¡*_]*(\w*)")


def split_sentences(text: str) -> list[Span]:
    """Return the sentences of a text, in order and without the white space around them.

    Sentences end at the marks of many scripts, at blank lines, and at line breaks that were meant: a line
    that ends although the next word would have fitted, a heading, a list item, a table row. Lines wrapped
    at a fixed width are joined. Abbreviations ("Dr.", "U.S."), initials and ordinals do not end sentences.
    What has no such mark is cut at clause ends, after at most `LONGEST` characters (`LONGEST_DENSE` in
    scripts without spaces).

    Returns
    -------
    list of Span
        Every character that is not white space lies in exactly one span.

    Examples
    --------
    >>> text = "Dr. Quill came. She left!"
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['Dr. Quill came.', 'She left!']
    """
    spans: list[Span] = []
    start = 0
    for end in _ends(text):
        spans.extend(_pieces(text, start, end))
        start = end
    return spans


def sentence_texts(text: str) -> list[str]:
    """Return the sentences of a text as literal parts of it."""
    return [text[start:end] for start, end in split_sentences(text)]


def _ends(text: str) -> Iterator[int]:
    """Yield the offsets at which sentences end, the text's own end last."""
    start = 0
    for blank in _BLANK_LINE.finditer(text):
        yield from _ends_in_block(text, start, blank.start())
        start = blank.end()
    yield from _ends_in_block(text, start, len(text))


def _ends_in_block(text: str, start: int, stop: int) -> Iterator[int]:
    """Yield the sentence ends of a block without blank lines."""
    block = text[start:stop]
    width = max(len(line.strip()) for line in block.split("\n"))
    line_start = 0
    for match in _CANDIDATE.finditer(block):
        at = match.end()
        if match["full"]:
            yield start + at
        elif match["mark"]:
            if _mark_ends(block, line_start, match):
                yield start + at
        else:
            if _line_ends(block, line_start, match, width):
                yield start + match.start()
            line_start = match.end()
    yield stop


def _mark_ends(block: str, line_start: int, match: re.Match[str]) -> bool:
    """Decide whether ``.``, ``!``, ``?`` or ``…`` ends a sentence here."""
    at = match.end()
    following = block[at : at + 40]
    if not following:
        return True
    if not following[0].isspace():
        return match["mark"] != "." and _DENSE.match(following) is not None
    word = _first_word(following)
    if word[:1].islower():
        return False
    if match["mark"] != ".":
        return True
    token = _last_token(block, match.start())
    folded = token.casefold()
    if not token or folded in _TITLES:
        return not token
    if folded in _NUMBERED and word[:1].isdigit():
        return False
    if token.isdigit():
        is_item = (
            _LIST_NUMBER.fullmatch(block[max(line_start, match.start() - 12) : match.start()]) is not None
        )
        at_start = match.start() - line_start <= 12
        return not (is_item and at_start) and not (len(token) <= 2 and word.casefold() in _MONTHS)
    if folded in _ABBREVIATIONS or _DOTTED.fullmatch(token):
        return word.casefold() in _STARTERS and not _DENSE.match(word)
    return True


def _line_ends(block: str, line_start: int, match: re.Match[str], width: int) -> bool:
    """Decide whether a line break was meant, or only wraps a line at the block's width."""
    line = block[line_start : match.start()].strip()
    following = block[match.end() : match.end() + 40]
    if not line or not following:
        return True
    if "\u3000" in match[0] or line.startswith(("#", "|")) or _MARKED_LINE.match(following):
        return True
    if len(line) > LONGEST_DENSE and not _DENSE.match(line):
        return True  # nobody wraps lines this long
    if " | " in line or (_LABELLED_LINE.match(line) and _LABELLED_LINE.match(following)):
        return True
    word = 1 if _DENSE.match(following) else len(following.split(None, 1)[0])
    fits = len(line) + 1 + word <= 0.8 * width
    return fits and not (_first_word(following)[:1].islower() and len(line) > 0.5 * width)


def _last_token(block: str, end: int) -> str:
    found = _LAST_TOKEN.search(block[max(0, end - 16) : end])
    return found[0] if found else ""


def _first_word(following: str) -> str:
    found = _FIRST_WORD.match(following)
    return found[1] if found else ""


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the stretch without outer white space, cut at clause ends where it is too long."""
    start, end = _trim(text, start, end)
    while start < end:
        longest = LONGEST_DENSE if _DENSE.search(text, start, min(end, start + 20)) else LONGEST
        if end - start <= longest:
            yield Span(start, end)
            return
        cut = _last_clause_end(text, start + int(longest * _SHORTEST_SHARE), start + longest)
        yield Span(*_trim(text, start, cut))
        start, _ = _trim(text, cut, end)


def _last_clause_end(text: str, earliest: int, latest: int) -> int:
    for pattern in _CLAUSE_ENDS:
        ends = [clause.end() for clause in pattern.finditer(text, earliest, latest)]
        if ends:
            return ends[-1]
    return latest


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    return start, max(start, end - (len(part) - len(part.rstrip())))
