"""A bus between processes: what one of them tells, all hear, through a stream of a Redis server."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Collection
from datetime import timedelta
from itertools import islice
from uuid import uuid4

import msgspec

from foveal.backends.bus.queue import Queue
from foveal.backends.bus.ring import ROOM, RingBus
from foveal.backends.redis import connection
from foveal.backends.redis.connection import FAILURES, PAUSE, connect, reason_of
from foveal.backends.redis.stream import NOWHERE, Entry, Sent, Stream
from foveal.model.notice import Kind, Notice
from foveal.ports.system import Clock, Heard, Traffic

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

    def __init__(self, url: str, *, prefix: str = "foveal", room: int = ROOM, clock: Clock | None = None) -> None:
        self._sending_client = connect(url)
        self._sending = Stream(self._sending_client, prefix, room)
        self._hearing_client = connect(url, patience=connection.PATIENCE * 12)
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
            most = 2 * connection.PATIENCE.total_seconds()
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
            self._sender.join(2 * connection.PATIENCE.total_seconds())
            self._sending_client.close()
        # The listener is not waited for: it ends when the server has nothing to say for a while.
        self._closed.set()
        self._own.close()
        self._ring.close()
