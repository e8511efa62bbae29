"""The memory of AI agents: sharp where the question points, gist everywhere else."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foveal.compose import AsyncMemory, Memory, create_memory_service
    from foveal.config import Settings
    from foveal.doors.client import MemoryClient, connect, connect_async
    from foveal.engine.fractal import AsyncFractalMemory, FractalMemory
    from foveal.engine.lifecycle.scheduler import Worker
    from foveal.errors import FovealError
    from foveal.model.crystal import ContextWindow, FocusFragment, Snapshot, StateCrystal, TaskState
    from foveal.model.ids import Address
    from foveal.model.policy import MemoryConfig, MemoryLayerConfig, MemoryPolicyConfig
    from foveal.model.record import Group, Linearity, Link, Record, Scope, Session, Tier, Vitals
    from foveal.model.record import Scope as MemoryScope
    from foveal.model.results import Context, Forgotten, Hit, Item, MemoryEntry, Receipt, Recollection, Written

__version__ = "0.1.0"

_HOMES = {
    "AsyncMemory": "compose",
    "Memory": "compose",
    "create_memory_service": "compose",
    "Settings": "config",
    "MemoryClient": "doors.client",
    "connect": "doors.client",
    "connect_async": "doors.client",
    "Worker": "engine.lifecycle.scheduler",
    "AsyncFractalMemory": "engine.fractal",
    "FractalMemory": "engine.fractal",
    "FovealError": "errors",
    "Address": "model.ids",
    "Context": "model.results",
    "Hit": "model.results",
    "Item": "model.results",
    "Receipt": "model.results",
    "MemoryEntry": "model.results",
    "FocusFragment": "model.crystal",
    "Snapshot": "model.crystal",
    "StateCrystal": "model.crystal",
    "TaskState": "model.crystal",
    "Linearity": "model.record",
    "Group": "model.record",
    "Link": "model.record",
    "MemoryConfig": "model.policy",
    "MemoryLayerConfig": "model.policy",
    "Forgotten": "model.results",
    "Written": "model.results",
    "MemoryPolicyConfig": "model.policy",
    "Recollection": "model.results",
    "Record": "model.record",
    "Scope": "model.record",
    "MemoryScope": "model.record:Scope",
    "Session": "model.record",
    "Tier": "model.record",
    "Vitals": "model.record",
    "ContextWindow": "model.crystal",
}

__all__ = [
    "Address",
    "AsyncFractalMemory",
    "AsyncMemory",
    "Context",
    "ContextWindow",
    "FocusFragment",
    "Forgotten",
    "FovealError",
    "FractalMemory",
    "Group",
    "Hit",
    "Item",
    "Linearity",
    "Link",
    "Memory",
    "MemoryClient",
    "MemoryConfig",
    "MemoryLayerConfig",
    "MemoryPolicyConfig",
    "MemoryEntry",
    "MemoryScope",
    "Receipt",
    "Recollection",
    "Record",
    "Scope",
    "Session",
    "Settings",
    "Snapshot",
    "StateCrystal",
    "TaskState",
    "Tier",
    "Vitals",
    "Worker",
    "Written",
    "connect",
    "connect_async",
    "create_memory_service",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that importing the package costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'foveal' has no attribute {name!r}")
    home, _, other = _HOMES[name].partition(":")
    value = getattr(import_module(f"foveal.{home}"), other or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
