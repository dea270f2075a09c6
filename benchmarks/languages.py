"""Does a question in English find the article that answers it in another language?

    python -m benchmarks.languages [FOLDER]

The thirty articles of the Universal Declaration of Human Rights, each a document of its own, in eight
languages, each a workspace of its own; one English question for every article (``QUESTIONS``). Recall at 1
and 5 by language and mode, with the built-in language and embeddings and default settings.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.question_sets import SAMPLES, Passage, indexed
from benchmarks.retrieval import passages_of
from lightrag_engine import MODES

DEPTHS = (1, 5)
# The Japanese text has one slip of the pen in a heading: 弟 for 第.
_HEADING = re.compile(
    r"^\s*((?:Article|Artikel|Статья|المادة|अनुच्छेद)\s+(?:premier|[\d०-९]+)|[第弟][\d０-９一二三四五六七八九十]+条)\W*$",
    re.MULTILINE,
)
# By the number of the article that answers them, from 1.
QUESTIONS = (
    "How should human beings treat one another, given that all are born free and with the same worth?",
    "May rights depend on race, language, religion or the status of a person's country?",
    "Who has the right to live and to be safe?",
    "May anybody keep slaves or trade in them?",
    "Is it allowed to torture prisoners or to punish them cruelly?",
    "Must the law recognise everybody as a person, wherever they are?",
    "Does the law protect all people equally against discrimination?",
    "What can I do at a court when my constitutional rights were violated?",
    "May somebody be locked up or expelled from the country arbitrarily?",
    "Who has a claim to a fair and open hearing before an independent court?",
    "Is an accused person innocent until guilt is proved in a public trial?",
    "Is my private life, my home and my mail protected against interference?",
    "May I move within a country, leave it and come back?",
    "Where can persecuted people seek asylum?",
    "Can somebody's citizenship be taken away?",
    "Who may marry and found a family, and must both spouses consent?",
    "May a person's property be taken away arbitrarily?",
    "May people change their religion and practise it with others?",
    "May I say my opinion freely and spread information through any medium?",
    "Can people be forced to join an association, and may they assemble peacefully?",
    "How do the people take part in government, and how must elections be held?",
    "Is there a right to social security?",
    "Is equal work paid equally, and may workers form trade unions?",
    "Is there a right to leisure and to paid holidays?",
    "What standard of living should everyone have: food, clothing, housing, medical care?",
    "Must elementary schooling be free and compulsory?",
    "Who may enjoy the arts and science, and are the interests of authors protected?",
    "Is everybody entitled to an international order in which these rights are realised?",
    "What duties does a person have towards the community, and what limits may the law set?",
    "May a state use this declaration to destroy the rights in it?",
)


def articles(path: Path) -> tuple[Passage, ...]:
    """Return the articles of a declaration, in order.

    Raises
    ------
    SystemExit
        When there are not as many as questions.
    """
    parts = _HEADING.split(path.read_text(encoding="utf-8"))[1:]
    found = tuple(
        Passage(
            f"{number}", parts[at], "\n".join(line.strip() for line in parts[at + 1].strip().splitlines())
        )
        for number, at in enumerate(range(0, len(parts), 2), start=1)
    )
    if len(found) != len(QUESTIONS):
        sys.exit(f"{path.name} has {len(found)} articles, not {len(QUESTIONS)}.")
    return found


def recalls(path: Path, console: Console) -> dict[str, dict[int, float]]:
    """Return the share of questions whose article is among the first k, by mode and k."""
    passages = articles(path)
    result = {}
    with indexed(passages, console) as rag:
        for mode in MODES:
            search = passages_of(rag, passages, mode)
            questions = track(QUESTIONS, f"{path.stem} {mode}", console=console, transient=True)
            found = [search(question) for question in questions]
            result[mode] = {
                k: fmean(str(n) in ids[:k] for n, ids in enumerate(found, start=1)) for k in DEPTHS
            }
    return result


def main() -> None:
    """Print a table of languages by modes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=SAMPLES / "udhr", help="the declarations")
    paths = sorted(parser.parse_args().folder.glob("*.txt"))
    console = Console()
    by_language = {path.stem: recalls(path, console) for path in paths}
    table = Table("language", *(f"{mode} @{k}" for mode in MODES for k in DEPTHS))
    for language, result in by_language.items():
        table.add_row(language, *(f"{result[mode][k]:.2f}" for mode in MODES for k in DEPTHS))
    if by_language:
        means = [fmean(r[mode][k] for r in by_language.values()) for mode in MODES for k in DEPTHS]
        table.add_row("mean", *(f"{value:.2f}" for value in means))
    console.print(table)


if __name__ == "__main__":
    main()
