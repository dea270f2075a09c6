"""What embedding models want in front of a query or a passage, as their makers' model cards say."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lightrag_engine.embedding.base import Role


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Texts put in front of a query and of a passage."""

    query: str = ""
    passage: str = ""

    def of(self, role: Role) -> str:
        """Return the prefix of a role."""
        return self.query if role == "query" else self.passage


_INSTRUCTION = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
_SEARCHING = "Represent this sentence for searching relevant passages: "

# The first pattern found in the model's name counts.
_TABLE = (
    (r"nomic-embed", Prefixes("search_query: ", "search_document: ")),
    (r"e5-mistral|e5.*-instruct", Prefixes(_INSTRUCTION)),
    (r"(^|[^a-z0-9])e5([^a-z0-9]|$)", Prefixes("query: ", "passage: ")),
    (r"mxbai-embed|bge-(small|base|large)(-en)?(?!-zh)", Prefixes(_SEARCHING)),
    (r"snowflake-arctic-embed-?2|arctic-embed-[ml]-v2", Prefixes("query: ")),
    (r"arctic-embed", Prefixes(_SEARCHING)),
    (r"embedding-?gemma", Prefixes("task: search result | query: ", "title: none | text: ")),
    (r"qwen3-embedding", Prefixes(_INSTRUCTION)),
)


def prefixes(model: str) -> Prefixes:
    """Return the prefixes of a model by its name; most want none.

    Examples
    --------
    >>> prefixes("nomic-embed-text:latest").query
    'search_query: '
    """
    name = model.lower()
    return next((given for pattern, given in _TABLE if re.search(pattern, name)), Prefixes())
