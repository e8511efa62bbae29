"""The HTTP door of a memory."""

from foveal.errors import Unsupported

try:
    import fastapi as _installed  # noqa: F401  # pyright: ignore[reportUnusedImport]
except ImportError as error:
    raise Unsupported(f"the HTTP door needs fastapi: pip install 'foveal[server]' ({error})") from error

from foveal.doors.http.app import create_app

__all__ = ["create_app"]
