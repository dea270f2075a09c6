"""How often is a statement that a document bears out, or does not, told as such?

    python -m benchmarks.support

Takes the statements of ``benchmarks/data/support/statements.tsv`` about documents of ``data/samples`` for
answers that were given the whole document, with the built-in embedding model: half of them say what the
document says in other words, half are invented about the same people and things. All were written for this.
"""

from __future__ import annotations

import asyncio
import csv
from pathlib import Path

from rich.console import Console
from rich.table import Table

from lightrag_engine import Answer, Keywords
from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.embedding.builtin import BuiltinEmbedding
from lightrag_engine.evaluation.once import EmbeddedOnce
from lightrag_engine.evaluation.support import SHARED, SentenceSupport, support
from lightrag_engine.language.builtin.detect import spoken
from lightrag_engine.records import SourceText
from lightrag_engine.retrieval.context import Context

STATEMENTS = Path("benchmarks/data/support/statements.tsv")
SAMPLES = Path("data/samples")


async def told(
    model: EmbeddingModel, statements: Path = STATEMENTS
) -> list[tuple[str, bool, SentenceSupport]]:
    """Return of every statement its language, whether it is borne out, and what was found."""
    once = EmbeddedOnce(model)
    found = []
    with statements.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            text = (SAMPLES / row["document"]).read_text(encoding="utf-8")
            sources = (SourceText(1, text, row["document"], "", "chunk", "document"),)
            statement = row["statement"]
            answer = Answer(statement, "", "naive", "", Keywords(), Context("naive", source_rows=sources))
            (one,) = await support(answer, once)
            found.append((spoken(statement), row["supported"] == "yes", one))
    return found


def main() -> None:
    """Print the shares by language."""
    table = Table("language", "statements", "borne out: told so", "invented: told so", "by words alone")
    found = asyncio.run(told(BuiltinEmbedding()))
    for language in (*sorted({language for language, _, _ in found}), ""):
        mine = [(right, one) for spoken_in, right, one in found if language in ("", spoken_in)]
        borne_out = [one for right, one in mine if right]
        invented = [one for right, one in mine if not right]
        table.add_row(
            language or "all",
            str(len(mine)),
            f"{sum(one.supported for one in borne_out)} of {len(borne_out)}",
            f"{sum(not one.supported for one in invented)} of {len(invented)}",
            f"{sum(one.overlap >= SHARED for one in borne_out)} of {len(borne_out)}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
