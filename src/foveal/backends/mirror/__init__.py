"""What recall needs of an organism, in memory: it follows the store, which stays the truth."""

from foveal.backends.mirror.blocks import HOLDER, PIECES, gathered, held, lengths, scored
from foveal.backends.mirror.glimpse import Totals, glimpse
from foveal.backends.mirror.image import NONE, Image, Seen
from foveal.backends.mirror.looking import AROUND, both, look
from foveal.backends.mirror.matrix import largest
from foveal.backends.mirror.mirror import Mirror
from foveal.backends.mirror.mirrors import Mirrors
from foveal.backends.mirror.packing import Packed, Unpacked, current, packed

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
