"""Authentication: API keys, rate limits, console tickets."""

from __future__ import annotations

import difflib
import hashlib
import hmac
import math
import multiprocessing
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from msgspec import Struct

from foveal.compose import Memory
from foveal.config import Settings
from foveal.doors.service.oidc import HOW, Issuer
from foveal.doors.service.service import ANYONE, INVOKE, Caller
from foveal.errors import Invalid, NotFound, RateLimited, ReadOnly, Unauthenticated, Unavailable
from foveal.model.server import MARK, Issued, Key, Right, Serving
from foveal.ports import store as ports_store
from foveal.ports.system import Clock, SystemClock
from foveal.rules.validation import checked_name, checked_serving, checked_world
from foveal.wire.verbs import VERBS

LONGEST = 16_384
_TOKEN = re.compile(rf"{MARK}_([0-9a-z]{{12}})_([0-9a-f]{{64}})", re.ASCII)


def bearer(authorization: str) -> str:
    """The token in the value of an `Authorization` header.

    >>> bearer("Bearer fov_1_2")
    'fov_1_2'
    """
    scheme, _, token = authorization.strip().partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token or not token.isascii() or " " in token or len(token) > LONGEST:
        raise Unauthenticated(f"the Authorization header is not of the form `Bearer <key>`: {HOW}")
    return token


def is_key(token: str) -> bool:
    """Whether a token has the form of a Foveal key.

    >>> is_key("fov_1_2"), is_key("eyJhbGciOi...")
    (True, False)
    """
    return token.startswith(f"{MARK}_")


def token_of(key_id: str, secret: str) -> str:
    """The token of a key, which is shown only once.

    >>> token_of("k7w2m4x9q1z5", "ab" * 32)[:21]
    'fov_k7w2m4x9q1z5_abab'
    """
    return f"{MARK}_{key_id}_{secret}"


def key_id_of(token: str) -> str | None:
    """The id in a token, or None if it is not a valid token. A token has only one valid spelling.

    >>> key_id_of("fov_k7w2m4x9q1z5_" + "ab" * 32)
    'k7w2m4x9q1z5'
    >>> key_id_of("fov_k7w2m4x9q1z5_" + "AB" * 32)
    """
    match = _TOKEN.fullmatch(token)
    return None if match is None else match[1]


def digest_of(token: str) -> bytes:
    """The hash of a token, which is stored instead of it. It covers the id, so the hash of one key fits no other.

    >>> len(digest_of("fov_k7w2m4x9q1z5_" + "ab" * 32))
    32
    """
    return hashlib.sha256(token.encode()).digest()


def opens(token: str, digest: bytes) -> bool:
    """Whether a token has this hash. The comparison takes constant time.

    >>> opens("fov_1_2", digest_of("fov_1_2")), opens("fov_1_3", digest_of("fov_1_2"))
    (True, False)
    """
    return hmac.compare_digest(digest_of(token), digest)


def require_valid(key: Key, now: datetime) -> None:
    """Raise `Unauthenticated` if a key was revoked or has expired; at `expires_at` itself it has expired.

    >>> from datetime import UTC
    >>> moment = datetime(2026, 1, 1, tzinfo=UTC)
    >>> require_valid(Key(id="1", name="ci", created_at=moment, expires_at=moment), moment)
    Traceback (most recent call last):
    foveal.errors.Unauthenticated: the key fov_1 expired at 2026-01-01T00:00:00+00:00: ask for a new one
    """
    if key.revoked_at is not None:
        raise Unauthenticated(f"the key {key.prefix} was revoked: ask for a new one", key_id=key.id)
    if key.expires_at is not None and now >= key.expires_at:
        raise Unauthenticated(
            f"the key {key.prefix} expired at {key.expires_at.isoformat()}: ask for a new one", key_id=key.id
        )


_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_LENGTH, _SECRET_BYTES = 12, 32


