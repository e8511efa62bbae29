"""Who may come in."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timedelta

from foveal.compose import Memory
from foveal.config import Settings
from foveal.doors.service.caller import ANYONE, Caller
from foveal.doors.service.issuer import Issuer
from foveal.doors.service.passing import Pass
from foveal.errors import NotFound, RateLimited, ReadOnly, Unauthenticated, Unavailable
from foveal.model.server import Key, Serving
from foveal.ports import store
from foveal.ports.system import Clock, SystemClock
from foveal.rules.keys import HOW, bearer, digest_of, is_key, key_id_of, opens, refuse_ended
from foveal.rules.limiting import Bucket, burst_of, drawn
from foveal.rules.validation import checked_serving

# A key is looked up again after so long: within it, one that another process revoked still opens.
REMEMBERED = timedelta(seconds=5)
# The last use of keys is written together, so often at most.
NOTED = timedelta(minutes=1)
_MOST_KEYS, _MOST_BUCKETS = 1_024, 16_384
# What an unknown id is compared with, so that it takes as long as a known one.
_NOBODY = digest_of("")

Known = tuple[Key, bytes]


def _beside(work: Callable[[], None]) -> None:
    threading.Thread(target=work, name="foveal-keys", daemon=True).start()


class Guard:
    """Lets callers in by a key, by a token of the issuer or, where the server is open, without either.

    A key that is shown to an open server still narrows what its holder may. Safe to share between threads. It may
    ask the store or the issuer: an event loop runs it in a thread.
    """

    def __init__(
        self,
        keys: store.Keys,
        serving: Serving,
        *,
        issuer: Issuer | None = None,
        clock: Clock | None = None,
        later: Callable[[Callable[[], None]], None] = _beside,
    ) -> None:
        self._keys = keys
        self._serving = serving
        self._issuer = issuer
        self._clock = clock or SystemClock()
        self._later = later
        self._lock = threading.Lock()
        self._pass: Pass | None = None
        self._known: OrderedDict[str, tuple[Known, datetime]] = OrderedDict()
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()
        self._used: dict[str, datetime] = {}
        self._noted = self._clock.now()

    def caller(self, authorization: str | None, *, now: datetime | None = None) -> Caller:
        """Who calls, from the value of the `Authorization` header; each call counts as one request.

        `Unauthenticated` says what to send. `RateLimited` has the seconds to wait in its data, as `retry_after`.
        """
        moment = now or self._clock.now()
        if authorization is None or not authorization.strip():
            if self._serving.auth != "open":
                raise Unauthenticated(f"this server asks for a key: {HOW}")
            return ANYONE
        token = bearer(authorization)
        if is_key(token):
            return self._by_key(token, moment)
        if self._issuer is None:
            raise Unauthenticated(f"this is not a key of this server: {HOW}")
        found = self._issuer.caller(token, moment)
        self._draw(found.subject, self._serving.rate, self._serving.burst, moment)
        return found

    def admit(self, given: Pass) -> None:
        """Let in the session of a console, once its ticket was exchanged."""
        self._pass = given

    def session(self, ticket: str) -> tuple[str, datetime]:
        """The token of the session of the console and when it runs out, for its one-time ticket."""
        if self._pass is None:
            raise Unauthenticated("this server gave out no one-time token: sign in with a key")
        return self._pass.exchange(ticket, self._clock.now())

    def leave(self, authorization: str | None) -> bool:
        """End the session that the `Authorization` header is of; whether it was of one. A key is not revoked."""
        token = bearer(authorization) if authorization else ""
        return self._pass is not None and self._pass.end(token, self._clock.now())

    def forget(self, key_id: str) -> None:
        """Look a key up again at its next call: it was changed in this process."""
        with self._lock:
            self._known.pop(key_id, None)

    def flush(self, *, wait: bool = True) -> None:
        """Write when keys were last used; a server does so once more at its end.

        A store that is busy is tried again later, one that is read-only never.
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

    def _by_key(self, token: str, now: datetime) -> Caller:
        key_id = key_id_of(token)
        key, digest = (None, _NOBODY) if key_id is None else self._look_up(key_id, now)
        if not opens(token, digest) or key is None:
            raise Unauthenticated(f"this key is not known here: {HOW}")
        refuse_ended(key, now)
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
        passed = self._passed(key_id)
        if passed is not None:
            return passed
        with self._lock:
            found, at = self._known.get(key_id, (None, now))
        if found is not None and timedelta(0) <= now - at < REMEMBERED:
            return found
        try:
            found = self._keys.key(key_id)
        except NotFound:
            return None, _NOBODY
        with self._lock:
            self._known[key_id] = (found, now)
            self._known.move_to_end(key_id)
            if len(self._known) > _MOST_KEYS:
                self._known.popitem(last=False)
        return found

    def _passed(self, key_id: str) -> Known | None:
        return None if self._pass is None else self._pass.key(key_id)

    def _draw(self, name: str, rate: float, most: int, now: datetime) -> None:
        if not rate:
            return
        with self._lock:
            self._buckets[name], wait = drawn(self._buckets.get(name), now, rate=rate, burst=most)
            self._buckets.move_to_end(name)
            if len(self._buckets) > _MOST_BUCKETS:
                self._buckets.popitem(last=False)
        if wait:
            seconds = math.ceil(wait)
            raise RateLimited(
                f"more than {rate:g} requests a second, or {most} at once: wait {seconds} s",
                retry_after=seconds,
                rate=rate,
                burst=most,
            )

    def _note(self, key_id: str, now: datetime) -> None:
        if self._passed(key_id) is not None:
            return
        with self._lock:
            self._used[key_id] = now
            due = now - self._noted >= NOTED
            if due:
                self._noted = now
        if due:
            self._later(lambda: self.flush(wait=False))


def open_guard(memory: Memory, settings: Settings, *, clock: Clock | None = None) -> Guard:
    """The guard that the settings of a server ask for, with the keys of a memory."""
    serving = checked_serving(settings.server)
    issuer = None
    if serving.auth == "oidc" and serving.issuer is not None:
        from foveal.backends.jwks import key_source

        fetch = key_source(serving.issuer, serving.jwks)
        issuer = Issuer(serving, fetch, world=settings.policy.default_world)
    return Guard(memory.keys, serving, issuer=issuer, clock=clock)
