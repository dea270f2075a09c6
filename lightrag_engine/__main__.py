"""``python -m lightrag_engine``: the engine from a shell."""

from lightrag_engine.cli import app

app(prog_name="python -m lightrag_engine")
