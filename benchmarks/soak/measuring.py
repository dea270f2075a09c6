"""The soak itself, the same for every system: what is measured, and when.

Needs nothing but the standard library and NumPy, for it also runs in the environment of the reference
implementation. Seconds are those of the processor wherever a table says so: they depend little on what else a
machine does.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import statistics
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from benchmarks.soak import corpus

DIMENSIONS = 384
MODES = ("naive", "local", "global", "hybrid", "mix")
_QUESTIONS = 60
_DELETES = 5
_STEP = 100  # documents at most; after each the figures are told
_MB = 2**20


class System(Protocol):
    """What is soaked."""

    @property
    def calls(self) -> int:
        """Requests to the language model so far."""
        ...

    def insert(self, texts: Sequence[str]) -> None:
        """Index documents and wait until they are done."""
        ...

    def delete(self, text: str) -> None:
        """Delete the document with this text and wait."""
        ...

    def retrieve(self, mode: str, question: str, low: list[str], high: list[str]) -> int:
        """Return the length of the context of a question whose keywords are known."""
        ...

    def close(self) -> None:
        """Close it."""
        ...


@dataclass(frozen=True)
class Growth:
    """After so many chunks: processor-seconds a hundred chunks of the last step, memory, disk."""

    chunks: int
    seconds: float
    peak_mb: float
    disk: float


@dataclass
class Figures:
    """All that is measured. Times in seconds; `retrieval` gives median and 95 % by mode."""

    text_mb: float = 0.0
    growth: list[Growth] = field(default_factory=list)
    reopen_seconds: float = 0.0
    reopen_wall: float = 0.0
    delete_seconds: float = 0.0
    delete_wall: float = 0.0
    delete_calls: float = 0.0
    disk_after_deletes: float = 0.0
    retrieval: dict[str, tuple[float, float]] = field(default_factory=dict)


def embed(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return unit vectors of the hashed first twelve words: the name of an entity is near to a question."""
    rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word in re.findall(r"\w+", text[:120].casefold())[:12]:
            row[zlib.crc32(word.encode()) % DIMENSIONS] += 1
            # A little of its own for every text, or equal names would be equal vectors.
        row += np.random.default_rng(zlib.crc32(text.encode())).normal(0, 0.02, DIMENSIONS)
        row /= np.linalg.norm(row)
    return rows


def run(open_system: Callable[[Path], System], name: str) -> None:
    """Run the soak as a program and print the figures as JSON; progress goes to the error stream."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chunks", type=int, default=3000)
    parser.add_argument("--reopen", action="store_true")
    args = parser.parse_args()
    if args.reopen:
        wall, used = time.perf_counter(), time.process_time()
        system = open_system(args.folder)
        print(json.dumps([time.perf_counter() - wall, time.process_time() - used]))
        system.close()
    else:
        print(json.dumps(asdict(_soak(open_system, name, args.folder, args.chunks))))


def _soak(open_system: Callable[[Path], System], name: str, folder: Path, chunks: int) -> Figures:
    figures = Figures()
    system = open_system(folder)
    documents = max(2, chunks // corpus.CHUNKS_PER_DOCUMENT)
    step = max(1, min(documents // 6, _STEP))
    start_mb = _resident_mb()
    size = 0
    for first in range(0, documents, step):
        texts = [corpus.document(n) for n in range(first, min(first + step, documents))]
        size += sum(len(text.encode()) for text in texts)
        used = time.process_time()
        system.insert(texts)
        used = time.process_time() - used
        done = (first + len(texts)) * corpus.CHUNKS_PER_DOCUMENT
        figures.growth.append(
            Growth(
                done,
                used / len(texts) / corpus.CHUNKS_PER_DOCUMENT * 100,
                resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - start_mb,
                _size(folder) / size,
            )
        )
        row = figures.growth[-1]
        _tell(f"{name}: {row.chunks:,} of {chunks:,} chunks, {row.seconds:.2f} CPU-s a hundred")
    figures.text_mb = size / _MB
    system.close()
    figures.reopen_wall, figures.reopen_seconds = _reopened(folder)
    _tell(f"{name}: reopened in {figures.reopen_wall:.2f} s")
    system = open_system(folder)
    figures.retrieval = {mode: _retrieval(system, mode) for mode in MODES}
    _tell(f"{name}: retrieval {figures.retrieval}")
    _delete(system, figures, documents)
    system.close()
    figures.disk_after_deletes = _size(folder) / size / (1 - _deletes(documents) / documents)
    return figures


def _retrieval(system: System, mode: str) -> tuple[float, float]:
    taken = []
    for question, low, high in corpus.questions(_QUESTIONS + 1):
        started = time.perf_counter()
        system.retrieve(mode, question, low, high)
        taken.append(time.perf_counter() - started)
    taken = sorted(taken[1:])  # the first one warms up
    return statistics.median(taken), taken[int(len(taken) * 0.95)]


def _delete(system: System, figures: Figures, documents: int) -> None:
    walls, used = [], []
    calls = system.calls
    count = _deletes(documents)
    for number in range(0, documents, documents // count)[:count]:
        text = corpus.document(number)
        wall, processor = time.perf_counter(), time.process_time()
        system.delete(text)
        walls.append(time.perf_counter() - wall)
        used.append(time.process_time() - processor)
    figures.delete_wall = statistics.median(walls)
    figures.delete_seconds = statistics.median(used)
    figures.delete_calls = (system.calls - calls) / count
    _tell(f"deleted in {figures.delete_wall:.2f} s")


def _deletes(documents: int) -> int:
    return max(1, min(_DELETES, documents // 2))


def _reopened(folder: Path) -> tuple[float, float]:
    """Open it in a process of its own; return seconds on the clock and of the processor."""
    main = sys.modules["__main__"].__spec__
    command = [sys.executable, "-m", main.name if main else "", str(folder), "--reopen"]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    wall, used = json.loads(out.splitlines()[-1])
    return wall, used


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / _MB


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
