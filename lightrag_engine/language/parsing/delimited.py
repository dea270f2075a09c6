"""The record format: fields, records and a whole reply, each with a delimiter, all of them often damaged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lightrag_engine.language.parsing.delimiters import END, FIELD, RECORD, Delimiters, mark
from lightrag_engine.language.parsing.fields import QUOTES, is_number, read_keywords, unquote
from lightrag_engine.language.parsing.reasoning import strip_reasoning
from lightrag_engine.language.parsing.reply import Collector, ParsedReply, Repair

_OPENERS, _CLOSERS = "(（[{【", ")）]}】"
_OPEN, _CLOSE = re.escape(_OPENERS), re.escape(_CLOSERS)
_ENTITY = r"entity|entities|entité|entidad|entität|сущность|实体|實體"
_RELATION = r"relationship|relationships|relation|relations|edge|relación|beziehung|关系|關係"
_THEMES = r"content[_ ]keywords?|high[_ ]level[_ ]keywords?|内容关键词"
_KIND = rf"(?:(?P<entity>{_ENTITY})|(?P<relation>{_RELATION})|(?P<themes>{_THEMES}))"
# A record begins with its kind, right before a field delimiter, and at a place where a record can begin: at a
# bracket, in a new line, or in quotes after another record. A field that happens to be the word "entity", or
# a description that ends with it, stands at none of these.
_START = re.compile(
    rf"(?:(?P<open>[{_OPEN}])[ *_`{QUOTES}]*"
    rf"|(?:^|(?<=[\n{RECORD}{END}]))[ >*_`#•·–\-\d.){QUOTES}]*"
    rf"|(?<=[{_CLOSE}{QUOTES}])[ ,;，；]+[{QUOTES}][*_{QUOTES}]*)"
    rf"{_KIND}[{QUOTES}*_]* ?[:：]? ?{FIELD}",
    re.IGNORECASE,
)
_NEXT = rf"[{_OPEN}](?:[ *_`{QUOTES}]*(?:{_ENTITY}|{_RELATION}|{_THEMES})|[\"“„「『＂]\w)"
# A line that goes on in lower case belongs to a description that holds line breaks.
_BOUNDARY = rf" ?[,;，；]? ?(?:\s*(?:[{RECORD}{END}]|##)|\n(?!(?-i:[a-zß-ÿ]))|$|{_NEXT})"
_STRENGTH = rf"(?:[{QUOTES}]-?\d+(?:[.,]\d+)?[{QUOTES}]|-?\d+(?:[.,]\d+)?)"
# Where a record stops: behind brackets after a quote, behind a strength, behind brackets before a delimiter
# or another record, before a delimiter, behind a quote before a blank line, a heading or a list item.
_STOP = re.compile(
    rf"(?<=[{QUOTES}])(?<!{FIELD}[{QUOTES}]) ?[{_CLOSE}]+(?={_BOUNDARY})"
    rf"|(?<={FIELD}) ?{_STRENGTH} ?(?:[{_CLOSE}](?={_BOUNDARY})|(?=\s*(?:[{RECORD}{END}\n]|$)))"
    rf"|[{_CLOSE}]+(?=\s*(?:[{RECORD}{END}]|$|\n+[ *>#•\-\d.]*{_NEXT}))"
    rf"|(?=\s*[{RECORD}{END}])"
    rf"|(?<=[{QUOTES}])(?=\n\n|\n[*#\-•`\d])",
    re.IGNORECASE,
)
# The fields without which an unclosed last record is half a record.
_FULL = {"entity": 3, "relation": 4, "themes": 1}
_SENTENCE_END = re.compile(r"[.!?。！？…]$")


@dataclass(frozen=True, slots=True)
class _Raw:
    """The fields of a record before they are read; `finished` when something shows where it ends."""

    kind: str
    fields: tuple[str, ...]
    bracketed: bool
    finished: bool


def parse_records(text: str, source_id: str = "", delimiters: Delimiters | None = None) -> ParsedReply:
    """Read a reply in the record format.

    Reading ends at the completion delimiter, unless records follow it at once (some models write it after
    the entities and again after the relations). Without that delimiter, a last record that nothing closes
    is half a record and dropped.

    Parameters
    ----------
    text
        The reply; a reasoning block in front is taken off.
    source_id
        Id of the chunk, written into every record.
    delimiters
        Those that the prompt asked for; the usual ones and their damaged forms are understood as well.
    """
    answer, _ = strip_reasoning(text)
    marked, damaged = mark(answer, delimiters or Delimiters())
    body, complete = _until_completion(marked)
    raws = list(_split(body))
    collector = Collector(source_id)
    collector.repairs[Repair.DELIMITER] += damaged
    truncated = False
    for number, raw in enumerate(raws, start=1):
        if number == len(raws) and not (complete or raw.finished):
            truncated = True
            collector.repairs[Repair.HALF] += 1
        else:
            _take(collector, raw)
    return collector.reply(truncated=truncated, complete=complete)


def _until_completion(text: str) -> tuple[str, bool]:
    kept: list[str] = []
    rest = text
    while True:
        at = _find_end(rest)
        if at < 0:
            # What follows the last delimiter is chatter, unless it begins with a record.
            follows = not kept or _begins_with_record(rest)
            return RECORD.join([*kept, rest] if follows else kept).replace(END, " "), bool(kept)
        if kept and not _begins_with_record(rest):
            return RECORD.join(kept).replace(END, " "), True
        kept.append(rest[:at])
        rest = rest[at + 1 :]


def _begins_with_record(text: str) -> bool:
    return _START.match(text.lstrip(f" \n{RECORD}")) is not None


def _find_end(text: str) -> int:
    """Return where the completion delimiter stands, -1 if nowhere; in a sentence it is only talked about."""
    for match in re.finditer(END, text):
        before = text[: match.start()].rstrip(" \n")
        after = text[match.end() : match.end() + 1]
        if not before or not before[-1].isalpha() or after in ("", "\n", RECORD, END, "`"):
            return match.start()
    return -1


def _split(text: str) -> Iterator[_Raw]:
    starts = list(_START.finditer(text))
    yield from _without_kind(text[: starts[0].start()] if starts else text)
    for number, start in enumerate(starts):
        end = starts[number + 1].start() if number + 1 < len(starts) else len(text)
        body = text[start.end() : end]
        kind = "entity" if start["entity"] else "relation" if start["relation"] else "themes"
        # The strength rule looks back at the delimiter in front of it, so the body keeps one.
        stop = _STOP.search(FIELD + body)
        cut = stop.end() - 1 if stop else len(body)
        fields, closed = _fields(body[:cut])
        finished = bool(stop) or (_is_closed(fields[-1]) and len(fields) >= _FULL[kind])
        yield _Raw(kind, fields, bool(start["open"]) and closed, finished)
        yield from _without_kind(body[cut:])


def _without_kind(text: str) -> Iterator[_Raw]:
    """Yield records whose first field was left out: ``("Mara Quill"<|>"person"<|>"Founder")``."""
    if FIELD not in text:
        return
    for piece in re.split(rf"[{RECORD}\n]+", text):
        piece = piece.strip(" ,;*-•")
        if FIELD not in piece or piece[0] not in f"{_OPENERS}{QUOTES}":
            continue
        fields, _ = _fields(piece[1:] if piece[0] in _OPENERS else piece)
        if len(fields) == 3 and not is_number(fields[2]):
            yield _Raw("entity?", fields, True, True)
        elif len(fields) in (4, 5) and is_number(fields[-1]):
            yield _Raw("relation?", fields, True, True)


def _fields(body: str) -> tuple[tuple[str, ...], bool]:
    """Return the fields of a record, and whether a bracket closes it."""
    fields = [field.strip() for field in body.split(FIELD)]
    last = fields[-1].split("\n\n")[0].strip(f" \n{RECORD}")
    bare = last.rstrip(_CLOSERS + " ")
    if last[:1] in QUOTES and bare and bare[-1] in QUOTES:
        return (*fields[:-1], bare), bare != last
    closed = False
    # A closing bracket that no bracket opens inside the field belongs to the record.
    while last and last[-1] in _CLOSERS and _count(last, _CLOSERS) > _count(last, _OPENERS):
        last = last[:-1].rstrip()
        closed = True
    while len(fields) > 1 and not last:
        fields.pop()
        last = fields[-1]
    return (*fields[:-1], last), closed


def _count(text: str, characters: str) -> int:
    return sum(character in characters for character in text)


def _is_closed(field: str) -> bool:
    """Whether a last field ends as one does: with its quote, as a number, or, unquoted, with its sentence."""
    if field[:1] in QUOTES and field[:1]:
        return len(field) > 1 and field[-1] in QUOTES
    return is_number(field) or _SENTENCE_END.search(field) is not None


def _take(collector: Collector, raw: _Raw) -> None:
    kind, fields = raw.kind.rstrip("?"), raw.fields
    if raw.kind.endswith("?"):
        collector.repairs[Repair.KIND] += 1
    elif not raw.bracketed and kind != "themes":
        collector.repairs[Repair.BRACKET] += 1
    if kind == "entity":
        _take_entity(collector, fields)
    elif kind == "relation":
        _take_relation(collector, fields)
    else:
        collector.keywords(word for field in fields for word in read_keywords(field))


def _take_entity(collector: Collector, fields: tuple[str, ...]) -> None:
    name, *rest = fields
    if len(rest) > 2:
        collector.repairs[Repair.SURPLUS] += 1
        if is_number(rest[-1]):
            rest.pop()
    if len(rest) == 1 and len(unquote(rest[0]).split()) > 3:
        rest.insert(0, "")
    kind = rest[0] if rest else ""
    collector.entity(name, kind, " ".join(unquote(part) for part in rest[1:]))


def _take_relation(collector: Collector, fields: tuple[str, ...]) -> None:
    source, target, *rest = (*fields, "")[: max(2, len(fields))]
    numbers = [at for at, field in enumerate(rest) if at and is_number(field)]
    weight = rest[numbers[-1]] if numbers else None
    before = rest[: numbers[-1]] if numbers else rest
    after = rest[numbers[-1] + 1 :] if numbers else []
    # Description and keywords stand before the strength; with the last two swapped, the keywords after it.
    keywords = before.pop() if len(before) > 1 else after[0] if after else ""
    if len(rest) > 3:
        collector.repairs[Repair.SURPLUS] += 1
    description = " ".join(unquote(part) for part in before)
    if is_number(description) and description:
        description = ""
    collector.relation(source, target, description, keywords, weight)
