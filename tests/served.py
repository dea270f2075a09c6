"""A text and helpers for tests of workspaces whose models are on a server double."""

from __future__ import annotations

import time
from collections.abc import Callable

from lightrag_engine import LightRAG

TEXT = (
    "Mara Quill founded the Brindle Valley Ferry in 1911. Tobias Renn has been the chief engineer of the "
    "Brindle Valley Ferry since 1987. The ferry links Port Ansel with Low Harrow."
)
Open = Callable[..., LightRAG]


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)
