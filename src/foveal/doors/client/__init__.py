"""The client that agents hold."""

from foveal.doors.client.client import MemoryClient

__all__ = ["MemoryClient"]
