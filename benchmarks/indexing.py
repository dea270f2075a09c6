"""How long does indexing take, how much memory does it need, and where do both go?

    python -m benchmarks.indexing [FILE or FOLDER]… [--language builtin|double|all] [--hot]

Indexes text files into a new workspace, once with the built-in language and once with a chat model (the
scripted double of an Ollama server, in a process of its own that answers at once: what our side of a model's
work costs), each in a process of its own. By default the first stave of *A Christmas Carol* is read.

Stages are the states of a document, one document at a time. *Embed* is the time inside the embedding
model while vectors are written, *store* the rest of that: the vector index and its outbox. Processor seconds
are those of the process with all its threads; on a busy machine they say more than the clock. Peak memory is
the largest resident set within the stage, of 50 samples a second. ``--hot`` measures the built-in language
once more, under a profiler that counts processor time in every thread: the functions with the most time of
their own.
"""

from __future__ import annotations

import argparse
import cProfile
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import CodeType
from typing import Any

from rich.console import Console
from rich.table import Table

from lightrag_engine import LightRAG, Settings
from lightrag_engine.embedding.base import Role, Vectors
from lightrag_engine.embedding.builtin import BuiltinEmbedding
from lightrag_engine.records import DocumentState, IndexEvent

SAMPLE = Path(__file__).parent / "data" / "carol"
CONSOLE = Console()
_LANGUAGES = ("builtin", "double")
_STAGES = {
    DocumentState.READING: "read",
    DocumentState.CHUNKING: "chunk",
    DocumentState.EXTRACTING: "extract",
    DocumentState.MERGING: "merge",
    DocumentState.EMBEDDING: "store",
}
_SAMPLING = 0.02  # seconds
_HOTTEST = 12
Times = tuple[float, float]


def now() -> Times:
    """Return the clock and the processor time of this process, seconds."""
    return time.perf_counter(), time.process_time()


def resident() -> float:
    """Return the memory that this process has in RAM, MiB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 2**20


class Stopwatch:
    """Adds up clock, processor time and peak memory of the stages of documents that are read one by one."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self.peak: defaultdict[str, float] = defaultdict(float)
        self._stage, self._since = "open", now()
        self._stopped = threading.Event()
        self._sampler = threading.Thread(target=self._sample, daemon=True)
        self._sampler.start()

    def enter(self, stage: str) -> None:
        """Begin a stage; what came before it belongs to the one before."""
        at = now()
        for i in (0, 1):
            self.spent[self._stage][i] += at[i] - self._since[i]
        self._stage, self._since = stage, at

    def note(self, event: IndexEvent) -> None:
        """Take note of the state that the document is in now."""
        stage = _STAGES.get(event.status.state)
        if stage is not None and stage != self._stage:
            self.enter(stage)

    @contextmanager
    def within(self, stage: str) -> Iterator[None]:
        """A stage inside another one."""
        outer = self._stage
        self.enter(stage)
        try:
            yield
        finally:
            self.enter(outer)

    def stop(self) -> None:
        """Close the last stage."""
        self.enter("stopped")
        self._stopped.set()
        self._sampler.join()

    def _sample(self) -> None:
        while not self._stopped.wait(_SAMPLING):
            self.peak[self._stage] = max(self.peak[self._stage], resident())


