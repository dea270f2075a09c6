"""Work that outlives the page it was started from: one thread each, seen by every browser."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any

import streamlit as st

from lightrag_engine import LightRAGError

# Begins the work: yields its steps, and calls what it is given a few times a second while it waits for the
# next one.
Begin = Callable[[Callable[[], None]], Generator[Any, None, None]]


_STOPPING = 2.0  # seconds


class _StoppedError(Exception):
    """A person wants a job to end."""


class Job:
    """A generator that runs in a thread of its own; what it yielded last is in `latest`.

    `error` says why it ended without success, where it is an error meant for a person. `ended` is 0 while it
    runs (times in seconds since the epoch).
    """

    def __init__(self, label: str, begin: Begin) -> None:
        self.label = label
        self.latest: Any = None
        self.error: LightRAGError | None = None
        self.started = time.time()
        self.ended = 0.0
        self.stopped = False
        self._steps = begin(self._check)
        # A thread of the server's, not of the pool that Python waits for at its end: Ctrl+C must end it all.
        self._thread = threading.Thread(target=self._run, name=f"job {label}", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return not self.ended

    @property
    def seconds(self) -> float:
        """How long it has been at work, or was."""
        return (self.ended or time.time()) - self.started

    def stop(self) -> None:
        """Have it end at once, in the middle of a step; wait for that a moment."""
        self.stopped = True
        self._thread.join(_STOPPING)

    def _check(self) -> None:
        if self.stopped:
            raise _StoppedError

    def _run(self) -> None:
        try:
            with closing(self._steps) as steps:
                for step in steps:
                    self.latest = step
                    self._check()
        except LightRAGError as error:
            self.error = error
        except _StoppedError:
            pass
        finally:
            self.ended = time.time()


def start(kind: str, workspace: str, label: str, begin: Begin) -> Job:
    """Begin a job; it replaces an earlier one of its kind in the workspace."""
    job = _jobs()[kind, workspace] = Job(label, begin)
    return job


def find(kind: str, workspace: str) -> Job | None:
    """Return the last job of a kind in a workspace, running or ended."""
    return _jobs().get((kind, workspace))


def forget(kind: str, workspace: str) -> None:
    """Drop a job whose outcome was seen."""
    _jobs().pop((kind, workspace), None)


@st.cache_resource(show_spinner=False)
def _jobs() -> dict[tuple[str, str], Job]:
    return {}
