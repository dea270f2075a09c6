"""Texts to vectors: the built-in model, or one of a model server."""
