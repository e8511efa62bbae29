"""A bus, a cache, readings of the machine and a vector index, all inside one process."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from heapq import merge
from pathlib import Path
from typing import NamedTuple, Self

import msgspec
import numpy as np
import psutil

from foveal.errors import Invalid, RateLimited
from foveal.model.notice import Kind, Mark, Notice, Severity, mark_of, next_mark, text_of
from foveal.model.search import Floats, Rows
from foveal.ports.system import Bus, Clock, Heard, Organism, Subscription, SystemClock, Traffic
from foveal.rules.recall.index import nearest, unit_rows

LOG = logging.getLogger("foveal.errors")
# A file of this size becomes the old file, and a new one is started.
BYTES = 1 << 20


class ErrorFileBus:
    """Wraps a bus, and writes each error that is not merely the caller's to a file, as a line of JSON."""

    def __init__(self, bus: Bus, path: Path) -> None:
        self._bus = bus
        self._path = path
        self._lock = threading.Lock()

    def publish(self, notice: Notice) -> None:
        """Publish a notice, and write it to the file if it is an error; a failure to write is logged."""
        self._bus.publish(notice)
        if notice.fault is not None and notice.fault.severity is not Severity.INFO:
            try:
                with self._lock:
                    self._write(msgspec.json.encode(notice) + b"\n")
            except OSError as error:
                LOG.warning("%s cannot be written: %s", self._path, error.strerror)

    def _write(self, line: bytes) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if self._path.exists() and self._path.stat().st_size + len(line) > BYTES:
            self._path.replace(old_of(self._path))
        # One write for the whole line, so that processes that share the file do not mix their lines.
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)

    def subscribe(
        self,
        after: str | None = None,
        *,
        kinds: Collection[Kind] = (),
        heard: Heard | None = None,
        wake: Callable[[], None] | None = None,
        here: bool = False,
    ) -> Subscription:
        """Subscribe to the wrapped bus."""
        return self._bus.subscribe(after, kinds=kinds, heard=heard, wake=wake, here=here)

    def traffic(self) -> Traffic:
        """How much it carries."""
        return self._bus.traffic()

    def close(self) -> None:
        """End every subscription."""
        self._bus.close()


def old_of(path: Path) -> Path:
    """The path of the older file of errors."""
    return path.with_suffix(path.suffix + ".1")


def filed(path: Path) -> Iterator[Notice]:
    """The errors in a file and the older one, oldest first; incomplete lines are left out."""
    for file in (old_of(path), path):
        if file.exists():
            for line in file.read_bytes().splitlines():
                notice = notice_of(line)
                if notice is not None:
                    yield notice


def notice_of(line: bytes) -> Notice | None:
    """The notice in a line, or None if the line is incomplete."""
    try:
        return msgspec.json.decode(line, type=Notice)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


