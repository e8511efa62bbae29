"""Memory for AI agents. The public names are imported on first use."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foveal.agents.openai import OpenAIEmbeddingProvider, OpenAIProvider
    from foveal.backends.chroma import ChromaVectorStore as ChromaVectorStore
    from foveal.backends.in_process import InMemoryVectorStore
    from foveal.backends.models.adapters import CallingEmbedder
    from foveal.backends.models.llm import OpenAIModel
    from foveal.backends.models.static import StaticEmbedder
    from foveal.backends.models.tokens import estimate_tokens
    from foveal.backends.postgres import PostgresStore as PostgresStore
    from foveal.backends.sqlite import SqliteStore
    from foveal.compose import AsyncMemory, LongTermMemory, Memory, create_memory_service, migrate, repair
    from foveal.config import Settings
    from foveal.doors.client import MemoryClient, assemble_context, connect, connect_async
    from foveal.doors.grpc import GrpcServer as GrpcServer
    from foveal.doors.mcp import mcp_app as mcp_app
    from foveal.doors.mcp import mcp_server as mcp_server
    from foveal.doors.mcp.tools import own_principal as own_principal
    from foveal.doors.service import Authenticator, Keys, Service
    from foveal.engine.async_memory import CrystallizationEngine, KnowledgeBase
    from foveal.engine.async_memory import CrystallizationEngine as ContextProjector
    from foveal.engine.async_memory import CrystallizationEngine as CrystalReaper
    from foveal.engine.fractal import AsyncFractalMemory, FractalMemory
    from foveal.engine.ledger.ledger import Ledger as WorkingMemory
    from foveal.engine.ledger.operational import Operational as OperationalMemory
    from foveal.engine.ledger.operational import format_system_state
    from foveal.engine.lifecycle.scheduler import Worker
    from foveal.engine.memory import View
    from foveal.errors import FovealError
    from foveal.model.crystal import ContextWindow, FocusFragment, Snapshot, StateCrystal, TaskState
    from foveal.model.glyph import Mention as MemorySpan
    from foveal.model.ids import Address
    from foveal.model.ids import Address as FractalAddress
    from foveal.model.ledger import (
        AgentState,
        ConfigChange,
        Decision,
        Event,
        Goal,
        Incident,
        Knowledge,
        Pattern,
        Procedure,
        SystemSnapshot,
        Task,
        ToolCall,
    )
    from foveal.model.ledger import Task as TaskRecord
    from foveal.model.policy import MemoryConfig, MemoryLayerConfig, MemoryPolicyConfig
    from foveal.model.query import Viewpoint
    from foveal.model.record import Group, Linearity, Link, Record, Scope, Session, Tier, Vitals
    from foveal.model.record import Record as MemoryRecord
    from foveal.model.record import Scope as MemoryScope
    from foveal.model.results import (
        AssembledContext,
        Context,
        ContextChunk,
        Forgotten,
        Hit,
        Item,
        MemoryEntry,
        Receipt,
        Recollection,
        SearchResult,
        Written,
    )
    from foveal.model.results import Region as MemoryRegion
    from foveal.model.server import Database, Serving
    from foveal.ports.models import Embedder
    from foveal.ports.store import Encoder, Store
    from foveal.ports.system import VectorIndex

__version__ = "0.1.0"

_HOMES = {
    "estimate_tokens": "backends.models.tokens",
    "LongTermMemory": "compose",
    "assemble_context": "doors.client",
    "KnowledgeBase": "engine.async_memory",
    "WorkingMemory": "engine.ledger.ledger:Ledger",
    "OperationalMemory": "engine.ledger.operational:Operational",
    "format_system_state": "engine.ledger.operational",
    "AgentState": "model.ledger",
    "ConfigChange": "model.ledger",
    "Decision": "model.ledger",
    "Event": "model.ledger",
    "Goal": "model.ledger",
    "Incident": "model.ledger",
    "Knowledge": "model.ledger",
    "Pattern": "model.ledger",
    "Procedure": "model.ledger",
    "SystemSnapshot": "model.ledger",
    "Task": "model.ledger",
    "ToolCall": "model.ledger",
    "TaskRecord": "model.ledger:Task",
    "OpenAIEmbeddingProvider": "agents.openai",
    "OpenAIProvider": "agents.openai",
    "ContextProjector": "engine.async_memory:CrystallizationEngine",
    "CrystalReaper": "engine.async_memory:CrystallizationEngine",
    "CrystallizationEngine": "engine.async_memory",
    "MemoryRecord": "model.record:Record",
    "MemorySpan": "model.glyph:Mention",
    "MemoryRegion": "model.results:Region",
    "FractalAddress": "model.ids:Address",
    "ContextChunk": "model.results",
    "AssembledContext": "model.results",
    "SearchResult": "model.results",
    "ChromaVectorStore": "backends.chroma",
    "InMemoryVectorStore": "backends.in_process",
    "CallingEmbedder": "backends.models.adapters",
    "OpenAIModel": "backends.models.llm",
    "StaticEmbedder": "backends.models.static",
    "PostgresStore": "backends.postgres",
    "SqliteStore": "backends.sqlite",
    "AsyncMemory": "compose",
    "Memory": "compose",
    "create_memory_service": "compose",
    "migrate": "compose",
    "repair": "compose",
    "Settings": "config",
    "MemoryClient": "doors.client",
    "connect": "doors.client",
    "connect_async": "doors.client",
    "GrpcServer": "doors.grpc",
    "mcp_app": "doors.mcp",
    "mcp_server": "doors.mcp",
    "own_principal": "doors.mcp.tools",
    "Authenticator": "doors.service",
    "Keys": "doors.service",
    "Service": "doors.service",
    "Worker": "engine.lifecycle.scheduler",
    "AsyncFractalMemory": "engine.fractal",
    "FractalMemory": "engine.fractal",
    "View": "engine.memory",
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
    "Viewpoint": "model.query",
    "Database": "model.server",
    "Serving": "model.server",
    "Embedder": "ports.models",
    "Encoder": "ports.store",
    "Store": "ports.store",
    "VectorIndex": "ports.system",
}

# Without the names that need an extra, so that `from foveal import *` works without any.
__all__ = [
    "Address",
    "AgentState",
    "AssembledContext",
    "AsyncFractalMemory",
    "AsyncMemory",
    "Authenticator",
    "CallingEmbedder",
    "ConfigChange",
    "Context",
    "ContextChunk",
    "ContextProjector",
    "ContextWindow",
    "CrystalReaper",
    "CrystallizationEngine",
    "Database",
    "Decision",
    "Embedder",
    "Encoder",
    "Event",
    "FocusFragment",
    "Forgotten",
    "FovealError",
    "FractalAddress",
    "FractalMemory",
    "Goal",
    "Group",
    "Hit",
    "InMemoryVectorStore",
    "Incident",
    "Item",
    "Keys",
    "Knowledge",
    "KnowledgeBase",
    "Linearity",
    "Link",
    "LongTermMemory",
    "Memory",
    "MemoryClient",
    "MemoryConfig",
    "MemoryEntry",
    "MemoryLayerConfig",
    "MemoryPolicyConfig",
    "MemoryRecord",
    "MemoryRegion",
    "MemoryScope",
    "MemorySpan",
    "OpenAIEmbeddingProvider",
    "OpenAIModel",
    "OpenAIProvider",
    "OperationalMemory",
    "Pattern",
    "Procedure",
    "Receipt",
    "Recollection",
    "Record",
    "Scope",
    "SearchResult",
    "Service",
    "Serving",
    "Session",
    "Settings",
    "Snapshot",
    "SqliteStore",
    "StateCrystal",
    "StaticEmbedder",
    "Store",
    "SystemSnapshot",
    "Task",
    "TaskRecord",
    "TaskState",
    "Tier",
    "ToolCall",
    "VectorIndex",
    "View",
    "Viewpoint",
    "Vitals",
    "Worker",
    "WorkingMemory",
    "Written",
    "assemble_context",
    "connect",
    "connect_async",
    "create_memory_service",
    "estimate_tokens",
    "format_system_state",
    "migrate",
    "repair",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that importing the package costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'foveal' has no attribute {name!r}")
    home, _, other = _HOMES[name].partition(":")
    value = getattr(import_module(f"foveal.{home}"), other or name)
    globals()[name] = value
    return value


# Names that only an extra brings, each with the package that they need.
_EXTRAS = {
    "ChromaVectorStore": "chromadb",
    "GrpcServer": "grpc",
    "PostgresStore": "psycopg",
    "mcp_app": "mcp",
    "mcp_server": "mcp",
}


def __dir__() -> list[str]:
    # `help(foveal)` imports every name of this list.
    missing = {name for name, package in _EXTRAS.items() if find_spec(package) is None}
    return sorted([*_HOMES.keys() - missing, "__version__"])
