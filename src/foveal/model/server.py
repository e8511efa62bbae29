"""Server settings, API keys, idempotent requests, health, circuit state, ghosts."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct

from foveal.errors import Invalid


class CircuitState(StrEnum):
    """Whether calls go through: all of them, none, or one to try."""

    CLOSED = "CLOSED"
    OPEN = "OPEN"
    HALF_OPEN = "HALF_OPEN"


class Circuit(Struct, frozen=True, kw_only=True):
    """A circuit: its state since when, and the failures in a row that were counted.

    `epoch` changes with the state, so that the outcome of a call that began in another state is told apart.
    """

    state: CircuitState = CircuitState.CLOSED
    failures: int = 0
    failed_at: datetime | None = None
    since: datetime | None = None
    epoch: int = 0


class Database(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The connections of a process, and a replica that may be read."""

    pool_size: int = 10
    """How many connections a process opens at most."""
    replica: str | None = None
    """postgresql://… of a replica that is read when it is no further behind than `staleness`."""
    staleness: float = 5.0
    """How many seconds a replica may be behind what others wrote. What this process wrote is always seen."""
    mirror_records: int = 200_000
    """An actor of more records is searched inside the database, not in RAM; 0 for every actor."""


class IdempotentRequest(Struct, frozen=True, kw_only=True):
    """What is done under a key, by whom, and what came of it.

    `place` is a digest of the key and of whoever uses it for what, `content` one of what is asked: the key itself
    is not kept. `holder` does it, and is known to be at it `until` then. `answer` is there once it is done; an
    empty one was erased since. `world` and `actor_id` say whose memory it is about, if it is about one.
    """

    place: bytes
    content: bytes
    holder: str
    begun_at: datetime
    until: datetime
    world: str | None = None
    actor_id: str | None = None
    answer: bytes | None = None


class Level(StrEnum):
    """How far an old answer can be trusted."""

    FRESH = "fresh"
    STALE = "stale"
    REFUSE = "refuse"


class GhostKind(StrEnum):
    """Where ghosts of one sort are kept."""

    STATUS = "status"
    AGENTS = "agents"
    READS = "reads"
    CRYSTALS = "crystals"


class Ghost(Struct, frozen=True, kw_only=True):
    """An answer that was kept: what answered it, when, in plain JSON. `name` is that of an engram."""

    verb: str
    at: datetime
    answer: Any
    name: str | None = None


class Manifest(Struct, frozen=True, kw_only=True):
    """A state that an engram kept: its age, and how far it can be trusted."""

    name: str
    state: Any
    at: datetime
    age: timedelta
    level: Level


class Engram(Struct, frozen=True, kw_only=True):
    """A state that is kept where the client is, and in which file."""

    name: str
    path: str
    at: datetime


class State(StrEnum):
    """How well something is: it works, it works with less, it does not work."""

    OK = "ok"
    DEGRADED = "degraded"
    DOWN = "down"


class Component(Struct, frozen=True, kw_only=True):
    """One part: its state, why, and the figure that was looked at."""

    name: str
    state: State
    reason: str
    figure: float | None = None
    unit: str = ""


class BreakerState(Struct, frozen=True, kw_only=True):
    """What stands before another server: whether calls go to it, and how many in a row failed of those allowed to.

    `seconds` is until one call is tried, 0 when calls go through.
    """

    name: str
    state: CircuitState
    failures: int
    allowed: int
    seconds: float
    since: datetime | None = None
    failed_at: datetime | None = None


class Health(Struct, frozen=True, kw_only=True):
    """How well all parts are, and the whole of them. Who drains takes no new work."""

    state: State
    at: datetime
    components: tuple[Component, ...]
    draining: bool = False
    breakers: tuple[BreakerState, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether to send it work."""
        return self.state is not State.DOWN and not self.draining


MARK = "fov"


class Right(StrEnum):
    """What a key must allow for a verb."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class Key(Struct, frozen=True, kw_only=True):
    """A key as it may be shown: its secret is not in it, nor the hash of that.

    It opens these worlds, the memory of these actors, verbs of these rights, and of them only `verbs`; None is any.
    `rate` is how many requests a second it may make, `burst` how many at once; None leaves it to the server.
    """

    id: str
    name: str
    worlds: tuple[str, ...] | None = None
    actors: tuple[str, ...] | None = None
    rights: tuple[Right, ...] = (Right.READ,)
    verbs: tuple[str, ...] | None = None
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    rate: float | None = None
    burst: int | None = None

    @property
    def prefix(self) -> str:
        """How the token begins: enough to tell keys apart, and useless without the rest."""
        return f"{MARK}_{self.id}"


class Issued(Struct, frozen=True, kw_only=True):
    """A key that was just made, with its token, which nobody can show again."""

    token: str
    key: Key


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


class Tracing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where spans of OpenTelemetry go."""

    endpoint: str | None = None
    """The collector, as http://host:4318. None, no spans. Else OTEL_EXPORTER_OTLP_ENDPOINT."""
    content: bool = False
    """Whether spans carry questions and what was found. They leave the memory with them."""
