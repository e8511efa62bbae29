"""A process that serves one memory at all its doors."""

from foveal.errors import Unsupported

try:
    import fastapi as _web  # noqa: F401  # pyright: ignore[reportUnusedImport]
    import uvicorn as _server  # noqa: F401  # pyright: ignore[reportUnusedImport]
except ImportError as error:
    raise Unsupported(f"a server needs more packages: pip install 'foveal[server,grpc,mcp]' ({error})") from error

from foveal.doors.serve.server import Server

__all__ = ["Server"]
