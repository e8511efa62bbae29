"""MCP for models: tools, resources and prompts, over standard input and over HTTP."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from foveal.errors import Unsupported

if TYPE_CHECKING:
    from foveal.doors.mcp.server import McpApp, mcp_app, mcp_server, serve_stdio

__all__ = ["McpApp", "mcp_app", "mcp_server", "serve_stdio"]

_MODULES = {"McpApp": "server", "mcp_app": "server", "mcp_server": "server", "serve_stdio": "server"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # The SDK has had its types in a package of their own since 2.0; older ones do not work.
    if find_spec("mcp_types") is None:
        raise Unsupported("MCP needs the package mcp, 2.3 or later: pip install 'foveal[mcp]'")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
