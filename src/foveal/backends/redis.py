"""Bus and cache shared through Redis."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta
from itertools import islice
from typing import Any, NamedTuple, cast
from uuid import uuid4

import msgspec
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from foveal.backends.breaker import Breaker
from foveal.backends.in_process import RING_ROOM, Queue, RingBus
from foveal.errors import CircuitOpen, Invalid
from foveal.model.notice import Kind, Mark, Notice, mark_of
from foveal.ports.system import Clock, Heard, Traffic

# How long anybody waits for the server.
PATIENCE = timedelta(milliseconds=250)
# How long one that was away is let alone.
PAUSE = timedelta(seconds=1)
# What a call to the server may raise.
FAILURES = (RedisError, OSError)


def connect(url: str, patience: timedelta | None = None) -> Redis:
    """A client of the server at a URL, redis://, rediss:// or unix://. It asks once, and not for long."""
    seconds = (patience or PATIENCE).total_seconds()
    try:
        return Redis.from_url(
            url,
            socket_connect_timeout=PATIENCE.total_seconds(),
            socket_timeout=seconds,
            retry=Retry(NoBackoff(), 0),
            client_name="foveal",
        )
    except ValueError:
        # The reason may quote a part of the password.
        raise Invalid("the setting redis must be redis://host:port/number, rediss://… or unix://…") from None


def reason_of(error: BaseException) -> str:
    """Why a server did not answer, in a few words and without its password.

    >>> reason_of(TimeoutError("x"))
    'Redis does not answer (TimeoutError)'
    """
    return f"Redis does not answer ({type(error).__name__})"


class RedisCache:
    """Values in a Redis server. When it does not answer, nothing is known, and for a second it is not asked."""

    def __init__(self, url: str, *, prefix: str = "foveal") -> None:
        self._client = connect(url)
        self._prefix = f"{{{prefix}}}:cache:"
        self._reason = ""
        # It costs a quarter of a second to find out that it is away, and it is never needed: one failure is enough.
        self.breaker = Breaker(failures=1, reset=PAUSE)

    def get(self, keys: Sequence[str]) -> list[bytes | None]:
        """What is known for each key: nothing while the server is away."""
        unknown: list[bytes | None] = [None] * len(keys)
        epoch = self._entered() if keys else None
        if epoch is None:
            return unknown
        try:
            found = cast(Any, self._client.mget([self._prefix + key for key in keys]))
        except FAILURES as error:
            self._fail(epoch, error)
            return unknown
        self._work(epoch)
        return list(found)

    def put(self, values: Mapping[str, bytes], ttl: timedelta) -> None:
        """Keep values, so long at most, unless the server is away."""
        epoch = self._entered() if values else None
        if epoch is None:
            return
        try:
            if len(values) == 1:
                [(key, value)] = values.items()
                self._client.set(self._prefix + key, value, px=ttl)
            else:
                with self._client.pipeline(transaction=False) as line:
                    for key, value in values.items():
                        line.set(self._prefix + key, value, px=ttl)
                    line.execute()
        except FAILURES as error:
            self._fail(epoch, error)
        else:
            self._work(epoch)

    def _entered(self) -> int | None:
        try:
            return self.breaker.enter()
        except CircuitOpen:
            return None

    def _work(self, epoch: int) -> None:
        self._reason = ""
        self.breaker.succeeded(epoch)

    def _fail(self, epoch: int, error: BaseException) -> None:
        self._reason = reason_of(error)
        self.breaker.failed(epoch)

    @property
    def away(self) -> str:
        """Why the server does not answer; asked again if that was a while ago."""
        if self._reason and not self.breaker.waiting:
            self.get(["away"])
        return self._reason

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


NOWHERE = "0-0"
# So many the stream holds for those who are slow to read it: more than anybody keeps.
HELD = 10_000

