"""Chat models of an Ollama server, and the server itself: what it has, what it gets."""

from lightrag_engine.language.ollama.address import server_address
from lightrag_engine.language.ollama.chat import OllamaChat
from lightrag_engine.language.ollama.pulling import PullProgress, pull
from lightrag_engine.language.ollama.state import OllamaModel, OllamaState, discover

__all__ = [
    "OllamaChat",
    "OllamaModel",
    "OllamaState",
    "PullProgress",
    "discover",
    "pull",
    "server_address",
]
