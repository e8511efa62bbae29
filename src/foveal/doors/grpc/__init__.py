"""The gRPC door: the verbs of a memory as procedures of `foveal.memory.v1.MemoryService`."""

from foveal.errors import Unsupported

try:
    import grpc as _installed  # noqa: F401  # pyright: ignore[reportUnusedImport]
except ImportError as error:
    raise Unsupported(f"the gRPC door needs grpcio: pip install 'foveal[grpc]' ({error})") from error

from foveal.doors.grpc.client import GrpcRemote
from foveal.doors.grpc.server import PORT, GrpcServer, serve_grpc, server_credentials

__all__ = ["PORT", "GrpcRemote", "GrpcServer", "serve_grpc", "server_credentials"]