# Ids are the server's time, and grow also when its clock is set back or it has lost everything: they come after
# what the sender knows. Each entry names the one before it, so that who reads knows whether something is missing.
_ADD = """
local function mark(id)
  local ms, number = string.match(id, '(%d+)-(%d+)')
  return tonumber(ms), tonumber(number)
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local before, ms, number = '0-0', mark(ARGV[1])
for place, key in ipairs(KEYS) do
  local newest = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)
  if newest[1] then
    local its_ms, its_number = mark(newest[1][1])
    if place == 1 then before = newest[1][1] end
    if its_ms > ms or (its_ms == ms and its_number > number) then ms, number = its_ms, its_number end
  end
end
for place = 4, #ARGV, 3 do
  if now > ms then ms, number = now, 0 else number = number + 1 end
  local id = string.format('%.0f-%.0f', ms, number)
  local keys = {KEYS[1]}
  if ARGV[place + 2] == '1' then keys[2] = KEYS[2] end
  for _, key in ipairs(keys) do
    redis.call('XADD', key, 'MAXLEN', '~', ARGV[2], id, 'before', before, 'origin', ARGV[3],
      'number', ARGV[place], 'notice', ARGV[place + 1])
  end
  before = id
end
return before
"""


class Sent(NamedTuple):
    """A notice of one process, with its number there."""

    number: int
    notice: Notice


class Entry(NamedTuple):
    """A notice in the stream: where it is, what is before it, and who sent it."""

    id: str
    before: str
    origin: str
    number: int
    notice: Notice | None


class History(NamedTuple):
    """What a stream holds, where it ends, and from where on nothing is lost: of errors, and of the rest."""

    entries: list[Entry]
    end: str
    since: dict[bool, Mark]