class Queue:
    """The notices that wait for one listener. While the queue is full, later ones are only counted."""

    def __init__(
        self,
        room: int,
        kinds: frozenset[Kind],
        heard: Heard | None,
        wake: Callable[[], None] | None,
        left: Callable[[Queue], None],
    ) -> None:
        self._room = room
        self._kinds = kinds
        self._heard = heard
        self._wake = wake
        self._left = left
        self._ready = threading.Condition()
        self._waiting: deque[Notice] = deque()
        self._missed = 0
        self._last: Notice | None = None
        self._closed = False

    def may_want(self, *, errors: bool) -> bool:
        """Whether it may want errors, or with `errors` False anything else."""
        return not self._kinds or (Kind.ERROR in self._kinds if errors else bool(self._kinds - {Kind.ERROR}))

    def wants(self, notice: Notice) -> bool:
        """Whether a notice is for this listener."""
        return (not self._kinds or notice.kind in self._kinds) and (self._heard is None or self._heard(notice))

    def begin(self, notices: Sequence[Notice], *, lost: bool, at: Mark) -> None:
        """Start with the newest of these earlier notices, after a gap if some were `lost`."""
        newest = notices[-self._room :]
        if lost:
            moment = newest[0].at if newest else datetime.fromtimestamp(at[0] / 1000, UTC)
            self._waiting.append(Notice(at=moment, kind=Kind.GAP))
        self._waiting += newest

    def put(self, notice: Notice) -> bool:
        """Add a notice if the listener wants it; False if there was no room."""
        if not self.wants(notice):
            return True
        with self._ready:
            fits = len(self._waiting) < self._room and not self._missed
            if fits:
                self._waiting.append(notice)
                self._ready.notify()
            else:
                # Later notices must not overtake the gap, so they are counted until it was taken.
                self._missed += 1
                self._last = notice
        if fits and self._wake is not None:
            self._wake()
        return fits

    def tear(self, gap: Notice) -> None:
        """Add a gap, whichever kinds the listener wants; nothing if a gap is pending already."""
        with self._ready:
            if self._missed:
                return
            self._waiting.append(gap)
            self._ready.notify()
        if self._wake is not None:
            self._wake()

    def take(self) -> Notice | None:
        """The next notice, or None if there is none yet."""
        with self._ready:
            return self._first()

    def _first(self) -> Notice | None:
        if self._waiting:
            return self._waiting.popleft()
        if self._last is None:
            return None
        # The gap has the id of the last missed notice, so a listener that resumes after it continues behind that.
        gap = Notice(id=self._last.id, at=self._last.at, kind=Kind.GAP, missed=self._missed)
        self._missed, self._last = 0, None
        return gap

    def next(self, timeout: timedelta | None = None) -> Notice | None:
        """Wait for the next notice; None after the timeout or when the subscription is closed."""
        with self._ready:
            seconds = None if timeout is None else timeout.total_seconds()
            self._ready.wait_for(lambda: self._waiting or self._missed or self._closed, seconds)
            return self._first()

    def close(self) -> None:
        """End the subscription. Notices that wait can still be taken."""
        self._left(self)
        with self._ready:
            self._closed = True
            self._ready.notify_all()
        if self._wake is not None:
            self._wake()

    def __iter__(self) -> Iterator[Notice]:
        while (notice := self.next()) is not None:
            yield notice

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# How many notices are kept, how many errors besides them, and how many may wait for one listener.
RING_ROOM = 1_000
# How many listeners there may be at a time.
LISTENERS = 256
OLDEST = "0"


class Kept(NamedTuple):
    """A notice in a ring, with its id as numbers."""

    mark: Mark
    notice: Notice


