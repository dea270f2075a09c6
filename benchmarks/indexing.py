"""How long does indexing take, and where does the time go?

    python benchmarks/indexing.py FILE…

Indexes the files into a new workspace with the built-in models and prints seconds by stage, counts, peak
memory of the process, and the best-connected entities. Stages are the states of a document; with several
files the stages of one overlap with those of others, so their sum may exceed the whole.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from lightrag_engine import LightRAG, Settings
from lightrag_engine.records import DocumentState, IndexEvent


class Stopwatch:
    """Adds up how long documents are in each state."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._since: dict[str, tuple[DocumentState, float]] = {}

    def note(self, event: IndexEvent) -> None:
        """Take note of the state a document is in now."""
        now, status = time.perf_counter(), event.status
        state, since = self._since.get(status.id, (status.state, now))
        self.seconds[state] += now - since
        self._since[status.id] = (status.state, now)


def main() -> None:
    """Index and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    files = parser.parse_args().files
    watch = Stopwatch()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), language_model="builtin", embedding_model="builtin")
        with LightRAG("benchmark", settings) as rag:
            opened = time.perf_counter()
            statuses = rag.insert_files(files, on_event=watch.note)
            done = time.perf_counter()
            counts, graph = rag.counts(), rag.graph
    console = Console()
    stages = Table("stage", "seconds")
    for state in DocumentState:
        if state.active and watch.seconds[state] >= 0.05:
            stages.add_row(state.value, f"{watch.seconds[state]:.1f}")
    stages.add_row("opening the workspace", f"{opened - started:.1f}")
    stages.add_row("all", f"{done - started:.1f}")
    console.print(stages)
    characters = sum(file.stat().st_size for file in files)
    console.print(
        f"{characters:,} bytes, {sum(s.tokens for s in statuses):,} tokens, {counts.chunks:,} chunks → "
        f"{counts.entities:,} entities, {counts.relations:,} relations"
    )
    console.print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")
    best = sorted(graph.degree, key=lambda pair: (-pair[1], pair[0]))[:20]
    console.print("best connected: " + ", ".join(f"{graph.nodes[key]['name']} ({n})" for key, n in best))


if __name__ == "__main__":
    main()
