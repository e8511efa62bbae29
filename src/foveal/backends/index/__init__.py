"""What recall needs of an organism, in memory: it follows the store, which stays the truth."""

from foveal.backends.index.columns import largest
from foveal.backends.index.index import Mirror, Mirrors
from foveal.backends.index.postings import (
    HOLDER,
    PIECES,
    Packed,
    Unpacked,
    current,
    gathered,
    held,
    lengths,
    packed,
    scored,
)
from foveal.backends.index.reader import AROUND, NONE, Image, Seen, Totals, both, glimpse, look

__all__ = [
    "AROUND",
    "HOLDER",
    "NONE",
    "PIECES",
    "Image",
    "Mirror",
    "Mirrors",
    "Packed",
    "Seen",
    "Totals",
    "Unpacked",
    "both",
    "current",
    "gathered",
    "glimpse",
    "held",
    "largest",
    "lengths",
    "look",
    "packed",
    "scored",
]
