"""The reference store: everything in the memory of this process."""

from foveal.backends.ram.store import RamStore

__all__ = ["RamStore"]
