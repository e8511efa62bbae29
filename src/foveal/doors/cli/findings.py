"""What the examinations of a file and of a database share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foveal.config import Settings

Look = Callable[[], str]


class Wrong(Exception):
    """A check that came out badly."""


def matching_vectors(stored: str | None, settings: Settings) -> str:
    """Whose vectors these are, which must be those of the settings."""
    from foveal.compose import open_embedder

    wanted = open_embedder(None, settings).id
    if stored not in (None, wanted):
        raise Wrong(f"made by {stored}, the settings say {wanted}: run foveal reindex")
    return f"made by {stored}" if stored else "none yet"
