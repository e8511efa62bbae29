"""The memory of AI agents: sharp where the question points, gist everywhere else."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foveal.compose import AsyncMemory, Memory, create_memory_service
    from foveal.config import Settings
    from foveal.doors.client import MemoryClient, connect, connect_async
    from foveal.doors.worker import Worker
    from foveal.engine.fractal import AsyncFractalMemory, FractalMemory
    from foveal.errors import FovealError
    from foveal.model.address import Address
    from foveal.model.context import Context, Hit, Item, Receipt
    from foveal.model.crystal import FocusFragment, Snapshot, StateCrystal, TaskState
    from foveal.model.entry import MemoryEntry
    from foveal.model.linearity import Linearity
    from foveal.model.link import Group, Link
    from foveal.model.metabolism import MemoryConfig, MemoryLayerConfig
    from foveal.model.outcome import Forgotten, Written
    from foveal.model.policy import MemoryPolicyConfig
    from foveal.model.recollection import Recollection
    from foveal.model.record import Record
    from foveal.model.scope import Scope
    from foveal.model.scope import Scope as MemoryScope
    from foveal.model.session import Session
    from foveal.model.tier import Tier
    from foveal.model.vitals import Vitals
    from foveal.model.window import ContextWindow

__version__ = "0.1.0"

_HOMES = {
    "AsyncMemory": "compose",
    "Memory": "compose",
    "create_memory_service": "compose",
    "Settings": "config",
    "MemoryClient": "doors.client",
    "connect": "doors.client",
    "connect_async": "doors.client",
    "Worker": "doors.worker",
    "AsyncFractalMemory": "engine.fractal",
    "FractalMemory": "engine.fractal",
    "FovealError": "errors",
    "Address": "model.address",
    "Context": "model.context",
    "Hit": "model.context",
    "Item": "model.context",
    "Receipt": "model.context",
    "MemoryEntry": "model.entry",
    "FocusFragment": "model.crystal",
    "Snapshot": "model.crystal",
    "StateCrystal": "model.crystal",
    "TaskState": "model.crystal",
    "Linearity": "model.linearity",
    "Group": "model.link",
    "Link": "model.link",
    "MemoryConfig": "model.metabolism",
    "MemoryLayerConfig": "model.metabolism",
    "Forgotten": "model.outcome",
    "Written": "model.outcome",
    "MemoryPolicyConfig": "model.policy",
    "Recollection": "model.recollection",
    "Record": "model.record",
    "Scope": "model.scope",
    "MemoryScope": "model.scope:Scope",
    "Session": "model.session",
    "Tier": "model.tier",
    "Vitals": "model.vitals",
    "ContextWindow": "model.window",
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
