"""How long do the model-free parts of mix take in a large workspace?

    python -m benchmarks.mix_speed [PASSAGES]

Makes up passages whose words and entities are as unevenly frequent as in text, fifteen entities a passage,
and times what mix does besides embedding and looking up vectors: making the passage graph (once a revision),
linking and walking, the words, and explaining the ways. Medians over 30 questions, in
processor time.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

from lightrag_engine.language.builtin.detect import FUNCTION_WORDS
from lightrag_engine.retrieval.found import Found
from lightrag_engine.retrieval.mix import DEPTH, mix
from lightrag_engine.retrieval.passage_graph import Named, PassageGraph
from lightrag_engine.storage.sqlite import Database
from lightrag_engine.storage.words import WordIndex, Words

_ENTITIES, _WORDS, _QUESTIONS = 15, 90, 30


def milliseconds(work: Callable[[], object]) -> float:
    """Return the processor time of a piece of work, which depends less on what else the machine does."""
    started = time.process_time()
    work()
    return 1000 * (time.process_time() - started)


def main() -> None:
    """Make up, time and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("passages", nargs="?", type=int, default=10_000)
    count = parser.parse_args().passages
    random = np.random.default_rng(0)
    titles = {f"chunk-{n:06}": [f"Title {n}"] for n in range(count)}
    chunks = list(titles)
    # The entity of rank r is named in proportion to 1/r, as words are.
    named = np.minimum(random.zipf(1.3, count * _ENTITIES), 5 * count)
    places: dict[int, set[str]] = {}
    for entity, passage in zip(named.tolist(), np.repeat(np.arange(count), _ENTITIES).tolist(), strict=True):
        places.setdefault(entity, set()).add(chunks[passage])
    entities = [
        Named(f"name {n}", f"Name {n}", (f"Name {n}",), tuple(found)) for n, found in sorted(places.items())
    ]
    words = np.minimum(random.zipf(1.2, (count, _WORDS)), 10**6)
    graphs: list[PassageGraph] = []
    made = milliseconds(lambda: graphs.append(PassageGraph(entities, titles, FUNCTION_WORDS)))
    # As after one more document: all names are known by then.
    again = milliseconds(lambda: graphs.append(PassageGraph(entities, titles, FUNCTION_WORDS)))
    print(
        f"{count:,} passages, {len(entities):,} entities: passage graph made in {made:,.0f} ms, "
        f"at the next revision in {again:,.0f} ms"
    )
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "words.db")
        index = WordIndex(database)
        filled = milliseconds(
            lambda: index.put_many(
                {c: Words([], [f"w{w}" for w in row]) for c, row in zip(chunks, words.tolist(), strict=True)}
            )
        )
        print(f"words of all passages indexed in {filled:,.0f} ms (as they come in, once each)")
        walking, finding = [], []
        for number in range(_QUESTIONS):
            asked = f"Who met Name {number + 1} and Name {100 * number + 7} after Title {number}?"
            terms = [f"w{w}" for w in words[number, :12]]
            finding.append(milliseconds(partial(index.search, terms, DEPTH)))
            near = Found(chunks=tuple(chunks[number : number + 60]))
            walking.append(milliseconds(partial(mix, graphs[0], asked, near, near, near)))
        database.close()
    print(f"a question: words {median(finding):.1f} ms, linking to reasons {median(walking):.1f} ms")


if __name__ == "__main__":
    main()
