"""Reading English without a language model: named entities, dependency paths, and rules on both."""

from __future__ import annotations

from lightrag_engine.language.builtin.english.pipeline import nlp, parse
from lightrag_engine.language.builtin.english.reader import Parsed, parsed, read, read_parsed

__all__ = ["Parsed", "nlp", "parse", "parsed", "read", "read_parsed"]
