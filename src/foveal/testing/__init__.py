"""Conformance suites for stores, memories, buses and vector indexes, with a manual clock and throw-away servers.

Subclass a contract and supply its fixture, and pytest checks your implementation. The servers are imported on first
use, because the packages they need are optional.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from foveal.testing.builders import ManualClock
from foveal.testing.contract import StoreContract
from foveal.testing.memory import Awaited, BriefContract, MemoryContract
from foveal.testing.ports import BusContract, VectorIndexContract

if TYPE_CHECKING:
    from foveal.testing.servers import Cluster, ModelServer, Valkey

__all__ = [
    "Awaited",
    "BriefContract",
    "BusContract",
    "Cluster",
    "ManualClock",
    "MemoryContract",
    "ModelServer",
    "StoreContract",
    "Valkey",
    "VectorIndexContract",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module("foveal.testing.servers"), name)
    globals()[name] = value
    return value
