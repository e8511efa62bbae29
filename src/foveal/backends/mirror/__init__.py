"""What recall needs of an organism, in memory: it follows the store, which stays the truth."""

from foveal.backends.mirror.image import Image, Seen
from foveal.backends.mirror.looking import both, look
from foveal.backends.mirror.mirror import Mirror
from foveal.backends.mirror.mirrors import Mirrors
from foveal.backends.mirror.packing import Packed, packed

__all__ = ["Image", "Mirror", "Mirrors", "Packed", "Seen", "both", "look", "packed"]
