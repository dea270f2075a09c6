"""What the five ways to retrieve do, in a line each."""

from __future__ import annotations

MODE_LINES = {
    "naive": "Naive: the passages nearest to your question, without the graph. The baseline.",
    "local": "Local: starts from the entities your question names and follows their relations.",
    "global": "Global: starts from the relations that match the themes of your question.",
    "hybrid": "Hybrid: local and global together, without duplicates.",
    "mix": "Mix: all of these, ranked by the names, words and meaning of your question.",
}
MODE_HELP = "  \n".join(MODE_LINES.values())
