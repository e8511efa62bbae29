"""Requests that are sent twice with one key, and done once."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b
from typing import Any

import msgspec

from foveal.doors.service.asked import Asked
from foveal.errors import Conflict, CutOff, Invalid, Unavailable, UnderWay
from foveal.model.server import Errand
from foveal.ports.store import Errands
from foveal.ports.system import Clock
from foveal.wire.codec import plain

LOG = logging.getLogger("foveal.repeats")
LONGEST = 255
# So long an answer is given again.
KEPT = timedelta(days=1)
# So long a request counts as under way after its process was last heard of, and so often it is heard of.
ALIVE, BEAT = timedelta(seconds=30), timedelta(seconds=10)


@dataclass(kw_only=True)
class Once:
    """The key that a request came with; and whether it was done before, once that is known."""

    key: str
    replayed: bool = False


class Repeats:
    """Does what comes under one key once, and gives its answer again, whichever process is asked.

    Something else under the same key is refused. While the first is under way, another is told to come back; when
    its process died meanwhile, that is told, for nobody knows whether it was done. What failed may be sent again.
    """

    def __init__(self, errands: Errands, clock: Clock, world: str) -> None:
        self._errands = errands
        self._clock = clock
        self._world = world
        self._lock = threading.Lock()
        self._held: dict[bytes, str] = {}
        self._beating = False

    def done(self, asked: Asked, once: Once, work: Callable[[], Any]) -> Any:
        """The answer to a call: of the work done now, or when it was first asked."""
        if not 0 < len(once.key) <= LONGEST:
            raise Invalid(f"Idempotency-Key must have 1 to {LONGEST} characters")
        wanted = self._errand(asked, once.key)
        kept = self._errands.begin_errand(wanted, wanted.begun_at - KEPT)
        if kept.holder != wanted.holder:
            answer = _known(kept, wanted)
            once.replayed = True
            return asked.call.understood(msgspec.json.decode(answer))
        answer = b""
        try:
            with self._holding(wanted):
                value = work()
            answer = msgspec.json.encode(plain(value))
        finally:
            self._settle(wanted, answer)
        return value

    def _errand(self, asked: Asked, key: str) -> Errand:
        now = self._clock.now()
        actor = asked.said.get("actor_id")
        world = asked.said.get("world", self._world)
        caller = asked.caller.subject or asked.caller.name
        return Errand(
            place=_digest(caller, str(world), str(actor), asked.verb, key),
            content=_digest(msgspec.json.encode(asked.said, order="sorted")),
            holder=secrets.token_hex(8),
            begun_at=now,
            until=now + ALIVE,
            world=None if actor is None else world,
            actor_id=actor,
        )

    def _settle(self, errand: Errand, answer: bytes) -> None:
        try:
            if answer:
                self._errands.end_errand(errand.place, errand.holder, answer)
            else:
                self._errands.drop_errand(errand.place, errand.holder)
        except Unavailable:
            # What was done is done, and what failed is told: who asks again learns that it was cut off.
            LOG.warning("what became of a request under a key could not be kept", exc_info=True)

    @contextmanager
    def _holding(self, errand: Errand) -> Generator[None]:
        with self._lock:
            self._held[errand.place] = errand.holder
            if not self._beating:
                self._beating = True
                threading.Thread(target=self._beat, name="foveal-repeats", daemon=True).start()
        try:
            yield
        finally:
            with self._lock:
                del self._held[errand.place]

    def _beat(self) -> None:
        pause = threading.Event()
        while not pause.wait(BEAT.total_seconds()):
            if not self.beat():
                return

    def beat(self) -> bool:
        """Say that what is under way here still is; whether anything is."""
        with self._lock:
            held = dict(self._held)
            self._beating = bool(held)
        try:
            if held:
                self._errands.prolong_errands(held, self._clock.now() + ALIVE)
        except Unavailable:
            # There are two more beats until it counts as cut off.
            LOG.warning("what is under way could not be told", exc_info=True)
        return bool(held)


def _known(kept: Errand, wanted: Errand) -> bytes:
    if kept.content != wanted.content:
        raise Invalid("this Idempotency-Key was used with another body: take a new one")
    if kept.answer is None:
        if kept.until > wanted.begun_at:
            raise UnderWay("the first request with this Idempotency-Key is not done yet: try again", retry_after=1)
        raise CutOff(
            "the first request with this Idempotency-Key was cut off: look whether it was done, and take a new key",
            begun_at=kept.begun_at,
        )
    if not kept.answer:
        raise Conflict("this was done, and its answer was erased with what it told of", begun_at=kept.begun_at)
    return kept.answer


def _digest(*parts: str | bytes) -> bytes:
    digest = blake2b(digest_size=16)
    for part in parts:
        data = part.encode(errors="surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8))
        digest.update(data)
    return digest.digest()
