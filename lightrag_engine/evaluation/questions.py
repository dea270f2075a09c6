"""Question sets: read from lines or a table, and checking answers and sources by what is expected."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from lightrag_engine.documents.clean import clean
from lightrag_engine.documents.text import decode
from lightrag_engine.errors import QueryError
from lightrag_engine.records import SourceText

MOST_QUESTIONS = 2000
_SEVERAL = "|"
_COLUMNS = {
    "question": ("question", "questions", "query", "q", "frage", "问题"),
    "expected": (
        "expected",
        "answer",
        "answers",
        "expected answer",
        "expected_answer",
        "ground_truth",
        "答案",
    ),
    "passages": ("passage", "passages", "evidence", "source", "sources", "document", "documents", "context"),
}
_LIST_MARK = re.compile(r"^\s*(?:[-*•]|\d{1,4}[.)、])\s+")
_WORD = re.compile(r"[^\W_]+")
_DENSE = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")
# A passage counts as found where a source holds this share of its words.
_MOSTLY = 0.9


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a set. An answer should hold each text of `expected`.

    The sources should hold each of `passages`: a piece of text, the name of a document, or a chunk's id.
    """

    text: str
    expected: tuple[str, ...] = ()
    passages: tuple[str, ...] = ()


def read_questions(given: str | bytes) -> tuple[Question, ...]:
    """Return the questions of a CSV table or of plain lines, each question once.

    A table has a heading row with ``question`` and, if wanted, ``expected`` and ``passages``; several in
    one cell are parted by ``|``. Commas, semicolons and tabs part cells. Otherwise every line is a question.

    Raises
    ------
    QueryError
        When there is no question, or there are too many.
    """
    text = clean(decode(given).text if isinstance(given, bytes) else given).strip()
    rows = _table(text)
    questions = (
        [Question(_LIST_MARK.sub("", line).strip()) for line in text.splitlines()] if rows is None else rows
    )
    distinct: dict[str, Question] = {}
    for question in questions:
        if question.text:
            distinct.setdefault(question.text, question)
    if not distinct:
        raise QueryError(
            "There is no question in it.",
            hint="Write one question a line, or a CSV table with a column called question.",
        )
    if len(distinct) > MOST_QUESTIONS:
        raise QueryError(
            f"{len(distinct):,} questions are more than the {MOST_QUESTIONS:,} of one set.",
            hint="Make several sets of them.",
        )
    return tuple(distinct.values())


def questions_csv(questions: Sequence[Question]) -> str:
    """Return questions as a table that `read_questions` reads back."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    writer.writerows(
        [question.text, _SEVERAL.join(question.expected), _SEVERAL.join(question.passages)]
        for question in questions
    )
    return out.getvalue()


def _table(text: str) -> list[Question] | None:
    heading = text.split("\n", 1)[0]
    for delimiter in (",", ";", "\t"):
        names = [cell.strip().casefold() for cell in next(csv.reader([heading], delimiter=delimiter), [])]
        places = {
            column: [i for i, name in enumerate(names) if name in known] for column, known in _COLUMNS.items()
        }
        if places["question"]:
            break
    else:
        return None
    found = []
    try:
        for row in list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))[1:]:
            cells = {column: [row[i] for i in where if i < len(row)] for column, where in places.items()}
            question = " ".join("".join(cells["question"][:1]).split())
            found.append(Question(question, _parts(cells["expected"]), _parts(cells["passages"])))
    except csv.Error as error:
        raise QueryError(
            f"The table of questions cannot be read: {error}.", hint="Save it as CSV with UTF-8 text."
        ) from None
    return found


def _parts(cells: Sequence[str]) -> tuple[str, ...]:
    parts = (part.strip() for cell in cells for part in cell.split(_SEVERAL))
    return tuple(dict.fromkeys(part for part in parts if part))


def held(answer: str, expected: Sequence[str]) -> float | None:
    """Return which share of the expected texts an answer holds; None when nothing is expected.

    Case, punctuation, width and spacing do not matter; whole words do.

    Examples
    --------
    >>> held("It was **Mara Quill**, in 1921.", ["mara quill", "Tobias"])
    0.5
    """
    return sum(_holds(answer, part) for part in expected) / len(expected) if expected else None


def recall(sources: Sequence[SourceText], passages: Sequence[str]) -> float | None:
    """Return which share of the passages stand in the sources; None when none are known."""
    if not passages:
        return None
    return sum(any(_is_in(source, passage) for source in sources) for passage in passages) / len(passages)


def _is_in(source: SourceText, passage: str) -> bool:
    if passage == source.chunk_id or passage.casefold() == source.document.casefold():
        return True
    if _holds(source.content, passage):
        return True
    words = set(_words(passage).split())
    return len(words) >= 4 and len(words & set(_words(source.content).split())) >= _MOSTLY * len(words)


def _holds(text: str, part: str) -> bool:
    wanted = _words(part)
    if not wanted:
        return False
    if _DENSE.search(wanted):
        return wanted.replace(" ", "") in _words(text).replace(" ", "")
    return f" {wanted} " in f" {_words(text)} "


def _words(text: str) -> str:
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