class RingBus:
    """A bus that keeps the last notices for listeners that resume. Errors have a ring of their own."""

    def __init__(self, *, room: int = RING_ROOM, clock: Clock | None = None) -> None:
        self._room = room
        self._lock = threading.Lock()
        self._last: Mark = next_mark((0, 0), (clock or SystemClock()).now())
        self._rings = {True: deque[Kept](maxlen=room), False: deque[Kept](maxlen=room)}
        # Notices up to here are lost: they are older than this bus, or were dropped from the ring.
        self._lost = {True: self._last, False: self._last}
        self._queues: tuple[Queue, ...] = ()
        self._published = 0
        self._dropped = 0

    def publish(self, notice: Notice) -> None:
        """Deliver a notice to every listener that wants it."""
        with self._lock:
            self._carry(next_mark(self._last, notice.at), notice)

    def carry(self, notice: Notice) -> None:
        """Deliver a notice that already has its id, from a bus that this one is a part of."""
        with self._lock:
            self._carry(mark_of(notice.id), notice)

    def _carry(self, mark: Mark, notice: Notice) -> None:
        numbered = msgspec.structs.replace(notice, id=text_of(mark))
        self._keep(mark, numbered)
        self._published += 1
        for queue in self._queues:
            self._dropped += not queue.put(numbered)

    def _keep(self, mark: Mark, notice: Notice) -> None:
        # A late notice is delivered but not kept: listeners that resume may already be past its place.
        if mark > self._last:
            is_error = notice.kind is Kind.ERROR
            ring = self._rings[is_error]
            if len(ring) == self._room:
                self._lost[is_error] = ring[0].mark
            ring.append(Kept(mark, notice))
            self._last = mark

    def begin(self, notices: Sequence[Notice], since: Mapping[bool, Mark]) -> None:
        """Keep these earlier notices, which are in order. `since` says from when on none is lost.

        It has a mark for errors (True) and one for the rest (False).
        """
        with self._lock:
            self._last = (0, 0)
            for notice in notices:
                self._keep(mark_of(notice.id), notice)
            self._last = max(self._last, *since.values())
            self._lost = dict(since)

    def tear(self, missed: int | None = None) -> None:
        """Send a gap to all listeners, and to those that resume later."""
        with self._lock:
            at = datetime.fromtimestamp(self._last[0] / 1000, UTC)
            self._last = next_mark(self._last, at)
            self._lost = {True: self._last, False: self._last}
            gap = Notice(id=text_of(self._last), at=at, kind=Kind.GAP, missed=missed)
            for queue in self._queues:
                queue.tear(gap)

    @property
    def last(self) -> str:
        """The id of the last notice."""
        return text_of(self._last)

    def subscribe(
        self,
        after: str | None = None,
        *,
        kinds: Collection[Kind] = (),
        heard: Heard | None = None,
        wake: Callable[[], None] | None = None,
        here: bool = False,
    ) -> Queue:
        """Subscribe to notices, from now on or after the notice with this id."""
        since = None if after is None else mark_of(after)
        queue = Queue(self._room, frozenset(kinds), heard, wake, self._leave)
        with self._lock:
            if len(self._queues) >= LISTENERS:
                raise RateLimited(f"{LISTENERS} listen already: close a subscription first")
            if since is not None:
                self._catch_up(queue, since, from_oldest=after == OLDEST)
            self._queues = (*self._queues, queue)
        return queue

    def _catch_up(self, queue: Queue, since: Mark, *, from_oldest: bool) -> None:
        wanted = [errors for errors in (True, False) if queue.may_want(errors=errors)]
        later = merge(*([kept for kept in self._rings[errors] if kept.mark > since] for errors in wanted))
        missed = [kept.notice for kept in later if queue.wants(kept.notice)]
        lost = not from_oldest and any(since < self._lost[errors] for errors in wanted)
        queue.begin(missed, lost=lost or (len(missed) > self._room and not from_oldest), at=self._last)

    def _leave(self, queue: Queue) -> None:
        with self._lock:
            self._queues = tuple(other for other in self._queues if other is not queue)

    def traffic(self) -> Traffic:
        """How much it carries."""
        with self._lock:
            return Traffic(subscribers=len(self._queues), published=self._published, dropped=self._dropped)

    def close(self) -> None:
        """End every subscription."""
        for queue in self._queues:
            queue.close()


CACHE_ROOM = 4096


class LruCache:
    """A cache of up to `room` values that drops the least recently used one."""

    away = ""

    def __init__(self, room: int = CACHE_ROOM, *, clock: Clock | None = None) -> None:
        self._room = room
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[bytes, datetime]] = OrderedDict()

    def get(self, keys: Sequence[str]) -> list[bytes | None]:
        """The value of each key, or None."""
        now = self._clock.now()
        with self._lock:
            return [self._value(key, now) for key in keys]

    def _value(self, key: str, now: datetime) -> bytes | None:
        value, until = self._known.get(key, (None, now))
        if value is None or until <= now:
            self._known.pop(key, None)
            return None
        self._known.move_to_end(key)
        return value

    def put(self, values: Mapping[str, bytes], ttl: timedelta) -> None:
        """Store values for `ttl` at most."""
        until = self._clock.now() + ttl
        with self._lock:
            for key, value in values.items():
                self._known[key] = (value, until)
                self._known.move_to_end(key)
            while len(self._known) > self._room:
                self._known.popitem(last=False)

    def close(self) -> None:
        """Forget everything."""
        self._known.clear()


MEGABYTE, GIGABYTE = 1 << 20, 1 << 30
# Seconds by which two readings of the start of one process may differ.
SAME_START = 5.0


