"""A bus and a cache that processes share through Redis."""

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
from foveal.errors import CircuitOpen, FovealError, Invalid, StoreUnavailable
from foveal.model.notice import Fault, Kind, Mark, Notice, Severity, mark_of
from foveal.ports.system import Clock, Heard, SystemClock, Traffic

# How long a call waits for the server.
PATIENCE = timedelta(milliseconds=250)
# How long a server that did not answer is not called.
PAUSE = timedelta(seconds=1)
# What a call to the server may raise.
FAILURES = (RedisError, OSError)


def connect(url: str, patience: timedelta | None = None) -> Redis:
    """A client of the server at a redis://, rediss:// or unix:// URL, with short timeouts and no retries."""
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
        # The original message may quote a part of the password.
        raise Invalid("the setting redis must be redis://host:port/number, rediss://… or unix://…") from None


def reason_of(error: BaseException) -> str:
    """Why a server did not answer, in a few words that cannot contain its password.

    >>> reason_of(TimeoutError("x"))
    'Redis does not answer (TimeoutError)'
    """
    return f"Redis does not answer ({type(error).__name__})"


class RedisCache:
    """A cache in a Redis server. After a failure the cache is empty, and the server is not called for a second."""

    def __init__(
        self, url: str, *, prefix: str = "foveal", told: Callable[[str, FovealError], None] | None = None
    ) -> None:
        self._client = connect(url)
        self._told = told
        self._prefix = f"{{{prefix}}}:cache:"
        self._reason = ""
        # A failed call takes a quarter of a second, and nobody depends on a cache: one failure is enough.
        self.breaker = Breaker(failures=1, reset=PAUSE)

    def get(self, keys: Sequence[str]) -> list[bytes | None]:
        """The value of each key, or None; always None while the server is away."""
        unknown: list[bytes | None] = [None] * len(keys)
        epoch = self._entered() if keys else None
        if epoch is None:
            return unknown
        try:
            values = cast(Any, self._client.mget([self._prefix + key for key in keys]))
        except FAILURES as error:
            self._fail(epoch, error)
            return unknown
        self._work(epoch)
        return list(values)

    def put(self, values: Mapping[str, bytes], ttl: timedelta) -> None:
        """Store values for `ttl` at most, unless the server is away."""
        epoch = self._entered() if values else None
        if epoch is None:
            return
        try:
            if len(values) == 1:
                [(key, value)] = values.items()
                self._client.set(self._prefix + key, value, px=ttl)
            else:
                with self._client.pipeline(transaction=False) as pipeline:
                    for key, value in values.items():
                        pipeline.set(self._prefix + key, value, px=ttl)
                    pipeline.execute()
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
        if self._told is not None:
            self._told("cache", StoreUnavailable(self._reason))

    @property
    def away(self) -> str:
        """Why the server does not answer, or an empty string. It is called again if the failure was a while ago."""
        if self._reason and not self.breaker.waiting:
            self.get(["away"])
        return self._reason

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


NOWHERE = "0-0"
# The stream holds at least so many entries for slow readers, more than any process keeps.
HELD = 10_000

# Ids are the server's time. They grow even if its clock is set back or it has lost its data, because they follow
# the last id that the sender knows. Each entry names the one before it, so that readers notice missing entries.
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
    """A notice with its number in the process that sends it."""

    number: int
    notice: Notice


class Entry(NamedTuple):
    """A notice in the stream: its id, the id before it, its sender and its number there."""

    id: str
    before: str
    origin: str
    number: int
    notice: Notice | None


class History(NamedTuple):
    """The entries of a stream, its last id, and since when no errors (True) or other notices (False) are lost."""

    entries: list[Entry]
    end: str
    since: dict[bool, Mark]


