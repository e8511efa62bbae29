"""Vectors kept in ChromaDB."""

from foveal.backends.chroma.vectors import ChromaVectorStore

__all__ = ["ChromaVectorStore"]