class ThisMachine:
    """The machine of this process. Processes of other machines count as alive, because it cannot check them."""

    def __init__(self) -> None:
        self._host = socket.gethostname()
        # The first call only starts the measurement.
        psutil.cpu_percent(None)

    @property
    def owner(self) -> str:
        """Host, id and start time of this process; the start time tells apart processes that reuse an id."""
        return f"{self._host}:{os.getpid()}:{psutil.Process().create_time():.2f}"

    def alive(self, owner: str) -> bool:
        """Whether a process of that name may still be running."""
        host, _, process = owner.partition(":")
        number, _, start = process.partition(":")
        if host != self._host:
            return True
        try:
            begun = psutil.Process(int(number)).create_time()
        except (psutil.NoSuchProcess, ValueError):
            return False
        except psutil.AccessDenied:
            return True
        # The start time is derived from the boot time, which moves when the clock is set.
        return abs(begun - float(start)) < SAME_START

    def measured(self) -> dict[str, float]:
        """How busy the processor is since the last call, and how full memory and disk are."""
        memory, disk = psutil.virtual_memory(), psutil.disk_usage(Path.cwd().anchor)
        return {
            "cpu.usage": float(psutil.cpu_percent(None)),
            "memory.used_mb": float(memory.used // MEGABYTE),
            "memory.total_mb": float(memory.total // MEGABYTE),
            "disk.used_gb": round(disk.used / GIGABYTE, 1),
            "disk.total_gb": round(disk.total / GIGABYTE, 1),
        }


VectorsById = dict[str, Floats]
Stacked = tuple[list[str], Rows, Floats]


class InMemoryVectorStore:
    """The embedded vector index: exact, and lost when the process ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kinds: dict[Organism, dict[str, VectorsById]] = {}
        self._stacked: dict[tuple[Organism, str], Stacked] = {}
        self._marks: dict[Organism, str] = {}

    def upsert(self, organism: Organism, kind: str, ids: Sequence[str], vectors: Floats) -> None:
        """Store the vectors of each id, replacing all that were stored under it."""
        rows = unit_rows(vectors, ids)
        with self._lock:
            known = self._kinds.setdefault(organism, {}).setdefault(kind, {})
            if len(rows) and known and next(iter(known.values())).shape[1] != rows.shape[1]:
                raise Invalid("these vectors have another length than those that are there")
            places: dict[str, list[int]] = {}
            for place, record_id in enumerate(ids):
                places.setdefault(record_id, []).append(place)
            known.update({record_id: rows[own_places] for record_id, own_places in places.items()})
            self._stacked.pop((organism, kind), None)

    def delete(self, organism: Organism, ids: Sequence[str]) -> None:
        """Delete the vectors of these ids."""
        with self._lock:
            for kind, known in self._kinds.get(organism, {}).items():
                for record_id in ids:
                    if known.pop(record_id, None) is not None:
                        self._stacked.pop((organism, kind), None)

    def query(
        self, organism: Organism, kinds: Sequence[str] | None, vector: Floats, k: int
    ) -> list[tuple[str, float]]:
        """The `k` nearest ids of these kinds with their cosines, nearest first."""
        with self._lock:
            known = list(self._kinds.get(organism, {}))
            stacks = [self._rows(organism, kind) for kind in known if kinds is None or kind in kinds]
        wanted = unit_rows(np.asarray(vector)[None], [""])[0]
        hits: list[tuple[str, float]] = []
        for ids, starts, rows in stacks:
            if ids:
                cosines = np.maximum.reduceat(rows @ wanted, starts)
                best = np.argsort(-cosines, kind="stable")[:k].tolist()
                hits += [(ids[place], float(cosines[place])) for place in best]
        return nearest(hits, k)

    def _rows(self, organism: Organism, kind: str) -> Stacked:
        """The ids of a kind, where the rows of each begin, and all rows."""
        known = self._stacked.get((organism, kind))
        if known is None:
            vectors = self._kinds[organism][kind]
            ends = np.cumsum([0, *(len(rows) for rows in vectors.values())])
            rows = np.concatenate([*vectors.values()]) if vectors else np.empty((0, 0), np.float32)
            known = self._stacked[organism, kind] = list(vectors), ends[:-1], rows
        return known

    def mark(self, organism: Organism) -> str | None:
        """The last mark that `set_mark` stored."""
        return self._marks.get(organism)

    def set_mark(self, organism: Organism, mark: str) -> None:
        """Store how far the index has followed the organism."""
        self._marks[organism] = mark

    def clear(self, organism: Organism) -> None:
        """Delete all vectors of an organism, and its mark."""
        with self._lock:
            self._marks.pop(organism, None)
            for kind in self._kinds.pop(organism, {}):
                self._stacked.pop((organism, kind), None)

    def close(self) -> None:
        """Do nothing: nothing is open, and the vectors end with the process."""
