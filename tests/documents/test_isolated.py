"""A file that hangs, crashes or fills its reader, and everything else that goes on meanwhile."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from made_files import make_docx, make_zip

from lightrag_engine.documents import read
from lightrag_engine.documents.archives import Skipped
from lightrag_engine.documents.isolated import Reader
from lightrag_engine.errors import DocumentError
from lightrag_engine.settings import Settings
from lightrag_engine.uploads import Upload

FILES = Path(__file__).parents[1] / "data" / "documents"
PAGE = b"<p>Mara Quill founded the ferry.</p>"
# Parsing it takes many seconds and hundreds of MB on any machine.
ENDLESS = b"<p>" + b"<b>x</b>" * 1_500_000
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc, or needs RLIMIT_AS")

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def opened(at_once: int = 2) -> AsyncIterator[Reader]:
    reader = Reader(at_once)
    try:
        yield reader
    finally:
        await reader.close()


def children() -> set[int]:
    """Return the processes that this one has started, ended ones that nobody asked for included."""
    lists = Path("/proc/self/task").glob("*/children")
    return {int(pid) for one in lists for pid in one.read_text().split()}


async def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("name", ["page.html", "pdf_plain.pdf", "pptx_table_notes.pptx", "cjk_dense.txt"])
async def test_the_result_is_that_of_reading_here(name: str) -> None:
    data = (FILES / name).read_bytes()
    async with opened() as reader:
        assert await reader.read(name, data, Settings()) == read(name, data, Settings())


async def test_refusals_come_through() -> None:
    async with opened() as reader:
        with pytest.raises(DocumentError, match=r"pdf_truncated\.pdf is incomplete") as raised:
            await reader.read("pdf_truncated.pdf", (FILES / "pdf_truncated.pdf").read_bytes(), Settings())
        assert "again" in raised.value.hint
        assert (await reader.read("a.html", PAGE, Settings())).text == "Mara Quill founded the ferry."


@linux
async def test_one_process_reads_many_files_and_ends_when_closed() -> None:
    before = children()
    async with opened() as reader:
        await reader.read("a.html", PAGE, Settings())
        started = children() - before
        assert len(started) == 1
        for _ in range(5):
            await reader.read("a.html", PAGE, Settings())
        assert children() - before == started
    assert children() == before


@linux
async def test_small_plain_files_need_no_process() -> None:
    before = children()
    async with opened() as reader:
        for name in ("a.txt", "a.md", "a.csv"):
            await reader.read(name, b"Mara Quill", Settings())
        with pytest.raises(DocumentError, match="too large"):
            await reader.read("a.html", PAGE, Settings(max_file_bytes=5))
        assert children() == before


@linux
async def test_a_file_that_takes_too_long_is_given_up_and_others_go_on() -> None:
    before = children()
    async with opened() as reader:
        slow = asyncio.create_task(reader.read("slow.html", ENDLESS, Settings(read_timeout_seconds=3)))
        # The other of the two processes reads on.
        assert (await reader.read("a.html", PAGE, Settings())).text
        assert not slow.done()
        with pytest.raises(DocumentError, match=r"slow\.html took longer than 3 s to be read") as raised:
            await slow
        assert "read_timeout_seconds (LIGHTRAG_READ_TIMEOUT_SECONDS)" in raised.value.hint
        assert len(children() - before) == 1
        assert (await reader.read("a.html", PAGE, Settings())).text


@linux
async def test_a_file_that_needs_too_much_memory() -> None:
    async with opened() as reader:
        with pytest.raises(DocumentError, match=r"big\.html needed more than 100 MB of memory") as raised:
            await reader.read("big.html", ENDLESS, Settings(read_memory_mb=100))
        assert "read_memory_mb (LIGHTRAG_READ_MEMORY_MB)" in raised.value.hint
        assert (await reader.read("a.html", PAGE, Settings(read_memory_mb=100))).text


@linux
async def test_a_parser_that_crashes() -> None:
    before = children()
    async with opened() as reader:
        task = asyncio.create_task(reader.read("bad.html", ENDLESS, Settings()))
        await until(lambda: children() - before)
        (worker,) = children() - before
        await asyncio.sleep(1)
        os.kill(worker, signal.SIGSEGV)
        with pytest.raises(
            DocumentError, match=r"bad\.html cannot be read.* \((signal SIGSEGV|exit)"
        ) as raised:
            await task
        assert raised.value.hint
        assert (await reader.read("a.html", PAGE, Settings())).text


@linux
async def test_a_process_that_died_idle_costs_no_document() -> None:
    before = children()
    async with opened() as reader:
        await reader.read("a.html", PAGE, Settings())
        (worker,) = children() - before
        os.kill(worker, signal.SIGKILL)
        assert (await reader.read("a.html", PAGE, Settings())).text


@linux
async def test_cancelling_ends_the_read() -> None:
    before = children()
    async with opened() as reader:
        task = asyncio.create_task(reader.read("slow.html", ENDLESS, Settings()))
        await until(lambda: children() - before)
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert children() == before


async def test_archives_are_taken_apart_there_too() -> None:
    word = make_docx()
    data = make_zip({"a.txt": "Mara", "b.docx": word, "c.exe": b"x"})
    async with opened() as reader:
        items = [item async for item in reader.expand(Upload("a.zip", data), Settings())]
        assert items == [
            Upload("a.txt", b"Mara"),
            Upload("b.docx", word),
            Skipped("c.exe", ".exe files are not supported"),
        ]
        with pytest.raises(DocumentError, match="no ZIP archive"):
            [item async for item in reader.expand(Upload("b.zip", b"x"), Settings())]


@linux
def test_no_process_outlives_the_program() -> None:
    """Idle it ends with its input; busy with an endless file, by its own limit, later than the program's."""
    code = """if True:
        import asyncio, dataclasses, os
        from lightrag_engine.documents.limits import Limits
        from lightrag_engine.documents.worker import _GRACE_SECONDS
        from lightrag_engine.documents.worker_process import WorkerProcess
        from lightrag_engine.settings import Settings
        async def main():
            idle, busy = await WorkerProcess.start(), await WorkerProcess.start()
            limits = dataclasses.asdict(Limits.of(Settings()))
            head = {"task": "read", "name": "a.html", "limits": limits, "memory_mb": 0}
            await busy.send(head | {"seconds": 0.5 - _GRACE_SECONDS}, b"<p>" + b"<b>x</b>" * 1_500_000)
            print(idle._process.pid, busy._process.pid, flush=True)
            os._exit(0)
        asyncio.run(main())
    """
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    deadline = time.monotonic() + 60
    for worker in map(int, done.stdout.split()):
        while _runs(worker) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not _runs(worker)


def _runs(process: int) -> bool:
    """Return whether a process runs; one that waits for its init to take note of its end does not."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@linux
async def test_the_process_loads_what_it_needs_and_no_more() -> None:
    before = children()
    async with opened() as reader:
        for name in ("page.html", "pdf_plain.pdf", "pptx_table_notes.pptx"):
            await reader.read(name, (FILES / name).read_bytes(), Settings())
        (worker,) = children() - before
        mapped = Path(f"/proc/{worker}/maps").read_text()
    assert not [name for name in ("numpy", "onnxruntime", "spacy", "pyarrow", "chroma") if name in mapped]
