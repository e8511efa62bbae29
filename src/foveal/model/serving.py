"""How a server is reached, and what it asks of those who call."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from foveal.errors import Invalid

# Signatures that a public key checks. A shared secret or no signature at all is never accepted.
ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA", "Ed25519", "Ed448"),
)


class Serving(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a server listens, who may come in, and how much they may ask."""

    host: str = "127.0.0.1"
    """Where it listens. Any other than this machine needs `auth`."""
    port: int = 8001
    """The port of HTTP, of the console and of MCP."""
    grpc_port: int = 50053
    """The port of gRPC."""
    certificate: str | None = None
    """A file with the certificate to speak TLS with, in PEM, and those that vouch for it. Plain if not said."""
    private_key: str | None = None
    """The file with the key of the certificate, in PEM and without a password."""
    auth: Literal["open", "keys", "oidc"] = "open"
    """Who comes in: anyone on this machine; whoever has a key; whoever has a key or a token of the issuer."""
    issuer: str | None = None
    """With oidc: who makes the tokens, exactly as in their claim `iss`."""
    audience: str | None = None
    """With oidc: for whom they must be made, as in their claim `aud`."""
    jwks: str | None = None
    """With oidc: the issuer's keys, an https URL or a file; found at the issuer if not said."""
    algorithms: tuple[str, ...] = ("RS256", "PS256", "ES256", "EdDSA", "Ed25519")
    """With oidc: the signatures that are accepted."""
    leeway: float = 30.0
    """With oidc: how many seconds the clock of the issuer may be off."""
    rate: float = 50.0
    """How many calls a second a key may make in the long run, unless it says otherwise; 0 is no limit."""
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
    threads: int = 4
    """How many verbs one process runs at once at most; on a file, those that are quick take turns."""

    @property
    def scheme(self) -> str:
        """How the address of HTTP begins."""
        return "http" if self.certificate is None else "https"

    def __post_init__(self) -> None:
        for name in ("port", "grpc_port"):
            if not 0 <= getattr(self, name) <= 65_535:
                raise Invalid(f"{name} of the server must lie between 0 and 65535")
        for name in ("burst", "body_limit", "request_timeout", "threads"):
            if not getattr(self, name) > 0:
                raise Invalid(f"{name} of the server must be above 0")
        if (self.certificate is None) != (self.private_key is None):
            raise Invalid("certificate and private_key of the server go together: say both, or none")
        if not self.rate >= 0:
            raise Invalid("rate of the server must be 0 or more")
        if not 0 <= self.leeway <= 300:
            raise Invalid("leeway of the server must lie between 0 and 300 seconds")
        unknown = sorted(set(self.algorithms) - set(ALGORITHMS))
        if unknown or not self.algorithms:
            told = ", ".join(unknown) or "none at all"
            raise Invalid(f"algorithms of the server may be {', '.join(ALGORITHMS)}, not {told}")
        for origin in self.cors:
            scheme, _, rest = origin.partition("://")
            if origin != "*" and (scheme not in ("http", "https") or not rest or "/" in rest):
                raise Invalid(f"cors of the server: {origin!r} is not an origin like https://example.org")


class Logging(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a server writes to standard error."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """The least that is worth a line. What records say is never in one at info or above."""
    format: Literal["text", "json"] = "text"
    """Lines for people, or one JSON object a line."""
    errors: str | None = None
    """The file that keeps errors; errors.jsonl in the user's state folder if not said."""


class Breaker(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a client ceases to ask a server that fails, and a memory a model."""

    failures: int = 3
    """How many failures in a row open it."""
    seconds: float = 60.0
    """How long it stays open before one call is tried."""

    def __post_init__(self) -> None:
        if self.failures < 1 or not self.seconds > 0:
            raise Invalid("failures of the breaker must be at least 1, and seconds above 0")
