"""`Service`: admits a caller, runs a verb, with observers around it."""

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
from typing import Any, cast

import msgspec
from msgspec import Struct

from foveal.compose import Memory
from foveal.errors import Conflict, CutOff, Forbidden, Invalid, Unavailable, UnderWay
from foveal.model.server import IdempotentRequest, Right
from foveal.ports.store import Idempotency
from foveal.ports.system import Clock
from foveal.wire.calls import Call, call_of
from foveal.wire.codec import to_json


class Caller(Struct, frozen=True, kw_only=True):
    """Who calls, and what they may: in which worlds, on whose memory, with which verbs. None is any.

    `verbs` narrows `rights` further, by name. `subject` tells callers apart who have the same name.
    """

    name: str
    subject: str = ""
    worlds: tuple[str, ...] | None = None
    actors: tuple[str, ...] | None = None
    rights: tuple[Right, ...] = tuple(Right)
    verbs: tuple[str, ...] | None = None

    def admitted(self, call: Call, given: Mapping[str, Any], world: str) -> dict[str, Any]:
        """The arguments, with the only world and actor that the caller has filled in; `Forbidden` for any other.

        `world` is the one that a call means which names none.
        """
        verb = call.verb
        if verb.right not in self.rights or (self.verbs is not None and verb.name not in self.verbs):
            raise Forbidden(
                f"this key may not {verb.name}: it may {', '.join(self.verbs or self.rights) or 'nothing'}"
            )
        said = dict(given)
        if call.placed:
            self._place(said, "world", self.worlds, world)
            self._place(said, "actor_id", self.actors, None)
            for item in cast(list[Any], said["items"]) if isinstance(said.get("items"), list) else []:
                self._look(item)
        elif verb.right is Right.ADMIN and (self.worlds, self.actors) != (None, None):
            raise Forbidden(f"{verb.name} is about the whole store: it needs a key for all worlds and actors")
        return said

    def _place(self, said: dict[str, Any], name: str, allowed: tuple[str, ...] | None, default: str | None) -> None:
        if allowed is None:
            return
        if name not in said and (default is None or default not in allowed) and len(allowed) == 1:
            said[name] = allowed[0]
        if said.get(name, default) not in allowed:
            raise Forbidden(
                f"this key is not for {name} {said.get(name, default)!r}", **{name: said.get(name, default)}
            )

    def _look(self, item: Any) -> None:
        for name, allowed in (("world", self.worlds), ("actor_id", self.actors)):
            if allowed is not None and isinstance(item, Mapping) and name in item:
                if cast(Mapping[str, Any], item)[name] not in allowed:
                    raise Forbidden(f"this key is not for the {name} of an item")


ANYONE = Caller(name="anyone")


@dataclass(kw_only=True)
class ServiceCall:
    """A call: which verb, at which door, by whom. `said` is what was let in, `answer` what came of it."""

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


# Entered before a call and left after it, with the error if it failed. A watch never swallows one.
Observer = Callable[[ServiceCall], AbstractContextManager[Any]]


LOG = logging.getLogger("foveal.repeats")
LONGEST = 255
# So long an answer is given again.
KEPT = timedelta(days=1)
# So long a request counts as under way after its process was last heard of, and so often it is heard of.
ALIVE, BEAT = timedelta(seconds=30), timedelta(seconds=10)


@dataclass(kw_only=True)
class RequestKey:
    """The key that a request came with; and whether it was done before, once that is known."""

    key: str
    replayed: bool = False


class IdempotentCalls:
    """Does what comes under one key once, and gives its answer again, whichever process is asked.

    Something else under the same key is refused. While the first is under way, another is told to come back; when
    its process died meanwhile, that is told, for nobody knows whether it was done. What failed may be sent again.
    """

    def __init__(self, errands: Idempotency, clock: Clock, world: str) -> None:
        self._errands = errands
        self._clock = clock
        self._world = world
        self._lock = threading.Lock()
        self._held: dict[bytes, str] = {}
        self._beating = False

    def done(self, asked: ServiceCall, once: RequestKey, work: Callable[[], Any]) -> Any:
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
            answer = msgspec.json.encode(to_json(value))
        finally:
            self._settle(wanted, answer)
        return value

    def _errand(self, asked: ServiceCall, key: str) -> IdempotentRequest:
        now = self._clock.now()
        actor = asked.said.get("actor_id")
        world = asked.said.get("world", self._world)
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

    def _settle(self, errand: IdempotentRequest, answer: bytes) -> None:
        try:
            if answer:
                self._errands.end_errand(errand.place, errand.holder, answer)
            else:
                self._errands.drop_errand(errand.place, errand.holder)
        except Unavailable:
            # What was done is done, and what failed is told: who asks again learns that it was cut off.
            LOG.warning("what became of a request under a key could not be kept", exc_info=True)

    @contextmanager
    def _holding(self, errand: IdempotentRequest) -> Generator[None]:
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


def _known(kept: IdempotentRequest, wanted: IdempotentRequest) -> bytes:
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


class Service:
    """What every door of a server calls: it lets in who may, runs the verb, and answers with its value.

    `watches` are entered around every call, the first outermost.
    """

    def __init__(self, memory: Memory, *, world: str = "default", watches: Sequence[Observer] = ()) -> None:
        self.memory = memory
        self.world = world
        self._watches = tuple(watches)
        self._repeats = IdempotentCalls(memory.idempotency, memory.runtime.clock, world)

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
        """What a verb answers to arguments in plain JSON. It blocks: an event loop runs it in a thread.

        `here` are arguments of the door itself, which a caller cannot say: a file of this machine. What changes
        something and comes under a key, `once`, is done once.
        """
        call = call_of(name)
        asked = ServiceCall(call=call, caller=caller, door=door, request_id=request_id or secrets.token_hex(8))
        with ExitStack() as watching:
            for watch in self._watches:
                watching.enter_context(watch(asked))
            asked.said = self.admitted(call, given, caller)
            work = partial(call.run, self.memory, asked.said, here)
            keyed = None if call.verb.safe else once
            asked.answer = work() if keyed is None else self._repeats.done(asked, keyed, work)
        return asked.answer

    def admitted(self, call: Call, given: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        """The arguments as the caller may say them; `Forbidden` if it may not."""
        return caller.admitted(call, given, self.world)