class Stream:
    """The last notices, and in a second stream the last errors, which other notices do not displace."""

    def __init__(self, client: Redis, prefix: str, room: int) -> None:
        self._client = client
        # The braces keep both keys on one node of a cluster.
        self._keys = (f"{{{prefix}}}:notices", f"{{{prefix}}}:errors")
        self._room = room
        self._add = client.register_script(_ADD)

    def add(self, sent: Sequence[Sent], *, origin: str, after: str) -> None:
        """Append notices, all or none, with ids greater than `after`."""
        arguments: list[Any] = [after, max(self._room, HELD), origin]
        for number, notice in sent:
            arguments += [number, msgspec.json.encode(notice), int(notice.kind is Kind.ERROR)]
        self._add(keys=self._keys, args=arguments)

    def after(self, last: str, wait_ms: int) -> list[Entry]:
        """The entries after an id, waiting for the first one."""
        streams = cast(
            "Sequence[Any] | dict[Any, Any] | None",
            self._client.xread({self._keys[0]: last}, count=500, block=wait_ms),
        )
        if not streams:
            return []
        rows = next(iter(streams.values()))[0] if isinstance(streams, dict) else streams[0][1]
        return [_entry(*row) for row in rows]

    def history(self) -> History:
        """The last notices in the streams, in order."""
        with self._client.pipeline(transaction=True) as pipeline:
            for key in self._keys:
                pipeline.xrevrange(key, count=self._room)
            pipeline.time()
            rest, errors, (seconds, micros) = cast(Any, pipeline.execute())
        # Just before the id of any later notice.
        now: Mark = (seconds * 1000 + micros // 1000 - 1, 0)
        entries = {entry.id: entry for entry in (_entry(*row) for row in (*errors, *rest))}
        first = mark_of(rest[-1][0].decode()) if rest else now
        oldest = mark_of(errors[-1][0].decode()) if errors else first
        return History(
            entries=sorted(entries.values(), key=lambda entry: mark_of(entry.id)),
            end=rest[0][0].decode() if rest else NOWHERE,
            since={False: first, True: oldest if len(errors) >= self._room else min(first, oldest)},
        )


def _entry(place: bytes, fields: dict[bytes, bytes]) -> Entry:
    try:
        notice = msgspec.json.decode(fields[b"notice"], type=Notice)
    except (KeyError, msgspec.DecodeError, UnicodeDecodeError):
        # A notice of another release that this one cannot read counts as a gap.
        notice = None
    return Entry(
        id=place.decode(),
        before=fields.get(b"before", b"").decode(),
        origin=fields.get(b"origin", b"").decode(),
        number=int(fields.get(b"number", b"0")),
        notice=None if notice is None else msgspec.structs.replace(notice, id=place.decode()),
    )


# How many notices are sent at once.
BATCH = 200
# How many notices wait to be sent while the server is away.
OUTBOX = 10_000
# How long to wait for an entry before checking whether to stop.
BLOCK_MS = 1_000
# How often to check that the server answers if there is nothing to send.
IDLE = timedelta(seconds=5)
# How many senders are remembered, to recognise notices that were sent twice.
SENDERS = 1_000


class RedisBus:
    """A bus that sends notices in one thread and receives those of all processes in another; `publish` never waits.

    While the server is away, listeners in this process get its notices at once; other processes get them when the
    server is back. They get every notice in order and once, or a gap.
    """

    def __init__(
        self, url: str, *, prefix: str = "foveal", room: int = RING_ROOM, clock: Clock | None = None
    ) -> None:
        self._clock = clock or SystemClock()
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
        # The numbers of notices that listeners here already got, because the server was away.
        self._delivered_here: set[int] = set()
        self._gap_due = False
        self._heard: OrderedDict[str, int] = OrderedDict()
        self._end: str | None = None
        self._away: dict[str, str] = {}
        self._closing = False
        self._closed = threading.Event()
        self._sender: threading.Thread | None = None
        self._listener: threading.Thread | None = None

    def publish(self, notice: Notice) -> None:
        """Queue a notice for sending. While the server is away, listeners in this process get it at once."""
        with self._state:
            self._own.publish(notice)
            self._number += 1
            sent = Sent(self._number, notice)
            self._outbox.append(sent)
            if len(self._outbox) > OUTBOX:
                self._delivered_here.discard(self._outbox.popleft().number)
            if self._away:
                self._deliver_here(sent)
            self._start_sender()
            self._state.notify_all()

    def _start_sender(self) -> None:
        self._sender = self._sender or self._started(self._send, "sender")

    def _started(self, work: Callable[[], None], name: str) -> threading.Thread:
        thread = threading.Thread(target=work, name=f"foveal-redis-{name}", daemon=True)
        thread.start()
        return thread

    def _deliver_here(self, sent: Sent) -> None:
        if sent.number not in self._delivered_here:
            self._delivered_here.add(sent.number)
            self._gap_due = True
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
        reason = reason_of(error)
        with self._state:
            new = not self._away
            self._away[part] = reason
            for sent in self._outbox:
                self._deliver_here(sent)
            self._state.notify_all()
        if new:
            fault = Fault(component="redis", code="unavailable", severity=Severity.WARNING, message=reason)
            self.publish(Notice(at=self._clock.now(), kind=Kind.ERROR, fault=fault))

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
        history = self._hearing.history()
        with self._state:
            for entry in history.entries:
                self._known(entry)
            if self._ring.traffic().subscribers or self._delivered_here:
                # There are listeners already, and they have missed what happened until now.
                self._gap_due = True
            else:
                notices = [entry.notice for entry in history.entries if entry.notice is not None]
                self._ring.begin(notices, history.since)
            self._end = history.end
            self._settle()

    def _settle(self) -> None:
        if self._delivered_here:
            done = self._heard.get(self._origin, 0)
            self._delivered_here = {number for number in self._delivered_here if number > done}
        self._state.notify_all()

    def _hear(self, entries: list[Entry]) -> None:
        self._work("listen")
        with self._state:
            if self._gap_due and not self._away:
                # Ids assigned here and those of other processes in the meantime are not in one order.
                self._gap_due = False
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
            # The sender could not reach the server for so long that it dropped some.
            self._ring.tear(entry.number - last - 1)
        if entry.notice is None:
            self._ring.tear(1)
        elif not own or entry.number not in self._delivered_here:
            self._ring.carry(entry.notice)

    def _known(self, entry: Entry) -> bool:
        """Note an entry; False if it was sent a second time because the first was not acknowledged."""
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
        """Subscribe to the notices of all processes, from now on or after the notice with this id."""
        if here:
            return self._own.subscribe(after, kinds=kinds, heard=heard, wake=wake)
        with self._state:
            self._listener = self._listener or self._started(self._listen, "listener")
            mine = self._number
            # Wait until earlier notices of this process have come back, unless the server is away: then they were
            # delivered here.
            most = 2 * PATIENCE.total_seconds()
            self._state.wait_for(lambda: self._away or self._caught_up(mine), most)
            return self._ring.subscribe(after, kinds=kinds, heard=heard, wake=wake)

    def _caught_up(self, mine: int) -> bool:
        return self._end is not None and self._heard.get(self._origin, 0) >= mine

    def traffic(self) -> Traffic:
        """Counts of notices and subscribers, and why the server is away; from now on the server is checked."""
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
        # Do not wait for the listener: it ends when its current read times out.
        self._closed.set()
        self._own.close()
        self._ring.close()
