"""Server settings, API keys, idempotent requests, health, circuit breakers and ghosts."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct, field

from foveal.errors import Invalid


class CircuitState(StrEnum):
    """Whether a breaker lets calls through: all, none, or one trial call."""

    CLOSED = "CLOSED"
    OPEN = "OPEN"
    HALF_OPEN = "HALF_OPEN"


class Circuit(Struct, frozen=True, kw_only=True):
    """A circuit breaker: its state, since when, and the consecutive failures counted.

    `epoch` changes with the state, so that the outcome of a call that began in another state can be ignored.
    """

    state: CircuitState = CircuitState.CLOSED
    failures: int = 0
    failed_at: datetime | None = None
    since: datetime | None = None
    epoch: int = 0


class Database(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The database connections of a process, and an optional read replica."""

    pool_size: int = 10
    """The maximum number of connections that a process opens."""
    replica: str | None = None
    """postgresql://… of a replica that is read while its lag is at most `staleness`."""
    staleness: float = 5.0
    """How many seconds a replica may lag behind other writers. A process always sees its own writes."""
    mirror_records: int = 200_000
    """Actors with more records are searched inside the database, not in RAM; with 0, all actors are."""


class IdempotentRequest(Struct, frozen=True, kw_only=True):
    """A request with an idempotency key: who runs it, and its answer.

    `place` is a digest of the key, the caller and the operation, and `content` a digest of the input; the key
    itself is not stored. `holder` is the process that runs it and holds it `until` then. `answer` is set once the
    request is done; an empty answer was erased since. `world` and `actor_id` say whose memory it concerns, if any.
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
    """How far a cached answer can be trusted."""

    FRESH = "fresh"
    STALE = "stale"
    REFUSE = "refuse"


class GhostKind(StrEnum):
    """The folders that ghosts are kept in, by what they answer."""

    STATUS = "status"
    MAP = "map"
    AGENTS = "agents"
    READS = "reads"
    CRYSTALS = "crystals"


class Ghost(Struct, frozen=True, kw_only=True):
    """The last good answer of a verb, as plain JSON, and when it came."""

    verb: str
    at: datetime
    answer: Any
    name: str | None = None


class Manifest(Struct, frozen=True, kw_only=True):
    """The state in an engram, when it was kept and by which agent, and its age."""

    name: str
    state: Any
    at: datetime
    age: timedelta
    node: str = "/"


class State(StrEnum):
    """The health of a component: it works, it works in part, or it does not work."""

    OK = "ok"
    DEGRADED = "degraded"
    DOWN = "down"


class Component(Struct, frozen=True, kw_only=True):
    """The health of one component: its state, the reason, and the figure it was judged by."""

    name: str
    state: State
    reason: str
    figure: float | None = None
    unit: str = ""


class BreakerState(Struct, frozen=True, kw_only=True):
    """The state of a circuit breaker: `failures` consecutive calls failed, and `allowed` failures open it.

    `seconds` is the time until a trial call, or 0 while calls go through.
    """

    name: str
    state: CircuitState
    failures: int
    allowed: int
    seconds: float
    since: datetime | None = None
    failed_at: datetime | None = None


class Health(Struct, frozen=True, kw_only=True):
    """The health of every component and of the whole. A server that is draining accepts no new work."""

    state: State
    at: datetime
    components: tuple[Component, ...]
    draining: bool = False
    breakers: tuple[BreakerState, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether the server accepts work."""
        return self.state is not State.DOWN and not self.draining


MARK = "fov"


class Right(StrEnum):
    """The rights of a key; each verb needs one of them."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class Key(Struct, frozen=True, kw_only=True):
    """A key as it may be shown, without its secret and without the hash of the secret.

    It gives access to these worlds and actors, to verbs that need these rights, and among them only to `verbs`;
    None means any. `rate` is how many requests a second it may make, `burst` how many at once; None uses the
    server's limits.
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
        """The beginning of the token: it tells keys apart and is useless without the rest."""
        return f"{MARK}_{self.id}"


class Issued(Struct, frozen=True, kw_only=True):
    """A new key with its token, which cannot be shown again."""

    token: str
    key: Key


# Only algorithms with public keys: a shared secret or a missing signature is never accepted.
ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA", "Ed25519", "Ed448"),
)


