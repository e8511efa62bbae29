"""The conformance suites we ship: subclass a contract, supply its fixture, and your backend is examined."""

from foveal.testing.building import ManualClock
from foveal.testing.bus import BusContract
from foveal.testing.contract import StoreContract
from foveal.testing.door.brief import BriefContract
from foveal.testing.memory import Awaited, MemoryContract
from foveal.testing.vectors import VectorIndexContract

__all__ = [
    "Awaited",
    "BriefContract",
    "BusContract",
    "ManualClock",
    "MemoryContract",
    "StoreContract",
    "VectorIndexContract",
]
