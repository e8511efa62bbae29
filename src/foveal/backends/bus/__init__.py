"""Buses of one process."""

from foveal.backends.bus.ring import RingBus

__all__ = ["RingBus"]
