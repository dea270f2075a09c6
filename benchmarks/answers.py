"""Does the built-in answer hold the right answer, and how long is it?

    python -m benchmarks.answers [FOLDER] [--mode MODE …]

Asks the questions of every set in FOLDER that has answers (by default the small samples in
``benchmarks/data``), with the built-in language and embeddings and default settings. An answer holds the
right one when that, or an alias, occurs in it once both are normalised as SQuAD does: case, punctuation and
articles do not count. A yes or no counts only when the answer begins with it. "In the first five" counts the
questions for which one of the first five sources holds the right answer.
"""

from __future__ import annotations

import argparse
import re
import string
from pathlib import Path
from statistics import fmean, median

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.question_sets import SAMPLES, Question, find_sets, indexed
from lightrag_engine import MODES, QueryParam
from lightrag_engine.answering import plain_text

_CITATION = re.compile(r"\[\d+\]")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> str:
    """Return a text in lower case without punctuation, articles and extra space."""
    bare = text.casefold().translate(_PUNCTUATION)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


def holds(answer: str, question: Question) -> bool:
    """Whether an answer (Markdown) holds one of the right answers, as whole words."""
    said = f" {normalised(_CITATION.sub('', plain_text(answer)))} "
    right = [normalised(text) for text in question.answers]
    if {"yes", "no"}.intersection(right):
        return any(said.startswith(f" {text} ") for text in right)
    return any(f" {text} " in said for text in right if text)


def main() -> None:
    """Print a row for every set and mode."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=SAMPLES, help="folder of question sets")
    parser.add_argument("--mode", nargs="+", choices=MODES, default=["naive", "hybrid", "mix"])
    arguments = parser.parse_args()
    console = Console()
    table = Table("set", "mode", "questions", "held", "in the first five", "tokens, median", "mean")
    for data in find_sets(arguments.folder):
        asked = [question for question in data.questions if question.answers]
        if not asked:
            continue
        with indexed(data.passages, console) as rag:
            for mode in arguments.mode:
                questions = track(asked, f"{data.name} {mode}", console=console, transient=True)
                answers = [rag.query(question.text, QueryParam(mode=mode)) for question in questions]
                pairs = list(zip(answers, asked, strict=True))
                held = fmean(holds(answer.text, question) for answer, question in pairs)
                within = fmean(
                    any(holds(row.content, question) for row in answer.context.source_rows[:5])
                    for answer, question in pairs
                )
                lengths = [answer.answer_tokens for answer in answers]
                cells = (f"{held:.2f}", f"{within:.2f}", f"{median(lengths):.0f}", f"{fmean(lengths):.0f}")
                table.add_row(data.name, mode, str(len(asked)), *cells)
    console.print(table)


if __name__ == "__main__":
    main()