class Serving(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a server listens, who may call it, and how much."""

    host: str = "127.0.0.1"
    """The address to listen on. Any address beyond this machine needs `auth`."""
    port: int = 8001
    """The port for HTTP, the console and MCP."""
    grpc_port: int = 50053
    """The port for gRPC."""
    certificate: str | None = None
    """A PEM file with the TLS certificate and its chain. Without it the server does not use TLS."""
    private_key: str | None = None
    """A PEM file with the private key of the certificate, without a password."""
    auth: Literal["open", "keys", "oidc"] = "open"
    """Who may call: anyone on this machine; holders of a key; holders of a key or of a token from the issuer."""
    issuer: str | None = None
    """With oidc: the issuer of the tokens, exactly as in their claim `iss`."""
    audience: str | None = None
    """With oidc: the audience that tokens must be issued for, as in their claim `aud`."""
    jwks: str | None = None
    """With oidc: the issuer's keys, an https URL or a file; by default they are discovered at the issuer."""
    algorithms: tuple[str, ...] = ("RS256", "PS256", "ES256", "EdDSA", "Ed25519")
    """With oidc: the signature algorithms that are accepted."""
    leeway: float = 30.0
    """With oidc: how many seconds the issuer's clock may differ."""
    rate: float = 50.0
    """How many calls a second a key may make on average, unless the key has its own limit; 0 is no limit."""
    burst: int = 100
    """How many calls a key may make at once."""
    hosts: tuple[str, ...] = ()
    """Host names that are accepted besides localhost while the server listens on this machine only."""
    cors: tuple[str, ...] = ()
    """The origins whose pages may call; by default only the server's own."""
    body_limit: int = 8 * 1024 * 1024
    """The maximum size of a request, in bytes."""
    request_timeout: float = 30.0
    """How many seconds a request may take."""
    streams: int = 64
    """How many streams of notices a key may hold open in a process, and how many there may be about one actor."""
    threads: int = 4
    """The maximum number of verbs that a process runs at once; on a file, quick verbs take turns."""

    @property
    def scheme(self) -> str:
        """The scheme of the server's HTTP address."""
        return "http" if self.certificate is None else "https"

    def __post_init__(self) -> None:
        for name in ("port", "grpc_port"):
            if not 0 <= getattr(self, name) <= 65_535:
                raise Invalid(f"{name} of the server must be between 0 and 65535")
        for name in ("burst", "body_limit", "request_timeout", "streams", "threads"):
            if not getattr(self, name) > 0:
                raise Invalid(f"{name} of the server must be above 0")
        if (self.certificate is None) != (self.private_key is None):
            raise Invalid("certificate and private_key of the server go together: set both, or neither")
        if not self.rate >= 0:
            raise Invalid("rate of the server must be 0 or more")
        if not 0 <= self.leeway <= 300:
            raise Invalid("leeway of the server must be between 0 and 300 seconds")
        unknown = sorted(set(self.algorithms) - set(ALGORITHMS))
        if unknown or not self.algorithms:
            rejected = ", ".join(unknown) or "none at all"
            raise Invalid(f"algorithms of the server may be {', '.join(ALGORITHMS)}, not {rejected}")
        for origin in self.cors:
            scheme, _, rest = origin.partition("://")
            if origin != "*" and (scheme not in ("http", "https") or not rest or "/" in rest):
                raise Invalid(f"cors of the server: {origin!r} is not an origin like https://example.org")


def _check_limits(quota: Struct, whose: str) -> None:
    for name in quota.__struct_fields__:
        limit = getattr(quota, name)
        if limit is not None and limit < 1:
            raise Invalid(f"{name} of the quota of {'an' if whose == 'actor' else 'a'} {whose} must be at least 1")


class ActorQuota(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one actor of a world may store and ask for; None is no limit."""

    records: int | None = None
    """How many records an actor may have. Forgotten ones count until they are erased."""
    bytes: int | None = None
    """How many bytes the texts and the metadata of these records may have, in all versions."""
    calls: int | None = None
    """How many calls about an actor a server process answers in a day, by UTC."""

    def __post_init__(self) -> None:
        _check_limits(self, "actor")


class KeyQuota(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one key may do in a day, by UTC, in each server process; None is no limit."""

    records: int | None = None
    """How many records may be stored with a key. The call that reaches the limit is the last that stores any."""
    bytes: int | None = None
    """How many bytes of arguments and files may be sent with a key to verbs that change something."""
    calls: int | None = None
    """How many calls may be made with a key."""

    def __post_init__(self) -> None:
        _check_limits(self, "key")


class Quotas(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What each actor may store, and what each key may do."""

    actor: ActorQuota = ActorQuota()
    """The quota of each actor."""
    key: KeyQuota = KeyQuota()
    """The quota of each key, and of each subject of the issuer."""
    keys: dict[str, KeyQuota] = field(default_factory=dict[str, KeyQuota])
    """Quotas of single keys instead of `key`, by the beginning of their tokens, or by issuer#subject."""

    def of_key(self, subject: str) -> KeyQuota:
        """The quota of one key: its own, or that of each key."""
        return self.keys.get(subject, self.key)


class Logging(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a server writes to standard error."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """The lowest level that is logged. At info and above, the log never contains the text of records."""
    format: Literal["text", "json"] = "text"
    """Lines for people, or one JSON object per line."""
    errors: str | None = None
    """The file that keeps errors; by default errors.jsonl in the user's state folder."""
    audit: str | None = None
    """A file that keeps who administered or destroyed what, a line of JSON each, besides the log of the server."""


class Breaker(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a client stops calling a failing server, and a memory a failing model."""

    failures: int = 3
    """How many consecutive failures open the breaker."""
    seconds: float = 60.0
    """How many seconds it stays open before a trial call."""

    def __post_init__(self) -> None:
        if self.failures < 1 or not self.seconds > 0:
            raise Invalid("failures of the breaker must be at least 1, and seconds above 0")


class Tracing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where OpenTelemetry spans are sent."""

    endpoint: str | None = None
    """The collector, as http://host:4318; by default OTEL_EXPORTER_OTLP_ENDPOINT. Without one, no spans."""
    content: bool = False
    """Whether spans include questions and results, which then leave the memory with the spans."""