class TimedEmbedding:
    """The built-in embedding model, its time taken apart."""

    name, dimensions = BuiltinEmbedding.name, BuiltinEmbedding.dimensions

    def __init__(self, watch: Stopwatch) -> None:
        self._model, self._watch = BuiltinEmbedding(), watch

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Embed, as the model does."""
        with self._watch.within("embed"):
            return await self._model.embed(texts, role)


def measured(files: Sequence[Path], language: str, host: str) -> tuple[Stopwatch, Any, str]:
    """Index the files; return the stopwatch, the counts, and the best-connected entities."""
    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            data_dir=Path(folder),
            language_model="ollama:well-behaved" if language == "double" else "builtin",
            ollama_host=host,
            documents_in_flight=1,
        )
        with LightRAG("benchmark", settings, embedding=TimedEmbedding(watch)) as rag:
            watch.enter("read")
            for file in files:
                rag.insert_files([file], on_event=watch.note)
            watch.stop()
            best = sorted(rag.graph.degree, key=lambda pair: (-pair[1], pair[0]))[:15]
            names = ", ".join(f"{rag.graph.nodes[key]['name']} ({n})" for key, n in best)
            return watch, rag.counts(), names


def report(files: Sequence[Path], language: str) -> None:
    """Measure one language in this process and print its table."""
    with _double() if language == "double" else _nobody() as host:
        watch, counts, best = measured(files, language, host)
    table = Table("stage", "processor s", "clock s", "peak MiB", title=f"language: {language}")
    total = [0.0, 0.0]
    for stage in ("open", "read", "chunk", "extract", "merge", "embed", "store"):
        clock, processor = watch.spent[stage]
        total = [total[0] + clock, total[1] + processor]
        peak = f"{watch.peak[stage]:,.0f}" if watch.peak[stage] else ""
        table.add_row(stage, f"{processor:.2f}", f"{clock:.2f}", peak)
    table.add_row("all", f"{total[1]:.2f}", f"{total[0]:.2f}", f"{max(watch.peak.values(), default=0):,.0f}")
    CONSOLE.print(table)
    characters = sum(len(file.read_text(encoding="utf-8", errors="replace")) for file in files)
    CONSOLE.print(
        f"{characters:,} characters, {counts.chunks:,} chunks → {counts.entities:,} entities, "
        f"{counts.relations:,} relations; best connected: {best}"
    )


def hottest(files: Sequence[Path]) -> None:
    """Print the functions with the most processor time of their own, over all threads."""
    profiles: list[cProfile.Profile] = []

    def begin(*_: object) -> None:
        profile = cProfile.Profile(time.thread_time)
        profiles.append(profile)
        profile.enable()

    threading.setprofile(begin)
    begin()
    measured(files, "builtin", "")
    profiles[0].disable()
    threading.setprofile(None)
    spent: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0])
    # Never disabled from here, which would end the calls of other threads with the time of this one.
    for entry in (entry for profile in profiles for entry in profile.getstats()):
        spent[_place(entry.code)][0] += entry.inlinetime
        spent[_place(entry.code)][1] += entry.callcount
    whole = sum(seconds for seconds, _ in spent.values())
    table = Table("function", "calls", "own s", "share", title="Where the processor time goes (builtin)")
    for name, (seconds, calls) in sorted(spent.items(), key=lambda item: -item[1][0])[:_HOTTEST]:
        table.add_row(name, f"{calls:,.0f}", f"{seconds:.2f}", f"{seconds / whole:.0%}")
    CONSOLE.print(table)


def _place(code: CodeType | str) -> str:
    if isinstance(code, str):
        return code.strip("<>")
    return f"{'/'.join(Path(code.co_filename).parts[-2:])}:{code.co_firstlineno} {code.co_name}"


@contextmanager
def _double() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.ollama_double", "--port", "0", "--first", "0", "--gap", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            line = server.stdout.readline() if server.stdout else ""
            yield line.split()[0]
        finally:
            server.terminate()


@contextmanager
def _nobody() -> Iterator[str]:
    yield ""


def text_files(places: Sequence[Path]) -> list[Path]:
    """Return the files, of folders the text files in them.

    Raises
    ------
    SystemExit
        When there is none.
    """
    files = [
        file for place in places for file in ([place] if place.is_file() else sorted(place.glob("*.txt")))
    ]
    return files or sys.exit(f"No text files in {', '.join(map(str, places))}.")


def main() -> None:
    """Print the tables; each measurement runs in a process of its own, so that memory is its own too."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "places", nargs="*", type=Path, default=[SAMPLE], help="text files, or folders of them"
    )
    parser.add_argument("--language", choices=[*_LANGUAGES, "all"], default="all")
    parser.add_argument("--hot", action="store_true", help="only the hottest functions")
    arguments = parser.parse_args()
    files = text_files(arguments.places)
    if arguments.hot:
        hottest(files)
    elif arguments.language != "all":
        report(files, arguments.language)
    else:
        for options in (*(["--language", name] for name in _LANGUAGES), ["--hot"]):
            command = [sys.executable, "-m", "benchmarks.indexing", *map(str, files), *options]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