class Keys:
    """Creates, lists and revokes keys, for the command line and for callers whose key covers the whole store.

    `revoked` is called with the id of each key revoked here: `Authenticator.forget` makes that take effect at once.
    """

    def __init__(
        self, store: ports_store.Keys, *, clock: Clock | None = None, revoked: Callable[[str], None] | None = None
    ) -> None:
        self._store = store
        self._clock = clock or SystemClock()
        self._revoked = revoked

    def add(
        self,
        name: str,
        *,
        worlds: Sequence[str] | None = None,
        actors: Sequence[str] | None = None,
        rights: Sequence[str] = (Right.READ,),
        verbs: Sequence[str] | None = None,
        expires_at: datetime | None = None,
        rate: float | None = None,
        burst: int | None = None,
    ) -> Issued:
        """Create a key. Its token appears only in this answer: the store keeps just its hash."""
        now = self._clock.now()
        if expires_at is not None and expires_at <= now:
            raise Invalid(f"a key that expired at {expires_at.isoformat()} would be useless: set a later moment")
        if (rate is not None and not 0 < rate < 1e9) or (burst is not None and burst < 1):
            raise Invalid("the rate of a key must be above 0, and its burst at least 1")
        if rate is None and burst is not None:
            raise Invalid("a burst needs a rate, the number of requests per second")
        allowed = _rights(rights)
        key = Key(
            id=new_key_id(),
            name=checked_name(name, "the name of the key"),
            worlds=_distinct([checked_world(value) for value in worlds] if worlds is not None else None, "worlds"),
            actors=_distinct(
                [checked_name(value, "actor_id") for value in actors] if actors is not None else None, "actors"
            ),
            rights=allowed,
            verbs=_verbs(verbs, allowed),
            created_at=now,
            expires_at=expires_at,
            rate=rate,
            burst=burst,
        )
        token = new_token(key.id)
        self._store.put_key(key, digest_of(token))
        return Issued(token=token, key=key)

    def list(self) -> list[Key]:
        """All keys ever created, oldest first, without secrets."""
        return self._store.keys()

    def revoke(self, key_id: str) -> Key:
        """Revoke a key; a server that has cached it checks again within 5 seconds.

        `key_id` may be the id, the prefix, or the whole token of a leaked key.
        """
        bare_id = key_id.strip().removeprefix(f"{MARK}_").partition("_")[0]
        key = self._store.revoke_key(bare_id, self._clock.now())
        if self._revoked is not None:
            self._revoked(key.id)
        return key


def new_key_id() -> str:
    """A new random key id."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(_ID_LENGTH))


def new_token(key_id: str) -> str:
    """A new token for a key, with 256 random bits."""
    return token_of(key_id, secrets.token_hex(_SECRET_BYTES))


def _rights(names: Sequence[str]) -> tuple[Right, ...]:
    unknown = [name for name in names if name not in {*Right}]
    if unknown or not names:
        raise Invalid(f"rights are {', '.join(Right)}, not {', '.join(map(repr, unknown)) or 'none'}")
    return tuple(right for right in Right if right in names)


def _verbs(names: Sequence[str] | None, rights: Sequence[Right]) -> tuple[str, ...] | None:
    for name in names or ():
        if name not in VERBS:
            near = difflib.get_close_matches(name, VERBS, 1)
            hint = f"did you mean {near[0]}?" if near else "docs/reference/verbs.md lists them"
            raise Invalid(f"there is no verb {name!r}: {hint}")
        if name == INVOKE:
            raise Invalid(
                "invoke calls other verbs, and a key needs those: name them instead, such as crystals.resume"
            )
        missing = [right for right in VERBS[name].rights if right not in rights]
        if missing:
            raise Invalid(f"the verb {name} needs the right {missing[0]}, which the key would not have")
    return _distinct(names, "verbs")


def _distinct(names: Sequence[str] | None, what: str) -> tuple[str, ...] | None:
    if names is not None and not names:
        raise Invalid(f"a key for no {what} would be useless: name some, or leave {what} out for any")
    return None if names is None else tuple(dict.fromkeys(names))


TICKET_MARK = "once_"
# Long enough to open the browser, short enough for a token that stays visible in a terminal.
TICKET = timedelta(hours=1)
SESSION = timedelta(hours=12)
_AGAIN = "start `foveal console` again for another, or sign in with a key"


class _Lock(Protocol):
    """A lock that only the first caller acquires, between threads or between processes."""

    def acquire(self, block: bool = ...) -> bool: ...


class _Flag(Protocol):
    def is_set(self) -> bool: ...
    def set(self) -> None: ...


class _ThreadLock:
    """The lock for the threads of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def acquire(self, block: bool = True) -> bool:
        return self._lock.acquire(blocking=block)


@dataclass(frozen=True)
class ConsoleTicket:
    """A one-time ticket, and the console session that it is exchanged for.

    The session has all rights until it expires, is ended, or the server stops. It is never stored.
    """

    ticket: str
    session: str
    made_at: datetime
    turn: _Lock = field(default_factory=_ThreadLock)
    over: _Flag = field(default_factory=threading.Event)

    def exchange(self, ticket: str, now: datetime) -> tuple[str, datetime]:
        """The token of the session and when it expires, for the first caller that presents the ticket."""
        if not hmac.compare_digest(ticket.encode(), self.ticket.encode()):
            raise Unauthenticated(f"this is no one-time token of this server: {_AGAIN}")
        if now >= self.made_at + TICKET:
            raise Unauthenticated(f"the one-time token has run out: {_AGAIN}")
        if not self.turn.acquire(False):
            raise Unauthenticated(f"the one-time token was used already: {_AGAIN}")
        return self.session, self.made_at + SESSION

    def key(self, key_id: str | None) -> tuple[Key, bytes] | None:
        """The key of the session and the hash of its token, if `key_id` is its id and it has not ended."""
        if key_id is None or key_id != key_id_of(self.session) or self.over.is_set():
            return None
        end = self.made_at + SESSION
        key = Key(id=key_id, name="console", rights=tuple(Right), created_at=self.made_at, expires_at=end)
        return key, digest_of(self.session)

    def end(self, token: str, now: datetime) -> bool:
        """End the session of a token. Returns whether there was one to end."""
        known = self.key(key_id_of(token))
        if known is None or not opens(token, known[1]):
            return False
        require_valid(known[0], now)
        self.over.set()
        return True


