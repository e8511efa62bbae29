"""The client library: connect to a memory, local or remote."""

from foveal.doors.client.client import MemoryClient, assemble_context
from foveal.doors.client.connect import connect, connect_async
from foveal.doors.client.memory import AsyncRemoteMemory, RemoteMemory

__all__ = ["AsyncRemoteMemory", "MemoryClient", "RemoteMemory", "assemble_context", "connect", "connect_async"]
