"""How a server is reached, and what it asks of those who call."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Serving(Struct, frozen=True, kw_only=True):
    """Where a server listens, who may come in, and how much they may ask."""

    host: str = "127.0.0.1"
    """Where it listens. Any other than this machine needs `auth`."""
    port: int = 8001
    """The port of HTTP, of the console and of MCP."""
    grpc_port: int = 50053
    """The port of gRPC."""
    auth: Literal["open", "keys", "oidc"] = "open"
    """Who comes in: anyone on this machine, whoever has a key, or whoever has a token of the issuer."""
    issuer: str | None = None
    """With oidc: who makes the tokens."""
    audience: str | None = None
    """With oidc: for whom they must be made."""
    jwks: str | None = None
    """With oidc: the issuer's keys, a URL or a file; found at the issuer if not said."""
    rate: float = 50.0
    """How many calls a second a key may make in the long run, unless it says otherwise."""
    burst: int = 100
    """How many calls it may make at once."""
    hosts: tuple[str, ...] = ()
    """By which names this machine may be called, beside localhost, while it listens on this machine only."""
    cors: tuple[str, ...] = ()
    """The origins whose pages may call; none but the server's own if not said."""
    body_limit: int = 8 * 1024 * 1024
    """How many bytes a request may have."""
    request_timeout: float = 30.0
    """How many seconds a request may take."""