def new_pass(now: datetime, *, processes: bool = False) -> ConsoleTicket:
    """A new ticket; with `processes`, one that several processes can share."""
    ticket, session = TICKET_MARK + secrets.token_hex(32), new_token(new_key_id())
    if not processes:
        return ConsoleTicket(ticket, session, now)
    spawn = multiprocessing.get_context("spawn")
    return ConsoleTicket(ticket, session, now, spawn.Lock(), spawn.Event())


class Bucket(Struct, frozen=True):
    """How many requests are available, and at which moment."""

    free: float
    at: datetime


def drawn(bucket: Bucket | None, now: datetime, *, rate: float, burst: int) -> tuple[Bucket, float]:
    """The bucket after a request, and how many seconds to wait: 0 when the request is allowed.

    The bucket refills at `rate` requests a second up to `burst`; None is a full bucket. A refused request takes
    nothing. Setting the clock back adds and removes nothing.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> bucket, wait = drawn(None, noon, rate=2, burst=1)
    >>> wait, drawn(bucket, noon, rate=2, burst=1)[1]
    (0.0, 0.5)
    """
    passed = 0.0 if bucket is None else max(0.0, (now - bucket.at).total_seconds())
    free = float(burst) if bucket is None else min(float(burst), bucket.free + passed * rate)
    if free >= 1:
        return Bucket(free - 1, now), 0.0
    return Bucket(free, now), (1 - free) / rate


def burst_of(rate: float, burst: int | None) -> int:
    """How many requests may come at once: `burst` if set, else the requests of two seconds, at least one.

    >>> burst_of(10, None), burst_of(0.1, None), burst_of(10, 3)
    (20, 1, 3)
    """
    return burst if burst is not None else max(1, int(2 * rate))


# How long a key is cached: until then, one that another process revoked still works. Open streams look once a
# second, so a revocation takes effect within 5 seconds.
REMEMBERED = timedelta(seconds=4)
# The last uses of keys are written in one batch, at most this often.
NOTED = timedelta(minutes=1)
_MOST_KEYS, _MOST_BUCKETS = 1_024, 16_384
# The digest that an unknown id is compared with, so that it takes as long as a known one.
_NOBODY = digest_of("")

Known = tuple[Key, bytes]


def _in_background(work: Callable[[], None]) -> None:
    threading.Thread(target=work, name="foveal-keys", daemon=True).start()


