"""What a search of the long-term collections and an assembled context are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from foveal.model.context import Cut
from foveal.model.record import Record


class SearchResult(Struct, frozen=True, kw_only=True):
    """A record of a collection, and how likely it is to help, from 0 to 1."""

    record: Record
    collection: str
    relevance: float

    @property
    def id(self) -> str:
        """The id of the record."""
        return self.record.id

    @property
    def content(self) -> str:
        """The text of the record."""
        return self.record.text

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The typed details of the record."""
        return self.record.metadata


class ContextChunk(Struct, frozen=True, kw_only=True):
    """A piece of an assembled context: the tier it comes from, what it says, and why it is there."""

    source: str
    content: str
    relevance: float
    tokens: int
    depth: int = 2
    id: str | None = None
    kind: str = ""


class AssembledContext(Struct, frozen=True, kw_only=True):
    """What a task needs from each tier, inside a budget: the chunks, their text, and what was left out."""

    chunks: tuple[ContextChunk, ...]
    text: str
    total_tokens: int
    max_tokens: int
    tiers: tuple[str, ...]
    cut: tuple[Cut, ...] = ()


class Skipped(Struct, frozen=True, kw_only=True):
    """A file that was not taken, and why."""

    path: str
    reason: str


class Ingested(Struct, frozen=True, kw_only=True):
    """What became of the chunks of files: new, changed, the same as before, and gone.

    `withheld` were forgotten or erased before and stay so, though their file still says them.
    """

    files: int
    added: int
    changed: int
    unchanged: int
    forgotten: int
    skipped: tuple[Skipped, ...] = ()
    withheld: int = 0


class Migrated(Struct, frozen=True, kw_only=True):
    """What moved from working to long-term memory."""

    goals: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    metric_hours: int = 0
    event_hours: int = 0

    @property
    def count(self) -> int:
        """How many rows moved."""
        return len(self.goals) + len(self.decisions)
