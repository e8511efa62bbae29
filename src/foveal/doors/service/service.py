"""`Service` checks what a caller may do, runs a verb, and reports the call to its observers."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from hashlib import blake2b
from typing import Any, Unpack, cast

import msgspec
from msgspec import Struct

from foveal.compose import Memory
from foveal.doors.service.quotas import CallQuotas
from foveal.engine.memory import View
from foveal.engine.paths import CALLS
from foveal.errors import Conflict, CutOff, Forbidden, Invalid, Unavailable, UnderWay
from foveal.model.query import At
from foveal.model.server import IdempotentRequest, Quotas, Right
from foveal.ports.store import Idempotency
from foveal.ports.system import Clock
from foveal.ports.waiting import counting_stored
from foveal.rules.validation import checked_name, checked_world
from foveal.wire.calls import Call, call_of
from foveal.wire.codec import to_json
from foveal.wire.verbs import VERBS

INVOKE = "invoke"


class Caller(Struct, frozen=True, kw_only=True):
    """Who calls, and what they may do: in which worlds, on whose memory, with which verbs. None means any.

    `verbs` narrows `rights` further, by name. `subject` distinguishes callers that have the same name.
    """

    name: str
    subject: str = ""
    worlds: tuple[str, ...] | None = None
    actors: tuple[str, ...] | None = None
    rights: tuple[Right, ...] = tuple(Right)
    verbs: tuple[str, ...] | None = None

    def admitted(self, call: Call, given: Mapping[str, Any], world: str) -> dict[str, Any]:
        """The checked arguments; `Forbidden` if the caller may not use the verb, the world or the actor.

        The only world or actor that a caller has is filled in. `world` is the default of a call that names none.
        """
        verb = call.verb
        for name in called_verbs(call, given):
            self._require(name)
        arguments = dict(given)
        if call.placed:
            self._place(arguments, "world", self.worlds, world)
            self._place(arguments, "actor_id", self.actors, None)
            for item in cast(list[Any], arguments["items"]) if isinstance(arguments.get("items"), list) else []:
                self._check_item(item)
        elif Right.ADMIN in verb.rights and (self.worlds, self.actors) != (None, None):
            raise Forbidden(f"{verb.name} is about the whole store: it needs a key for all worlds and actors")
        return arguments

    def may(self, verb: str) -> bool:
        """Whether the caller may use a verb at all. `invoke` needs the verbs of its path instead."""
        return {*VERBS[verb].rights} <= {*self.rights} and (self.verbs is None or verb in self.verbs)

    def _require(self, verb: str) -> None:
        if self.may(verb):
            return
        needs, has = " and ".join(VERBS[verb].rights), ", ".join(self.rights) or "nothing"
        only = "" if self.verbs is None else f", with the verbs {', '.join(self.verbs) or 'none'}"
        raise Forbidden(f"this key may not {verb}: that needs {needs}, and the key may {has}{only}", verb=verb)

    def _place(
        self, arguments: dict[str, Any], name: str, allowed: tuple[str, ...] | None, default: str | None
    ) -> None:
        if allowed is None:
            return
        if name not in arguments and (default is None or default not in allowed) and len(allowed) == 1:
            arguments[name] = allowed[0]
        value = arguments.get(name, default)
        if value not in allowed:
            raise Forbidden(f"this key is not for {name} {value!r}", **{name: value})

    def _check_item(self, item: Any) -> None:
        for name, allowed in (("world", self.worlds), ("actor_id", self.actors)):
            if allowed is not None and isinstance(item, Mapping) and name in item:
                if cast(Mapping[str, Any], item)[name] not in allowed:
                    raise Forbidden(f"this key is not for the {name} of an item")


ANYONE = Caller(name="anyone")


def called_verbs(call: Call, given: Mapping[str, Any]) -> tuple[str, ...]:
    """The verbs that a call really uses: behind `invoke`, those of its path; none if there is no such path."""
    if call.verb.name != INVOKE:
        return (call.verb.name,)
    path = given.get("path")
    return CALLS.get(path, ()) if isinstance(path, str) else ()


@dataclass(kw_only=True)
class ServiceCall:
    """A call: its verb, door and caller. `said` holds the admitted arguments, `answer` the result."""

    call: Call
    caller: Caller
    door: str
    request_id: str
    said: Mapping[str, Any] = field(default_factory=dict[str, Any])
    answer: Any = None

    @property
    def verb(self) -> str:
        """The name of the verb."""
        return self.call.verb.name


# Entered before a call and left after it, with the error if it failed. An observer never swallows an error.
Observer = Callable[[ServiceCall], AbstractContextManager[Any]]


LOG = logging.getLogger("foveal.repeats")
LONGEST = 255
# How long an answer is replayed.
KEPT = timedelta(days=1)
# A request counts as running for ALIVE after the last heartbeat of its process, which is sent every BEAT.
ALIVE, BEAT = timedelta(seconds=30), timedelta(seconds=10)


@dataclass(kw_only=True)
class RequestKey:
    """The idempotency key of a request, and, once known, whether its answer is a replay."""

    key: str
    replayed: bool = False


class IdempotentCalls:
    """Runs requests with the same key once, and replays the answer, whichever process is asked.

    A different request under the same key is refused. While the first is running, a repeat is asked to retry; if
    the process of the first died, a repeat gets `CutOff`, since nobody knows whether the work was done. A request
    that failed may be sent again.
    """

    def __init__(self, requests: Idempotency, clock: Clock, world: str) -> None:
        self._requests = requests
        self._clock = clock
        self._world = world
        self._lock = threading.Lock()
        self._running: dict[bytes, str] = {}
        self._beating = False

    def done(self, asked: ServiceCall, once: RequestKey, work: Callable[[], Any]) -> Any:
        """The answer to a call: from running `work` now, or from the first request with this key."""
        if not 0 < len(once.key) <= LONGEST:
            raise Invalid(f"Idempotency-Key must have 1 to {LONGEST} characters")
        wanted = self._request(asked, once.key)
        stored = self._requests.begin_request(wanted, wanted.begun_at - KEPT)
        if stored.holder != wanted.holder:
            answer = _replayable(stored, wanted)
            once.replayed = True
            return asked.call.understood(msgspec.json.decode(answer))
        answer = b""
        try:
            with self._holding(wanted):
                value = work()
            answer = msgspec.json.encode(to_json(value))
        finally:
            self._settle(wanted, answer)
        return value

    def _request(self, asked: ServiceCall, key: str) -> IdempotentRequest:
        now = self._clock.now()
        actor, world = asked.said.get("actor_id"), asked.said.get("world", self._world)
        # The request is recorded before the verb checks its arguments.
        actor = None if actor is None else checked_name(actor, "actor_id")
        world = checked_world(self._world if world is None else world)
        caller = asked.caller.subject or asked.caller.name
        return IdempotentRequest(
            place=_digest(caller, str(world), str(actor), asked.verb, key),
            content=_digest(msgspec.json.encode(asked.said, order="sorted")),
            holder=secrets.token_hex(8),
            begun_at=now,
            until=now + ALIVE,
            world=None if actor is None else world,
            actor_id=actor,
        )

    def _settle(self, request: IdempotentRequest, answer: bytes) -> None:
        try:
            if answer:
                self._requests.end_request(request.place, request.holder, answer)
            else:
                self._requests.drop_request(request.place, request.holder)
        except Unavailable:
            # The caller still gets the result or the error; a repeat will get `CutOff`.
            LOG.warning("the outcome of a request with an idempotency key could not be stored", exc_info=True)

    @contextmanager
    def _holding(self, request: IdempotentRequest) -> Generator[None]:
        with self._lock:
            self._running[request.place] = request.holder
            if not self._beating:
                self._beating = True
                threading.Thread(target=self._beat, name="foveal-repeats", daemon=True).start()
        try:
            yield
        finally:
            with self._lock:
                del self._running[request.place]

    def _beat(self) -> None:
        pause = threading.Event()
        while not pause.wait(BEAT.total_seconds()):
            if not self.beat():
                return

    def beat(self) -> bool:
        """Send a heartbeat for the requests that run in this process. Returns whether there are any."""
        with self._lock:
            running = dict(self._running)
            self._beating = bool(running)
        try:
            if running:
                self._requests.prolong_requests(running, self._clock.now() + ALIVE)
        except Unavailable:
            # Two more heartbeats can follow before the requests count as cut off.
            LOG.warning("the heartbeat of running requests could not be stored", exc_info=True)
        return bool(running)


def _replayable(stored: IdempotentRequest, wanted: IdempotentRequest) -> bytes:
    if stored.content != wanted.content:
        raise Invalid("this Idempotency-Key was used with another body: take a new one")
    if stored.answer is None:
        if stored.until > wanted.begun_at:
            raise UnderWay("the first request with this Idempotency-Key is not done yet: try again", retry_after=1)
        raise CutOff(
            "the first request with this Idempotency-Key was cut off: look whether it was done, and take a new key",
            begun_at=stored.begun_at,
        )
    if not stored.answer:
        raise Conflict("this was done, but its answer was erased with the records in it", begun_at=stored.begun_at)
    return stored.answer


def _digest(*parts: str | bytes) -> bytes:
    digest = blake2b(digest_size=16)
    for part in parts:
        data = part.encode(errors="surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8))
        digest.update(data)
    return digest.digest()


class Service:
    """Runs the verbs for every door of a server: it checks the caller, runs the verb and returns its value.

    `watches` are entered around every call, the first outermost.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        world: str = "default",
        watches: Sequence[Observer] = (),
        quotas: Quotas | None = None,
    ) -> None:
        self.memory = memory
        # Without the default actor of the memory: a server must be told whose memory a call is about.
        self._verbs = View(memory.runtime, {"world": memory.runtime.policy.default_world})
        self._quotas = CallQuotas(quotas or Quotas(), memory.runtime.clock)
        self.world = world
        self._watches = tuple(watches)
        self._idempotent = IdempotentCalls(memory.idempotency, memory.runtime.clock, world)

    def answer(
        self,
        name: str,
        given: Mapping[str, Any],
        caller: Caller,
        *,
        door: str = "python",
        request_id: str | None = None,
        here: Mapping[str, Any] | None = None,
        once: RequestKey | None = None,
    ) -> Any:
        """The answer of a verb to arguments in plain JSON. It blocks: an event loop must run it in a thread.

        `here` holds arguments from the door itself that a caller cannot send, such as a file on this machine. A
        verb that changes something and comes with a key, `once`, runs once.
        """
        call = call_of(name)
        asked = ServiceCall(call=call, caller=caller, door=door, request_id=request_id or secrets.token_hex(8))
        with ExitStack() as watching:
            for watch in self._watches:
                watching.enter_context(watch(asked))
            asked.said = self.admitted(call, given, caller)
            self.charge(caller, asked.said, changes=not call.verb.safe)
            work = partial(call.run, self._verbs, asked.said, here)
            if call.verb.safe:
                asked.answer = work()
            else:
                with self.counted(caller, asked.said, here):
                    asked.answer = work() if once is None else self._idempotent.done(asked, once, work)
        return asked.answer

    def charge(self, caller: Caller, said: Mapping[str, Any], *, changes: bool) -> None:
        """Count a call against the quotas of its key and of its actor; `QuotaExceeded` if one is used up."""
        actor = said.get("actor_id")
        about = f"{said.get('world', self.world)}/{actor}" if isinstance(actor, str) else None
        self._quotas.take(caller.subject, about, changes=changes)

    @contextmanager
    def counted(
        self, caller: Caller, said: Mapping[str, Any], here: Mapping[str, Any] | None = None
    ) -> Generator[None]:
        """Count what is sent, and what is stored inside, for the quota of a key, also if it fails after a part."""
        with counting_stored() as stored:
            try:
                yield
            finally:
                self._quotas.stored(caller.subject, said, here, stored.count)

    def view(self, **at: Unpack[At]) -> View:
        """The memory from the viewpoint of a call that was admitted."""
        return self._verbs.view(**at)

    def admitted(self, call: Call, given: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        """The arguments after checking what the caller may do; `Forbidden` if it may not."""
        return caller.admitted(call, given, self.world)
