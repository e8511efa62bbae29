"""The store for many machines: PostgreSQL with pgvector."""

from foveal.backends.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