class Authenticator:
    """Authenticates callers by a key, by a token of the issuer or, if the server is open, without either.

    A key that is sent to an open server still narrows what its holder may do. Safe to share between threads. It may
    query the store or the issuer, so an event loop must run it in a thread.
    """

    def __init__(
        self,
        keys: ports_store.Keys,
        serving: Serving,
        *,
        issuer: Issuer | None = None,
        clock: Clock | None = None,
        later: Callable[[Callable[[], None]], None] = _in_background,
    ) -> None:
        self._keys = keys
        self._serving = serving
        self._issuer = issuer
        self._clock = clock or SystemClock()
        self._later = later
        self._lock = threading.Lock()
        self._ticket: ConsoleTicket | None = None
        self._known: OrderedDict[str, tuple[Known, datetime]] = OrderedDict()
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()
        self._used: dict[str, datetime] = {}
        self._noted = self._clock.now()

    def caller(self, authorization: str | None, *, now: datetime | None = None) -> Caller:
        """The caller, from the value of the `Authorization` header; each call counts as one request.

        `Unauthenticated` says what to send. `RateLimited` has the seconds to wait in its data, as `retry_after`.
        """
        return self._caller(authorization, now or self._clock.now(), counts=True)

    def recheck(self, authorization: str | None) -> Caller:
        """The caller of a stream that is still open, without counting a request; raises as `caller` does."""
        return self._caller(authorization, self._clock.now(), counts=False)

    def _caller(self, authorization: str | None, moment: datetime, *, counts: bool) -> Caller:
        if authorization is None or not authorization.strip():
            if self._serving.auth != "open":
                raise Unauthenticated(f"this server asks for a key: {HOW}")
            return ANYONE
        token = bearer(authorization)
        if is_key(token):
            return self._by_key(token, moment, counts=counts)
        if self._issuer is None:
            raise Unauthenticated(f"this is not a key of this server: {HOW}")
        caller = self._issuer.caller(token, moment)
        if counts:
            self._draw(caller.subject, self._serving.rate, self._serving.burst, moment)
        return caller

    def admit(self, given: ConsoleTicket) -> None:
        """Accept the session of a console once its ticket has been exchanged."""
        self._ticket = given

    def session(self, ticket: str) -> tuple[str, datetime]:
        """The token of the console session and when it expires, in exchange for its one-time ticket."""
        if self._ticket is None:
            raise Unauthenticated("this server gave out no one-time token: sign in with a key")
        return self._ticket.exchange(ticket, self._clock.now())

    def leave(self, authorization: str | None) -> bool:
        """End the console session of an `Authorization` header; whether there was one. Keys are not revoked."""
        token = bearer(authorization) if authorization else ""
        return self._ticket is not None and self._ticket.end(token, self._clock.now())

    def forget(self, key_id: str) -> None:
        """Drop a key from the cache, because it was changed in this process."""
        with self._lock:
            self._known.pop(key_id, None)

    def flush(self, *, wait: bool = True) -> None:
        """Write when keys were last used; a server does this once more when it stops.

        If the store is busy, it is tried again later; if it is read-only, the uses are dropped.
        """
        with self._lock:
            used, self._used = self._used, {}
        try:
            if used:
                self._keys.use_keys(used, wait=wait)
        except ReadOnly:
            return
        except Unavailable:
            with self._lock:
                self._used = {**used, **self._used}

    def _by_key(self, token: str, now: datetime, *, counts: bool) -> Caller:
        key_id = key_id_of(token)
        key, digest = (None, _NOBODY) if key_id is None else self._look_up(key_id, now)
        if not opens(token, digest) or key is None:
            raise Unauthenticated(f"this key is not known here: {HOW}")
        require_valid(key, now)
        if counts:
            rate = self._serving.rate if key.rate is None else key.rate
            burst = self._serving.burst if key.rate is None else burst_of(key.rate, key.burst)
            self._draw(key.id, rate, burst, now)
            self._note(key.id, now)
        return Caller(
            name=key.name,
            subject=key.prefix,
            worlds=key.worlds,
            actors=key.actors,
            rights=key.rights,
            verbs=key.verbs,
        )

    def _look_up(self, key_id: str, now: datetime) -> tuple[Key | None, bytes]:
        session = self._ticket_key(key_id)
        if session is not None:
            return session
        with self._lock:
            known, looked_up_at = self._known.get(key_id, (None, now))
        if known is not None and timedelta(0) <= now - looked_up_at < REMEMBERED:
            return known
        try:
            known = self._keys.key(key_id)
        except NotFound:
            return None, _NOBODY
        with self._lock:
            self._known[key_id] = (known, now)
            self._known.move_to_end(key_id)
            if len(self._known) > _MOST_KEYS:
                self._known.popitem(last=False)
        return known

    def _ticket_key(self, key_id: str) -> Known | None:
        return None if self._ticket is None else self._ticket.key(key_id)

    def _draw(self, name: str, rate: float, burst: int, now: datetime) -> None:
        if not rate:
            return
        with self._lock:
            self._buckets[name], wait = drawn(self._buckets.get(name), now, rate=rate, burst=burst)
            self._buckets.move_to_end(name)
            if len(self._buckets) > _MOST_BUCKETS:
                self._buckets.popitem(last=False)
        if wait:
            seconds = math.ceil(wait)
            raise RateLimited(
                f"more than {rate:g} requests a second, or {burst} at once: wait {seconds} s",
                retry_after=seconds,
                rate=rate,
                burst=burst,
            )

    def _note(self, key_id: str, now: datetime) -> None:
        if self._ticket_key(key_id) is not None:
            return
        with self._lock:
            self._used[key_id] = now
            due = now - self._noted >= NOTED
            if due:
                self._noted = now
        if due:
            self._later(lambda: self.flush(wait=False))


def open_authenticator(memory: Memory, settings: Settings, *, clock: Clock | None = None) -> Authenticator:
    """The authenticator that the server settings describe, with the keys of a memory."""
    serving = checked_serving(settings.server)
    issuer = None
    if serving.auth == "oidc" and serving.issuer is not None:
        from foveal.doors.service.oidc import key_source

        fetch = key_source(serving.issuer, serving.jwks)
        issuer = Issuer(serving, fetch, world=settings.policy.default_world)
    return Authenticator(memory.keys, serving, issuer=issuer, clock=clock)
