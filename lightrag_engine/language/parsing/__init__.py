"""Reading what a chat model replied: tolerant of every way in which small models miss a format.

Nothing here raises on any text, and a record that is well formed is never lost to a damaged neighbour.
"""

from lightrag_engine.language.parsing.delimited import parse_records
from lightrag_engine.language.parsing.delimiters import Delimiters
from lightrag_engine.language.parsing.json_reply import parse_json
from lightrag_engine.language.parsing.keywords import ParsedKeywords, parse_keywords
from lightrag_engine.language.parsing.reasoning import strip_reasoning
from lightrag_engine.language.parsing.reply import ParsedReply, Repair
from lightrag_engine.language.parsing.report import sentence

__all__ = [
    "Delimiters",
    "ParsedKeywords",
    "ParsedReply",
    "Repair",
    "parse_json",
    "parse_keywords",
    "parse_records",
    "parse_reply",
    "sentence",
    "strip_reasoning",
]


def parse_reply(
    text: str, source_id: str = "", prefer: str = "json", delimiters: Delimiters | None = None
) -> ParsedReply:
    """Read an extraction reply in the format that was asked for, else in the other one.

    Parameters
    ----------
    text
        The reply; a reasoning block in front is taken off.
    source_id
        Id of the chunk, written into every record.
    prefer
        ``"json"`` or ``"records"``. A model that ignores the request often answers well in the other format.
    delimiters
        Those that the prompt asked for.
    """
    as_json = prefer == "json"
    first = parse_json(text, source_id) if as_json else parse_records(text, source_id, delimiters)
    if first.records or (first.complete and not first.truncated):
        return first
    second = parse_records(text, source_id, delimiters) if as_json else parse_json(text, source_id)
    return second if second.records or second.complete else first