class Stream:
    """The last notices, and beside them the last errors, which traffic does not drive out."""

    def __init__(self, client: Redis, prefix: str, room: int) -> None:
        self._client = client
        # The braces keep both in one part of a cluster.
        self._keys = (f"{{{prefix}}}:notices", f"{{{prefix}}}:errors")
        self._room = room
        self._add = client.register_script(_ADD)

    def add(self, sent: Sequence[Sent], *, origin: str, after: str) -> None:
        """Put notices at the end, all or none, with ids after this one."""
        told: list[Any] = [after, max(self._room, HELD), origin]
        for one in sent:
            told += [one.number, msgspec.json.encode(one.notice), int(one.notice.kind is Kind.ERROR)]
        self._add(keys=self._keys, args=told)

    def after(self, last: str, wait_ms: int) -> list[Entry]:
        """The entries after one, waiting for the first of them."""
        found = cast(
            "Sequence[Any] | dict[Any, Any] | None",
            self._client.xread({self._keys[0]: last}, count=500, block=wait_ms),
        )
        if not found:
            return []
        rows = next(iter(found.values()))[0] if isinstance(found, dict) else found[0][1]
        return [_entry(*row) for row in rows]

    def history(self) -> History:
        """What is kept now, in its order."""
        with self._client.pipeline(transaction=True) as line:
            for key in self._keys:
                line.xrevrange(key, count=self._room)
            line.time()
            rest, errors, (seconds, micros) = cast(Any, line.execute())
        # Just before what may be told from now on.
        now: Mark = (seconds * 1000 + micros // 1000 - 1, 0)
        every = {one.id: one for one in (_entry(*row) for row in (*errors, *rest))}
        first = mark_of(rest[-1][0].decode()) if rest else now
        oldest = mark_of(errors[-1][0].decode()) if errors else first
        return History(
            entries=sorted(every.values(), key=lambda one: mark_of(one.id)),
            end=rest[0][0].decode() if rest else NOWHERE,
            since={False: first, True: oldest if len(errors) >= self._room else min(first, oldest)},
        )


def _entry(place: bytes, fields: dict[bytes, bytes]) -> Entry:
    try:
        notice = msgspec.json.decode(fields[b"notice"], type=Notice)
    except (KeyError, msgspec.DecodeError):
        # Of a release that knows other notices: to this one it is a gap.
        notice = None
    return Entry(
        id=place.decode(),
        before=fields.get(b"before", b"").decode(),
        origin=fields.get(b"origin", b"").decode(),
        number=int(fields.get(b"number", b"0")),
        notice=None if notice is None else msgspec.structs.replace(notice, id=place.decode()),
    )


# So many notices are sent at a time.
BATCH = 200
# So many wait to be sent while the server is away.
OUTBOX = 10_000
# How long to wait for an entry before looking whether to end.
BLOCK_MS = 1_000
# How often a server is asked whether it is there, when there is nothing to send.
IDLE = timedelta(seconds=5)
# So many senders are remembered, to hear nothing of theirs twice.
SENDERS = 1_000


class RedisBus:
    """Sends notices in a thread and hears those of all processes in another: who tells something never waits.

    What was told while the server is away is heard in this process at once, and by the others when it is back. They
    hear everything in its order, once, or a gap.
    """

    def __init__(
        self, url: str, *, prefix: str = "foveal", room: int = RING_ROOM, clock: Clock | None = None
    ) -> None:
        self._sending_client = connect(url)
        self._sending = Stream(self._sending_client, prefix, room)
        self._hearing_client = connect(url, patience=PATIENCE * 12)
        self._hearing = Stream(self._hearing_client, prefix, room)
        self._ring = RingBus(room=room, clock=clock)
        self._own = RingBus(room=room, clock=clock)
        self._origin = uuid4().hex
        self._state = threading.Condition()
        self._outbox: deque[Sent] = deque()
        self._number = 0
        # What this process heard already, because the server was away.
        self._told_here: set[int] = set()
        self._tell_tear = False
        self._heard: OrderedDict[str, int] = OrderedDict()
        self._end: str | None = None
        self._away: dict[str, str] = {}
        self._closing = False
        self._closed = threading.Event()
        self._sender: threading.Thread | None = None
        self._listener: threading.Thread | None = None

    def publish(self, notice: Notice) -> None:
        """Tell a notice: it is sent soon. While the server is away, this process hears it, the others later."""
        with self._state:
            self._own.publish(notice)
            self._number += 1
            sent = Sent(self._number, notice)
            self._outbox.append(sent)
            if len(self._outbox) > OUTBOX:
                self._told_here.discard(self._outbox.popleft().number)
            if self._away:
                self._tell_here(sent)
            self._start_sender()
            self._state.notify_all()

    def _start_sender(self) -> None:
        self._sender = self._sender or self._started(self._send, "sender")

    def _started(self, work: Callable[[], None], name: str) -> threading.Thread:
        thread = threading.Thread(target=work, name=f"foveal-redis-{name}", daemon=True)
        thread.start()
        return thread

    def _tell_here(self, sent: Sent) -> None:
        if sent.number not in self._told_here:
            self._told_here.add(sent.number)
            self._tell_tear = True
            self._ring.publish(sent.notice)

    def _send(self) -> None:
        while not self._closed.is_set():
            with self._state:
                idle = 0.0 if "send" in self._away else IDLE.total_seconds()
                self._state.wait_for(lambda: self._outbox or self._closing, idle)
                batch, after = list(islice(self._outbox, BATCH)), self._ring.last
                if not batch and self._closing:
                    return
            try:
                self._sending.add(batch, origin=self._origin, after=after)
            except FAILURES as error:
                self._fail("send", error)
                if self._closing or self._closed.wait(PAUSE.total_seconds()):
                    return
            else:
                self._work("send")
                with self._state:
                    while self._outbox and batch and self._outbox[0].number <= batch[-1].number:
                        self._outbox.popleft()
                    self._state.notify_all()

    def _fail(self, part: str, error: BaseException) -> None:
        with self._state:
            self._away[part] = reason_of(error)
            for sent in self._outbox:
                self._tell_here(sent)
            self._state.notify_all()

    def _work(self, part: str) -> None:
        with self._state:
            if self._away.pop(part, None) is not None:
                self._state.notify_all()

    def _listen(self) -> None:
        while not self._closed.is_set():
            try:
                if self._end is None:
                    self._begin()
                self._hear(self._hearing.after(self._end or NOWHERE, BLOCK_MS))
            except FAILURES as error:
                if not self._closed.is_set():
                    self._fail("listen", error)
                    self._closed.wait(PAUSE.total_seconds())
        self._hearing_client.close()

    def _begin(self) -> None:
        found = self._hearing.history()
        with self._state:
            for entry in found.entries:
                self._known(entry)
            if self._ring.traffic().subscribers or self._told_here:
                # Some listen already, and what happened until now they have missed.
                self._tell_tear = True
            else:
                self._ring.begin([one.notice for one in found.entries if one.notice is not None], found.since)
            self._end = found.end
            self._settle()

    def _settle(self) -> None:
        if self._told_here:
            done = self._heard.get(self._origin, 0)
            self._told_here = {one for one in self._told_here if one > done}
        self._state.notify_all()

    def _hear(self, entries: list[Entry]) -> None:
        self._work("listen")
        with self._state:
            if self._tell_tear and not self._away:
                # Ids that were given here, and those of others meanwhile, are in no order.
                self._tell_tear = False
                self._ring.tear()
            for entry in entries:
                self._take(entry)
            self._settle()

    def _take(self, entry: Entry) -> None:
        if entry.before != self._end:
            self._ring.tear()
        self._end = entry.id
        own, last = entry.origin == self._origin, self._heard.get(entry.origin)
        if not self._known(entry):
            return
        if not own and last is not None and entry.number > last + 1:
            # It was away for so long that it had no room for them.
            self._ring.tear(entry.number - last - 1)
        if entry.notice is None:
            self._ring.tear(1)
        elif not own or entry.number not in self._told_here:
            self._ring.carry(entry.notice)

    def _known(self, entry: Entry) -> bool:
        """Note an entry of a sender; False if it was sent a second time, because the first was not acknowledged."""
        if entry.number <= self._heard.get(entry.origin, 0):
            return False
        self._heard[entry.origin] = entry.number
        self._heard.move_to_end(entry.origin)
        if len(self._heard) > SENDERS:
            self._heard.popitem(last=False)
        return True

    def subscribe(
        self,
        after: str | None = None,
        *,
        kinds: Collection[Kind] = (),
        heard: Heard | None = None,
        wake: Callable[[], None] | None = None,
        here: bool = False,
    ) -> Queue:
        """Listen to all processes, from now or from after the notice with this id."""
        if here:
            return self._own.subscribe(after, kinds=kinds, heard=heard, wake=wake)
        with self._state:
            self._listener = self._listener or self._started(self._listen, "listener")
            mine = self._number
            # What was told here before is heard before: unless the server is away, and then it was told here.
            most = 2 * PATIENCE.total_seconds()
            self._state.wait_for(lambda: self._away or self._caught_up(mine), most)
            return self._ring.subscribe(after, kinds=kinds, heard=heard, wake=wake)

    def _caught_up(self, mine: int) -> bool:
        return self._end is not None and self._heard.get(self._origin, 0) >= mine

    def traffic(self) -> Traffic:
        """How much it carries, and whether the server is away: who wants to know has it asked from now on."""
        with self._state:
            self._start_sender()
            away = next(iter(self._away.values()), "")
            return msgspec.structs.replace(self._ring.traffic(), published=self._number, away=away)

    def close(self) -> None:
        """Send what is left, if the server answers, and end every subscription."""
        with self._state:
            self._closing = True
            self._state.notify_all()
        if self._sender is not None:
            self._sender.join(2 * PATIENCE.total_seconds())
            self._sending_client.close()
        # The listener is not waited for: it ends when the server has nothing to say for a while.
        self._closed.set()
        self._own.close()
        self._ring.close()
