"""Bytes → text: one reader per format family, page numbers kept, encodings guessed."""

from lightrag_engine.documents.formats import SUPPORTED, supported_text
from lightrag_engine.documents.names import safe_name
from lightrag_engine.documents.reading import document_id, from_text, read

__all__ = ["SUPPORTED", "document_id", "from_text", "read", "safe_name", "supported_text"]
