"""A test double of an Ollama server: its protocol over real HTTP, with scripted models.

By hand, to try the app without a model: ``python -m tests.ollama_double --port 11434``.
"""

from .protocol import ChatCall, ChatDouble, ChatScript, EmbedDouble, Reply, Request, tokens_of
from .scripts import broken, faulty, in_turn, reasoning, sloppy, well_behaved
from .server import OllamaDouble

__all__ = [
    "ChatCall",
    "ChatDouble",
    "ChatScript",
    "EmbedDouble",
    "OllamaDouble",
    "Reply",
    "Request",
    "broken",
    "faulty",
    "in_turn",
    "reasoning",
    "sloppy",
    "tokens_of",
    "well_behaved",
]
