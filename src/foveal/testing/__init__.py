"""The conformance suites we ship: subclass a contract, supply its fixture, and your backend is examined."""

from foveal.testing.builders import ManualClock
from foveal.testing.contract import StoreContract
from foveal.testing.memory import Awaited, BriefContract, MemoryContract
from foveal.testing.ports import BusContract, VectorIndexContract

__all__ = [
    "Awaited",
    "BriefContract",
    "BusContract",
    "ManualClock",
    "MemoryContract",
    "StoreContract",
    "VectorIndexContract",
]
