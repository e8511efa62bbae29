"""Buses of one process."""

from foveal.backends.bus.filing import FilingBus
from foveal.backends.bus.ring import RingBus

__all__ = ["FilingBus", "RingBus"]
