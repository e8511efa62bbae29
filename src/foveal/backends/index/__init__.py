"""The in-memory index of one actor, which follows the store; the store stays authoritative."""

from foveal.backends.index.columns import largest
from foveal.backends.index.index import ActorIndex, IndexCache
from foveal.backends.index.postings import (
    HOLDER,
    PIECES,
    Packed,
    Unpacked,
    current,
    gathered,
    held,
    is_sound,
    lengths,
    packed,
    scored,
)
from foveal.backends.index.reader import (
    AROUND,
    NONE,
    IndexReader,
    RowFilter,
    Totals,
    both,
    partial_candidates,
    search_index,
)

__all__ = [
    "AROUND",
    "HOLDER",
    "NONE",
    "PIECES",
    "IndexReader",
    "ActorIndex",
    "IndexCache",
    "Packed",
    "RowFilter",
    "Totals",
    "Unpacked",
    "both",
    "current",
    "gathered",
    "partial_candidates",
    "held",
    "is_sound",
    "largest",
    "lengths",
    "search_index",
    "packed",
    "scored",
]
