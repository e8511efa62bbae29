"""The conformance suites we ship: subclass a contract, supply its fixture, and your backend is examined."""

from foveal.testing.building import ManualClock
from foveal.testing.bus import BusContract
from foveal.testing.contract import StoreContract

__all__ = ["BusContract", "ManualClock", "StoreContract"]
